import CTAP
import Testing

@testable import nfcd_fido

/// What a program sees of a device: what was written, and when.
private struct Line {
    var reports = OutgoingReports()
    var time = Duration.zero
    private(set) var written: [(report: [UInt8], time: Duration)] = []
    private(set) var hasEnded = false

    var bytes: [UInt8] { written.map { $0.report[0] } }

    /// Writes what is due until a time; each call of the thread may be late.
    mutating func run(until end: Duration, late: Duration = .zero) {
        while !hasEnded {
            switch reports.next(at: time) {
            case .write(let written, let isContinued):
                self.written += written.map { ($0, time) }
                if isContinued { time += .milliseconds(1) }
            case .wait(let next?) where next <= end: time = next + late
            case .wait:
                time = max(time, end)
                return
            case .end: hasEnded = true
            }
        }
    }

    mutating func keepAlive(_ byte: UInt8, in delay: Duration = .zero) {
        reports.keepAlive(HIDEndpoint.RepeatedReport([byte], from: time + delay))
    }

    /// The longest time between two reports.
    var longestGap: Duration { zip(written, written.dropFirst()).map { $1.time - $0.time }.max() ?? .zero }
}

@Suite struct `The reports that a device sends` {
    @Test(arguments: [0, 10, 49])
    func `a keep-alive comes at most 100 ms after the one before, although the thread is late`(late: Int) {
        var line = Line()
        line.keepAlive(7, in: .milliseconds(50))
        line.run(until: .seconds(30), late: .milliseconds(late))
        #expect(line.written.count >= 30_000 / 100)
        #expect(line.longestGap <= .milliseconds(100))
        #expect(line.written.first.map { $0.time <= .milliseconds(100) } == true)
    }

    @Test func `a keep-alive continues between the messages of other programs, however many wait`() {
        var line = Line()
        line.keepAlive(7)
        for step in 0..<100 {
            for _ in 0..<256 { line.reports.append([[1]]) }
            line.run(until: .milliseconds(10 * step))
        }
        let times = line.written.filter { $0.report == [7] }.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= .milliseconds(100) })
        #expect(times.count >= 10)
    }

    @Test func `nothing goes between the reports of a message`() {
        var line = Line()
        line.keepAlive(7)
        line.run(until: .milliseconds(49))
        line.reports.append(Array(repeating: [2], count: 129))
        line.reports.append([[3]])
        line.run(until: .seconds(1))
        let first = line.bytes.firstIndex(of: 2) ?? 0
        #expect(line.bytes[first..<(first + 129)].allSatisfy { $0 == 2 })
        // hidraw keeps 64 reports for a program.
        let moments = Dictionary(grouping: line.written.filter { $0.report == [2] }, by: \.time)
        #expect(moments.values.allSatisfy { $0.count <= 32 })
    }

    @Test func `a keep-alive never precedes what was sent before its request`() {
        var line = Line()
        line.reports.append(Array(repeating: [1], count: 40))
        line.reports.append([[2]])
        line.keepAlive(7)
        line.run(until: .milliseconds(10))
        #expect(line.bytes == Array(repeating: 1, count: 40) + [2, 7])
    }

    @Test func `a keep-alive that is due is not sent once the answer waits`() {
        var line = Line()
        line.keepAlive(7)
        line.reports.keepAlive(nil)
        line.reports.append([[1]])
        line.run(until: .seconds(1))
        #expect(line.bytes == [1])
    }

    @Test func `another status replaces the one before`() {
        var line = Line()
        line.keepAlive(1, in: .milliseconds(50))
        line.run(until: .milliseconds(120))
        line.keepAlive(2)
        line.run(until: .milliseconds(180))
        #expect(line.bytes == [1, 1, 2, 2])
    }

    @Test func `what waits is sent before the end, and nothing after it`() {
        var line = Line()
        line.keepAlive(7)
        line.reports.append([[1], [2]])
        line.reports.finish()
        line.reports.append([[3]])
        line.run(until: .seconds(1))
        #expect(line.bytes == [1, 2])
        #expect(line.hasEnded)
    }

    @Test func `at most 256 messages wait`() {
        var line = Line()
        for _ in 0..<1_000 { line.reports.append([[1]]) }
        line.run(until: .seconds(1))
        #expect(line.bytes.count == 256)
    }
}
