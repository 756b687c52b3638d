import CTAP
import TestSupport
import Testing

/// A program on the other side of a ``HIDEndpoint``.
struct HIDProgram {
    var endpoint = HIDEndpoint(hasMessages: true, version: (1, 2, 3))
    var time = Duration.zero

    /// Sends the reports of a message.
    mutating func send(_ command: UInt8, _ data: [UInt8], on channel: UInt32) -> [HIDEndpoint.Action] {
        Self.reports(command, data, channel).flatMap { endpoint.receive($0, at: time) }
    }

    /// Gets a channel.
    mutating func allocate() -> UInt32 {
        guard case .send(let reports)? = send(0x86, Array(1...8), on: 0xFFFF_FFFF).first else { return 0 }
        return reports[0][15..<19].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The reports of a message, written from CTAP 2.1, §11.2.4.
    static func reports(_ command: UInt8, _ data: [UInt8], _ channel: UInt32) -> [[UInt8]] {
        let address = [24, 16, 8, 0].map { UInt8(channel >> $0 & 0xFF) }
        func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + Array(repeating: 0, count: 64 - bytes.count) }
        var reports = [padded(address + [command, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data.prefix(57))]
        for (number, start) in stride(from: 57, to: data.count, by: 59).enumerated() {
            reports.append(padded(address + [UInt8(number)] + data[start..<min(start + 59, data.count)]))
        }
        return reports
    }

    /// A message to the program.
    static func message(_ command: UInt8, _ data: [UInt8], on channel: UInt32) -> HIDEndpoint.Action {
        .send(reports(command, data, channel))
    }

    /// A keep-alive that is repeated from a time on.
    static func keepAlive(_ status: UInt8, on channel: UInt32, from start: Duration) -> HIDEndpoint.Action {
        .keepAlive(HIDEndpoint.RepeatedReport(reports(0xBB, [status], channel)[0], from: start))
    }

    static func error(_ code: UInt8, on channel: UInt32) -> HIDEndpoint.Action { message(0xBF, [code], on: channel) }
}

@Suite struct `The CTAPHID endpoint` {
    @Test func `INIT allocates a channel and reports version and capabilities`() {
        var program = HIDProgram()
        let nonce = hex("A1A2A3A4A5A6A7A8")
        let answer = nonce + hex("00000001 02 010203 05")
        #expect(program.send(0x86, nonce, on: 0xFFFF_FFFF) == [HIDProgram.message(0x86, answer, on: 0xFFFF_FFFF)])
        #expect(program.allocate() == 2)
    }

    @Test func `a card without U2F reports it, and refuses U2F commands`() {
        var program = HIDProgram(endpoint: HIDEndpoint(hasMessages: false, version: (0, 0, 0)))
        let answer = Array(1...8) + hex("00000001 02 000000 0D")
        #expect(
            program.send(0x86, Array(1...8), on: 0xFFFF_FFFF) == [HIDProgram.message(0x86, answer, on: 0xFFFF_FFFF)])
        #expect(program.send(0x83, hex("00030000"), on: 1) == [HIDProgram.error(0x01, on: 1)])
    }

    @Test(arguments: [0, 1, 57, 58, 116, 117, 1024, 7609])
    func `PING returns its data`(size: Int) {
        var program = HIDProgram()
        let channel = program.allocate()
        let data = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        #expect(program.send(0x81, data, on: channel) == [HIDProgram.message(0x81, data, on: channel)])
    }

    @Test(arguments: [
        ("a length over 7609", "81 1DBA", "03"), ("INIT of 7 bytes", "86 0007", "03"),
        ("an unknown command", "85 0000", "01"),
        ("a vendor command", "C0 0000", "01"), ("an empty CBOR command", "90 0000", "03"),
        ("LOCK of 11 s", "84 0001 0B", "02"),
        ("LOCK without a time", "84 0000", "03"), ("WINK with data", "88 0001 00", "03"),
    ])
    func `is answered with an error`(_ what: String, _ packet: String, _ code: String) {
        var program = HIDProgram()
        let channel = program.allocate()
        let report = [0, 0, 0, UInt8(channel)] + hex(packet)
        let actions = program.endpoint.receive(report + Array(repeating: 0, count: 64 - report.count), at: .zero)
        #expect(actions == [HIDProgram.error(hex(code)[0], on: channel)], "\(what)")
    }

    @Test(arguments: [0, 7, 0xFFFF_FFFF] as [UInt32])
    func `a channel that was not allocated is refused`(channel: UInt32) {
        var program = HIDProgram()
        _ = program.allocate()
        #expect(program.send(0x81, [1], on: channel) == [HIDProgram.error(0x0B, on: channel)])
    }

    @Test func `a report has the report number in front or not`() {
        var program = HIDProgram()
        let report = HIDProgram.reports(0x86, Array(1...8), 0xFFFF_FFFF)[0]
        #expect(!program.endpoint.receive([0] + report, at: .zero).isEmpty)
        for size in [0, 1, 63, 66, 4096] {
            #expect(program.endpoint.receive(Array(repeating: 0x86, count: size), at: .zero).isEmpty)
        }
    }

    @Test func `a request is passed on once it is complete, and its answer goes to its channel`() {
        var program = HIDProgram()
        let channel = program.allocate()
        let request = Array(repeating: UInt8(2), count: 100)
        let id = HIDEndpoint.RequestNumber(1)
        #expect(
            program.send(0x90, request, on: channel)
                == [HIDProgram.keepAlive(1, on: channel, from: .milliseconds(20)), .request(id, .cbor(request))])
        let answer = Array(repeating: UInt8(0), count: 300)
        #expect(
            program.endpoint.answer(id, answer) == [.keepAlive(nil), HIDProgram.message(0x90, answer, on: channel)])
        #expect(program.endpoint.answer(id, answer).isEmpty)
    }

    @Test func `CANCEL has no answer, and the request ends with 2D once`() {
        var program = HIDProgram()
        let channel = program.allocate()
        #expect(program.send(0x91, [], on: channel).isEmpty)
        _ = program.send(0x90, [0x04], on: channel)
        let id = HIDEndpoint.RequestNumber(1)
        #expect(
            program.send(0x91, [], on: channel)
                == [.cancel(id), .keepAlive(nil), HIDProgram.message(0x90, [0x2D], on: channel)])
        #expect(program.send(0x91, [], on: channel).isEmpty)
        #expect(program.endpoint.answer(id, [0]).isEmpty)
    }

    @Test func `another channel is busy while a request runs, and its CANCEL ends nothing`() {
        var program = HIDProgram()
        let (one, other) = (program.allocate(), program.allocate())
        _ = program.send(0x90, [0x04], on: one)
        #expect(program.send(0x81, [1], on: other) == [HIDProgram.error(0x06, on: other)])
        #expect(program.send(0x91, [], on: other).isEmpty)
        #expect(program.allocate() == 3)
    }

    @Test func `INIT on a channel ends its request without an answer`() {
        var program = HIDProgram()
        let channel = program.allocate()
        _ = program.send(0x90, [0x04], on: channel)
        let actions = program.send(0x86, Array(1...8), on: channel)
        #expect(actions.first == .cancel(HIDEndpoint.RequestNumber(1)))
        #expect(actions.count == 3)
        #expect(program.send(0x81, [1], on: channel) == [HIDProgram.message(0x81, [1], on: channel)])
    }

    @Test(arguments: [[1], [0, 0], [0, 2]])
    func `a packet out of order ends the message`(sequence: [UInt8]) {
        var program = HIDProgram()
        let channel = program.allocate()
        let reports = HIDProgram.reports(0x81, Array(repeating: 1, count: 1000), channel)
        _ = program.endpoint.receive(reports[0], at: .zero)
        let actions = sequence.flatMap { program.endpoint.receive(reports[1 + Int($0)], at: .zero) }
        #expect(actions == [HIDProgram.error(0x04, on: channel)])
        #expect(program.endpoint.receive(reports[1], at: .zero).isEmpty)
    }

    @Test func `a message whose packets do not come is ended after 500 ms`() {
        var program = HIDProgram()
        let channel = program.allocate()
        let reports = HIDProgram.reports(0x81, Array(repeating: 1, count: 200), channel)
        _ = program.endpoint.receive(reports[0], at: .seconds(1))
        #expect(program.endpoint.nextDeadline == .seconds(1) + .milliseconds(500))
        #expect(program.endpoint.tick(at: .milliseconds(1499)).isEmpty)
        #expect(program.endpoint.tick(at: .milliseconds(1500)) == [HIDProgram.error(0x05, on: channel)])
        #expect(program.endpoint.nextDeadline == nil)
    }

    @Test func `a message takes 3 s at most, however often its packets come`() {
        var program = HIDProgram()
        let channel = program.allocate()
        let reports = HIDProgram.reports(0x81, Array(repeating: 1, count: 7609), channel)
        var actions: [HIDEndpoint.Action] = []
        for (number, report) in reports.prefix(9).enumerated() {
            actions += program.endpoint.receive(report, at: .milliseconds(400 * number))
        }
        #expect(actions == [HIDProgram.error(0x05, on: channel)])
    }

    @Test func `a CTAP command is given a keep-alive that is repeated, and another one at once with a new status`() {
        var program = HIDProgram()
        let channel = program.allocate()
        let first = program.send(0x90, [0x01], on: channel).first
        #expect(first == HIDProgram.keepAlive(1, on: channel, from: .milliseconds(20)))
        let id = HIDEndpoint.RequestNumber(1)
        #expect(
            program.endpoint.keepAlive(id, .presenceNeeded, at: .milliseconds(120))
                == [HIDProgram.keepAlive(2, on: channel, from: .milliseconds(120))])
        #expect(program.endpoint.keepAlive(id, .presenceNeeded, at: .milliseconds(130)).isEmpty)
        #expect(program.endpoint.nextDeadline == nil)
    }

    /// What ends the command of a program on a channel, beside another program.
    enum End: CaseIterable {
        case answer, longAnswer, failure, cancellation, initialisation, closing

        func carryOut(_ program: inout HIDProgram, _ channel: UInt32) -> [HIDEndpoint.Action] {
            let id = HIDEndpoint.RequestNumber(1)
            return switch self {
            case .answer: program.endpoint.answer(id, [0])
            case .longAnswer: program.endpoint.answer(id, Array(repeating: 1, count: 7_610))
            case .failure: program.endpoint.fail(id, .other)
            case .cancellation: program.send(0x91, [], on: channel)
            case .initialisation: program.send(0x86, Array(1...8), on: channel)
            case .closing: program.endpoint.closed()
            }
        }
    }

    @Test(arguments: End.allCases)
    func `no keep-alive comes once the answer begins`(end: End) throws {
        var program = HIDProgram()
        let channel = program.allocate()
        _ = program.send(0x90, [0x01], on: channel)
        let actions = end.carryOut(&program, channel)
        let stop = try #require(actions.firstIndex(of: .keepAlive(nil)))
        let sent = actions.firstIndex { if case .send = $0 { true } else { false } }
        #expect(sent.map { $0 > stop } ?? true)
        #expect(end == .closing || sent != nil)
    }

    @Test func `what other programs send does not end a keep-alive`() {
        var program = HIDProgram()
        let (channel, other) = (program.allocate(), program.allocate())
        _ = program.send(0x90, [0x01], on: channel)
        var actions = program.send(0x90, [0x04], on: other) + program.send(0x91, [], on: other)
        actions += program.send(0x86, Array(1...8), on: 0xFFFF_FFFF) + program.send(0x86, Array(1...8), on: other)
        actions += program.send(0x90, [0x04], on: channel) + program.send(0x83, [0, 3], on: other)
        #expect(!actions.contains { if case .keepAlive = $0 { true } else { false } })
    }

    @Test func `there is no keep-alive for a U2F command`() {
        var program = HIDProgram()
        let channel = program.allocate()
        let actions = program.send(0x83, hex("00030000"), on: channel)
        #expect(actions == [.request(HIDEndpoint.RequestNumber(1), .message(hex("00030000")))])
        #expect(program.endpoint.keepAlive(HIDEndpoint.RequestNumber(1), .presenceNeeded, at: .zero).isEmpty)
    }

    @Test func `a locked device is busy for other channels until the time is over`() {
        var program = HIDProgram()
        let (one, other) = (program.allocate(), program.allocate())
        #expect(program.send(0x84, [2], on: one) == [HIDProgram.message(0x84, [], on: one)])
        #expect(program.send(0x81, [1], on: other) == [HIDProgram.error(0x06, on: other)])
        program.time = .seconds(2)
        #expect(program.send(0x81, [1], on: other) == [HIDProgram.message(0x81, [1], on: other)])
    }

    @Test func `closing the device ends the request and forgets the channels`() {
        var program = HIDProgram()
        let channel = program.allocate()
        _ = program.send(0x90, [0x04], on: channel)
        #expect(program.endpoint.closed() == [.cancel(HIDEndpoint.RequestNumber(1)), .keepAlive(nil)])
        #expect(program.send(0x81, [1], on: channel) == [HIDProgram.error(0x0B, on: channel)])
        #expect(program.allocate() == 2)
    }

    @Test func `a flood of INIT takes no channel away`() {
        var program = HIDProgram()
        let channel = program.allocate()
        for _ in 0..<1000 { _ = program.allocate() }
        #expect(program.send(0x81, [1], on: channel) == [HIDProgram.message(0x81, [1], on: channel)])
    }
}

/// Every order of a few reports from three channels, against rules that are checked from outside.
@Suite struct `Every order of reports` {
    private static let steps: [(UInt8, Int)] = [(0x86, 8), (0x81, 1), (0x90, 1), (0x90, 58), (0x91, 0), (0x83, 4)]

    private struct Observer {
        var open: HIDEndpoint.RequestNumber?
        var last: UInt64 = 0
        var isRepeating = false
        var problems: Set<String> = []

        mutating func observe(_ actions: [HIDEndpoint.Action]) {
            defer { if isRepeating, open == nil { problems.insert("a keep-alive without a request") } }
            for action in actions {
                switch action {
                case .request(let id, _):
                    if open != nil { problems.insert("two requests are open") }
                    if id.number <= last { problems.insert("a name of a request came twice") }
                    (open, last) = (id, id.number)
                case .cancel(let id):
                    if open != id { problems.insert("a request was cancelled that is not open") }
                    open = nil
                case .send(let reports):
                    if reports.contains(where: { $0.count != 64 || $0.prefix(4) != reports[0].prefix(4) }) {
                        problems.insert("a message is not one of 64-byte reports on one channel")
                    }
                case .keepAlive(let report): isRepeating = report != nil
                case .wink: break
                }
            }
        }
    }

    @Test func `keeps the rules of transactions`() {
        var problems: Set<String> = []
        var program = HIDProgram()
        let channels = [program.allocate(), program.allocate(), 0xFFFF_FFFF]
        explore(program, Observer(), channels, depth: 4, &problems)
        #expect(problems.isEmpty, "\(problems)")
    }

    private func explore(
        _ program: HIDProgram, _ observer: Observer, _ channels: [UInt32], depth: Int, _ problems: inout Set<String>
    ) {
        problems.formUnion(observer.problems)
        guard depth > 0 else { return }
        for channel in channels {
            for (command, size) in Self.steps {
                var (next, seen) = (program, observer)
                // Only the first report: the rest of a long message comes with the next step of its channel, or never.
                seen.observe(
                    next.endpoint.receive(
                        HIDProgram.reports(command, Array(repeating: 1, count: size), channel)[0], at: next.time))
                explore(next, seen, channels, depth: depth - 1, &problems)
            }
        }
        var (answered, seen) = (program, observer)
        if let id = observer.open {
            seen.open = nil
            seen.observe(answered.endpoint.answer(id, [0]))
            explore(answered, seen, channels, depth: depth - 1, &problems)
        }
        var (later, waited) = (program, observer)
        later.time += .seconds(4)
        waited.observe(later.endpoint.tick(at: later.time))
        explore(later, waited, channels, depth: depth - 1, &problems)
    }
}
