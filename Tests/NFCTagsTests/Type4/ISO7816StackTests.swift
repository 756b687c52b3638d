import ISO7816
import NFCTags
import Testing
import TestSupport

@Suite struct `Commands to a card` {
    struct Conversation: Sendable, CustomTestStringConvertible {
        var name: String
        var turns: [(command: String, answer: String)]
        var answer: String
        var testDescription: String { name }
    }

    /// What READ BINARY of 15 bytes comes to.
    static let reads: [Conversation] = [
        .init(name: "plain", turns: [("00B000000F", "01029000")], answer: "01029000"),
        .init(name: "an error is a response", turns: [("00B000000F", "6A82")], answer: "6A82"),
        .init(
            name: "the rest is fetched",
            turns: [("00B000000F", "01026103"), ("00C0000003", "0304056102"), ("00C0000002", "06079000")],
            answer: "010203040506079000"),
        .init(
            name: "61 without data", turns: [("00B000000F", "6102"), ("00C0000002", "06079000")], answer: "06079000"),
        .init(name: "61 00 means 256", turns: [("00B000000F", "6100"), ("00C0000000", "AA6282")], answer: "AA6282"),
        .init(
            name: "the right length", turns: [("00B000000F", "6C02"), ("00B0000002", "06079000")], answer: "06079000"),
        .init(name: "only once", turns: [("00B000000F", "6C02"), ("00B0000002", "6C01")], answer: "6C01"),
        .init(name: "the same length again", turns: [("00B000000F", "6C0F")], answer: "6C0F"),
        .init(
            name: "61 and 6C together",
            turns: [("00B000000F", "016108"), ("00C0000008", "6C02"), ("00C0000002", "06079000")],
            answer: "0106079000"),
        .init(name: "9000 inside", turns: [("00B000000F", "900090009000")], answer: "900090009000"),
    ]

    @Test(arguments: reads)
    func `are completed as the card asks`(row: Conversation) async throws {
        let card = ScriptedCard(row.turns)
        let response = try await ISO7816Stack(channel: card).send(0x00, 0xB0, 0, 0, expectedLength: 15)
        #expect(response.bytes == hex(row.answer))
        #expect(card.isFinished)
    }

    @Test func `are never repeated without Le, as they may write`() async throws {
        let card = ScriptedCard([("00D6000001AA", "6C01")])
        let response = try await ISO7816Stack(channel: card).send(0x00, 0xD6, 0, 0, data: [0xAA])
        #expect(response.statusWord.rawValue == 0x6C01)
    }

    static let long = [UInt8](repeating: 0x11, count: 300)
    static let first = "10DA0000FF" + String(repeating: "11", count: 255)
    static let last = "00DA00002D" + String(repeating: "11", count: 45)

    @Test func `with long data are chained`() async throws {
        let card = ScriptedCard([(Self.first, "9000"), (Self.last, "01029000")])
        let response = try await ISO7816Stack(channel: card).send(0x00, 0xDA, 0, 0, data: Self.long)
        #expect(response.data == [1, 2])
        #expect(card.isFinished)
    }

    @Test(arguments: ["6884", "6A80", "6F00", "9100"])
    func `in a chain end at the first refusal`(answer: String) async throws {
        let card = ScriptedCard([(Self.first, answer), (Self.last, "9000")])
        let response = try await ISO7816Stack(channel: card).send(0x00, 0xDA, 0, 0, data: Self.long)
        #expect(response.bytes == hex(answer))
        #expect(card.count == 1)
    }

    @Test func `with long data are sent at once if extended length is allowed`() async throws {
        let limits = APDULimits(allowsExtendedLength: true)
        let card = ScriptedCard([("00DA0000 00012C" + String(repeating: "11", count: 300), "9000")])
        let response = try await ISO7816Stack(channel: card, limits: limits).send(0x00, 0xDA, 0, 0, data: Self.long)
        #expect(response.statusWord.isSuccess)
        let reading = ScriptedCard([("00B00000 000400", "9000")])
        _ = try await ISO7816Stack(channel: reading, limits: limits).send(0x00, 0xB0, 0, 0, expectedLength: 1_024)
        let short = ScriptedCard([("00B00000 0F", "9000")])
        _ = try await ISO7816Stack(channel: short, limits: limits).send(0x00, 0xB0, 0, 0, expectedLength: 15)
    }

    @Test func `of a proprietary class cannot be chained`() async {
        let card = ScriptedCard([] as [ScriptedCard.Turn])
        let error = await #expect(throws: TagError.self) {
            try await ISO7816Stack(channel: card).send(0x90, 0x3D, 0, 0, data: Self.long)
        }
        #expect(error?.code == .packetTooLong)
        #expect(card.count == 0)
    }

    @Test func `have lengths that a command can carry`() async {
        let card = ScriptedCard([] as [ScriptedCard.Turn])
        for (data, length) in [(70_000, nil), (0, 0), (0, 65_537)] as [(Int, Int?)] {
            let error = await #expect(throws: TagError.self) {
                try await ISO7816Stack(channel: card).send(
                    0, 0xD6, 0, 0, data: [UInt8](repeating: 0, count: data), expectedLength: length)
            }
            #expect(error?.code == .packetTooLong)
        }
    }

    static let nonsense: [(answer: String, code: NFCErrorCode)] = [
        ("", .tagResponseError), ("90", .tagResponseError), ("lost", .tagConnectionLost),
        ("silent", .tagResponseError),
    ]

    @Test(arguments: nonsense)
    func `without an answer are errors`(answer: String, code: NFCErrorCode) async {
        for turn in 1...3 {
            let turns: [ScriptedCard.Turn] = [
                ("00B000000F", "0161FF"), ("00C00000FF", "026101"), ("00C0000001", "039000"),
            ]
            let card = ScriptedCard(turns, answering: answer, at: turn)
            let error = await #expect(throws: TagError.self) {
                try await ISO7816Stack(channel: card).send(0x00, 0xB0, 0, 0, expectedLength: 15)
            }
            #expect(error?.code == code)
            #expect(card.count == turn)
        }
    }

    /// Answers every command with the same bytes.
    final class Parrot: CardChannel {
        let answer: [UInt8]
        init(_ answer: [UInt8]) { self.answer = answer }
        func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] { answer }
    }

    static let endless: [[UInt8]] = [[0x61, 0x00], [0x61, 0x01], [0xAA, 0x61, 0x01]]

    @Test(arguments: endless + [[UInt8](repeating: 0xAA, count: 256) + [0x61, 0x00]])
    func `whose answer does not end are aborted`(answer: [UInt8]) async {
        let error = await #expect(throws: TagError.self) {
            try await ISO7816Stack(channel: Parrot(answer)).send(0x00, 0xB0, 0, 0, expectedLength: 15)
        }
        #expect(error?.code == .tagResponseError)
        #expect(error?.detail.contains("does not end") == true)
    }

    static let limits: [(APDULimits, Int, Int)] = [
        (.short, 255, 255), (APDULimits(commandData: 0, responseData: -5), 1, 1),
        (APDULimits(commandData: 60, responseData: 300), 60, 255),
        (APDULimits(allowsExtendedLength: true), 65_535, 65_535),
        (APDULimits(allowsExtendedLength: true, commandData: 500, responseData: 100_000), 500, 65_535),
    ]

    @Test(arguments: limits)
    func `stay within limits that make sense`(limits: APDULimits, command: Int, response: Int) {
        #expect(limits.commandData == command)
        #expect(limits.responseData == response)
    }
}
