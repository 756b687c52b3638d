import CoreNFCTesting
import Testing
import VirtualTags

@testable import corenfc_programs

/// What goes wrong with a tag, by the number of the reader's exchange.
@Suite(.timeLimit(.minutes(20)))
struct TestTagFaultTests {
    private static let aid = "A0000002471001"
    private static let configuration = NFCTagReaderSession.Configuration(
        pollingOption: .iso14443, iso7816SelectIdentifiers: [aid])

    /// Counts its commands, and answers with the number.
    private struct Counter: VirtualApplication {
        let aid = TestTagFaultTests.aid
        private(set) var count: UInt8 = 0

        mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse {
            count += 1
            return VirtualCardResponse([count])
        }
    }

    /// The UID and one SELECT come before the first command of the program, which is exchange 3.
    private static let second = 4

    /// What three commands give, an answer or an error's code, and how many of them the card got.
    private static func run(_ fault: (TestTag) -> TestTag) async throws -> (answers: [String], count: UInt8?) {
        var answers: [String] = []
        var count: UInt8?
        try await Bench.use(fault(.card(applications: [Counter()])), configuration) { bench in
            guard case .iso7816(let card) = bench.tag else { return bench.isOther() }
            for _ in 0..<3 {
                do {
                    let (data, sw1, sw2): (Data, UInt8, UInt8) = try await card.sendCommand(
                        apdu: try #require(NFCISO7816APDU(data: Data([0, 1, 0, 0, 0]))))
                    answers.append((data + [sw1, sw2]).hexadecimal)
                } catch let error as NFCReaderError {
                    answers.append("\(error.code.rawValue)")
                }
            }
            count = bench.presented.application(Counter.self)?.count
        }
        return (answers, count)
    }

    @Test func `nothing goes wrong by default`() async throws {
        let (answers, count) = try await Self.run { $0 }
        #expect(answers == ["019000", "029000", "039000"] && count == 3)
    }

    @Test func `a tag that leaves before a command does not get it`() async throws {
        let (answers, count) = try await Self.run { $0.removed(beforeExchange: Self.second) }
        #expect(answers == ["019000", "100", "100"] && count == 1)
    }

    @Test func `a tag that is torn away has carried the command out`() async throws {
        let (answers, count) = try await Self.run { $0.tornAway(atExchange: Self.second) }
        #expect(answers == ["019000", "100", "100"] && count == 2)
    }

    @Test func `a tag that leaves after a command has answered it`() async throws {
        let (answers, count) = try await Self.run { $0.removed(afterExchange: Self.second) }
        #expect(answers == ["019000", "029000", "100"] && count == 2)
    }

    @Test func `an answer is replaced, also one after another`() async throws {
        let (answers, count) = try await Self.run {
            $0.answering(Data([0x6F, 0x00]), atExchange: 3).answering(Data([0xAA, 0x62, 0x82]), atExchange: 4)
        }
        #expect(answers == ["6F00", "AA6282", "039000"] && count == 3)
    }

    @Test func `an answer without bytes is an error`() async throws {
        let (answers, count) = try await Self.run { $0.answering(Data(), atExchange: Self.second) }
        #expect(answers.first == "019000" && Int(answers[1]) ?? 0 >= 100 && count ?? 0 >= 2)
    }

    @Test func `an answer is delayed`() async throws {
        let clock = ContinuousClock()
        var answers: [String] = []
        let duration = try await clock.measure {
            answers = try await Self.run {
                $0.delayed(by: .milliseconds(60), atExchange: 4).delayed(by: .milliseconds(5))
            }.answers
        }
        #expect(answers == ["019000", "029000", "039000"] && duration >= .milliseconds(60 + 5 * 5))
    }

    @Test func `a tag of the test's own is torn away, too`() async throws {
        let model = try VirtualType2Tag(product: .ntag213, ndefMessage: [])
        try await withVirtualTag(TestTag(model).removed(beforeExchange: 1)) { tag in
            let log = SessionLog()
            let session = NFCTagReaderSession(
                configuration: .init(pollingOption: .iso14443), delegate: log)
            session.begin()
            try await wait { !tag.isOnReader }
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
            #expect(log.tags.isEmpty)
        }
    }

    @Test func `of two tags one leaves, and the other continues to answer`() async throws {
        try await withVirtualReaders(2) { readers in
            let leaving = try readers[0].present(
                .card(identifier: Data([1, 1, 1, 1]), applications: [Counter()]).removed(afterExchange: 3))
            let staying = try readers[1].present(
                .card(identifier: Data([2, 2, 2, 2]), applications: [Counter()]))
            let log = SessionLog()
            let session = NFCTagReaderSession(configuration: Self.configuration, delegate: log)
            session.begin()
            await log.happenings.wait(for: "tags: 2")
            let tags = log.tags
            func send(_ identifier: [UInt8]) async throws -> Data {
                for case .iso7816(let card) in tags where card.identifier == Data(identifier) {
                    if !card.isAvailable || card.identifier.first == 2 { try await session.connect(to: .iso7816(card)) }
                    let command = try #require(NFCISO7816APDU(data: Data([0, 1, 0, 0, 0])))
                    return try await (card.sendCommand(apdu: command) as (Data, UInt8, UInt8)).0
                }
                throw CancellationError()
            }
            let first = try #require(tags.first { Self.identifier($0) == Data([1, 1, 1, 1]) })
            try await session.connect(to: first)
            #expect(try await send([1, 1, 1, 1]) == Data([1]))
            try await wait { !leaving.isOnReader }
            await #expect(throws: NFCReaderError.self) { try await send([1, 1, 1, 1]) }
            #expect(try await send([2, 2, 2, 2]) == Data([1]))
            #expect(try await send([2, 2, 2, 2]) == Data([2]))
            #expect(staying.isOnReader && staying.application(Counter.self)?.count == 2)
            session.invalidate()
            await log.happenings.wait(for: "over: 200")
        }
    }

    private static func identifier(_ tag: NFCTag) -> Data? {
        if case .iso7816(let card) = tag { card.identifier } else { nil }
    }
}
