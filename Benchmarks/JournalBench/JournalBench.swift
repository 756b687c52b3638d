import FoundationEssentials
import NFCTypes
import SQLiteJournal
import TapJournal

/// `journal-bench [TAPS]`: what it costs to store a tap, alone and with others, and beside lists of a journal of 1,000,000 taps.
/// Prints a line of JSON for each. The journal is in the folder for temporary files, which has to be on a disk.
@main
struct JournalBench: Sendable {
    private let journal: SQLiteJournal
    private let path: String

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/journal-bench-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let taps = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let memory = anonymousMemory()
        let bench = JournalBench(path: folder + "/taps.db")
        try await bench.measure(taps: taps, memory)
        await bench.journal.close()
    }

    private init(path: String) {
        self.path = path
        let settings = SQLiteJournal.Settings(path: path, tapLimit: 2_000_000, byteLimit: 8 << 30)
        journal = SQLiteJournal(settings, clock: Self.clock)
    }

    /// Deadlines never pass: a cancelled `Task.sleep` would keep its memory until then, and add to that of the journal.
    private static var clock: JournalClock {
        let system = JournalClock.system { (0, false) }
        return JournalClock(wall: system.wall, uptime: system.uptime) { _ in
            let (nothing, _) = AsyncStream<Never>.makeStream()
            for await _ in nothing {}
        }
    }

    private func measure(taps: Int, _ memory: Int) async throws {
        try await storeOneByOne(1000, "one by one")
        for _ in 0..<100 { _ = try await journal.taps(TapQuery()) }
        print(#"{"memory":\#(anonymousMemory() - memory)}"#)

        let clock = ContinuousClock()
        let together = try await clock.measure { try await storeTogether(20_000) }
        print(#"{"operation":"64 readers","taps a second":\#(20_000 / (together / .seconds(1)))}"#)

        try await storeTogether(taps - 21_000)
        let start = clock.now
        let reopened = await journal.status()
        print(#"{"operation":"status","taps":\#(reopened.taps),"ms":\#((clock.now - start) / .milliseconds(1))}"#)
        try await storeOneByOne(1000, "one by one, \(taps) taps")
        try await storeBesideLists(1000, taps)
    }

    private func storeOneByOne(_ count: Int, _ name: String) async throws {
        let clock = ContinuousClock()
        var times: [Duration] = []
        for number in 0..<count {
            let tap = tap(number)
            times.append(try await clock.measure { _ = try await journal.append(tap) })
        }
        report(name, times)
    }

    /// Stores the taps of 64 readers, each of which waits for its commit.
    private func storeTogether(_ count: Int) async throws {
        try await withThrowingTaskGroup { group in
            for reader in 0..<64 {
                group.addTask {
                    for number in stride(from: reader, to: count, by: 64) { _ = try await journal.append(tap(number)) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Stores taps while a client reads the journal from its beginning, page by page.
    private func storeBesideLists(_ count: Int, _ taps: Int) async throws {
        let lists = Task { try await readPages() }
        try await storeOneByOne(count, "one by one, beside lists of \(taps) taps")
        lists.cancel()
        let pages = try await lists.value
        report("page of 100 of \(taps) taps, beside commits", pages)
        let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? any BinaryInteger
        print(#"{"log":\#(log.map { Int($0) } ?? -1)}"#)
    }

    /// Reads the journal again and again, until the task is cancelled; how long each page took.
    private func readPages() async throws -> [Duration] {
        let clock = ContinuousClock()
        var (after, times): (Int64, [Duration]) = (0, [])
        while !Task.isCancelled {
            let start = clock.now
            let page = try await journal.taps(TapQuery(after: after, limit: 100))
            times.append(clock.now - start)
            after = page.hasMore ? page.taps.last?.sequence ?? 0 : 0
        }
        return times
    }

    private func tap(_ number: Int) -> TapRecord {
        var random = SystemRandomNumberGenerator()
        return TapRecord(
            id: TapID(milliseconds: 0, using: &random),
            time: TapTime(
                milliseconds: Int64(number), sinceBoot: .milliseconds(number),
                bootID: "00000000-0000-4000-8000-000000000000", clock: .unsynchronised),
            reader: "reader-\(number % 64)", readerName: "ACS ACR122U PICC Interface 00 00", type: .miFare,
            technology: "NTAG215", identifier: [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0x80],
            message: [UInt8](repeating: 0xD1, count: 60), status: .readWrite, capacity: 496)
    }

    private func report(_ operation: String, _ times: [Duration]) {
        let sorted = times.sorted().map { $0 / .milliseconds(1) }
        let rate = Double(times.count) / (times.reduce(.zero, +) / .seconds(1))
        print(
            #"{"operation":"\#(operation)","median":\#(sorted[sorted.count / 2]),"p99":\#(sorted[sorted.count * 99 / 100]),"#
                + #""longest":\#(sorted[sorted.count - 1]),"taps a second":\#(rate)}"#)
    }
}

/// The memory of this process that is not shared with a file, in bytes.
private func anonymousMemory() -> Int {
    let lines = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix("RssAnon:") }?.split(whereSeparator: \.isWhitespace) ?? []
    return line.count > 1 ? (Int(line[1]) ?? 0) * 1024 : 0
}
