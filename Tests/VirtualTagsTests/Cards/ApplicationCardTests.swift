import TestSupport
import Testing

@testable import VirtualTags

/// Answers every command with what it was asked, and counts what a field leaves of its state.
private struct Echo: VirtualApplication {
    let aid: String
    var selection = VirtualCardResponse.done
    private(set) var commands: [VirtualCardCommand] = []
    private(set) var resets = 0

    init(_ aid: String, selection: VirtualCardResponse = .done) {
        self.aid = aid
        self.selection = selection
    }

    mutating func select(_ command: VirtualCardCommand) -> VirtualCardResponse { selection }

    mutating func respond(to command: VirtualCardCommand) -> VirtualCardResponse {
        commands.append(command)
        switch command.instructionCode {
        case 0x01: return VirtualCardResponse(command.data)
        case 0x02: return VirtualCardResponse((0..<600).map { UInt8(truncatingIfNeeded: $0) })
        case 0x03: return VirtualCardResponse(hex(aid), status: 0x6282)
        default: return .instructionNotSupported
        }
    }

    mutating func reset() { resets += 1 }
}

@Suite struct `A card with programmed applications` {
    private static let first = "A00000000101"
    private static let second = "A0000000010200"
    private static let other = "D27600012401"

    private static func card(
        _ applications: [any VirtualApplication] = [Echo(first), Echo(second), Echo(other)],
        features: VirtualApplicationCard.Features = .init()
    ) throws -> VirtualApplicationCard {
        var card = try VirtualApplicationCard(features: features, applications: applications)
        card.activate()
        return card
    }

    private static func check(_ conversation: [Turn], on card: inout VirtualApplicationCard) {
        for (number, turn) in conversation.enumerated() {
            #expect(card.send(turn.command) == hex(hex(turn.answer)), "\(number): \(turn.command)")
        }
    }

    @Test func `selects by a whole and by a partial AID`() throws {
        var card = try Self.card()
        Self.check(
            [
                Turn("00 03 00 00 00", "6985"),
                Turn("00 A4 04 00 06 A00000000101 00", "9000"),
                Turn("00 03 00 00 00", "A00000000101 6282"),
                Turn("00 A4 04 00 07 A0000000010200 00", "9000"),
                Turn("00 03 00 00 00", "A0000000010200 6282"),
                Turn("00 A4 04 00 05 A000000001 00", "9000"),
                Turn("00 03 00 00 00", "A00000000101 6282"),
                Turn("00 A4 04 02 05 A000000001 00", "9000"),
                Turn("00 03 00 00 00", "A0000000010200 6282"),
                Turn("00 A4 04 02 05 A000000001 00", "6A82"),
                Turn("00 A4 04 03 05 A000000001 00", "9000"),
                Turn("00 03 00 00 00", "A00000000101 6282"),
                Turn("00 A4 04 01 05 A000000001 00", "9000"),
                Turn("00 03 00 00 00", "A0000000010200 6282"),
                Turn("00 A4 04 00 07 A0000000010100 00", "6A82"),
                Turn("00 A4 04 00 00", "6A82"),
                Turn("00 A4 04 10 05 A000000001 00", "6A86"),
                Turn("00 03 00 00 00", "A0000000010200 6282"),
            ], on: &card)
    }

    @Test func `an application decides about its SELECT`() throws {
        let information = Echo(Self.first, selection: VirtualCardResponse(hex("6F00")))
        var card = try Self.card([
            information, Echo(Self.second, selection: .status(0x6283)), Echo(Self.other, selection: .notFound),
        ])
        Self.check(
            [
                Turn("00 A4 04 00 06 A00000000101 00", "6F00 9000"),
                Turn("00 A4 04 0C 06 A00000000101", "9000"),
                Turn("00 A4 04 00 06 D27600012401 00", "6A82"),
                Turn("00 03 00 00 00", "A00000000101 6282"),
                Turn("00 A4 04 00 07 A0000000010200 00", "6283"),
                Turn("00 03 00 00 00", "A0000000010200 6282"),
            ], on: &card)
    }

    @Test func `a master file answers while nothing is selected`() throws {
        var card = try Self.card([Echo(Self.first), Echo("")])
        Self.check(
            [
                Turn("00 03 00 00 00", "6282"),
                Turn("00 A4 04 00 06 A00000000101 00", "9000"),
                Turn("00 03 00 00 00", "A00000000101 6282"),
                Turn("00 A4 04 00 00", "9000"),
                Turn("00 03 00 00 00", "6282"),
            ], on: &card)
    }

    @Test func `joins the commands of a chain`() throws {
        var card = try Self.card()
        Self.check(
            [
                Turn("00 A4 04 00 06 A00000000101 00", "9000"),
                Turn("10 01 00 00 02 0102", "9000"),
                Turn("10 01 00 00 01 03", "9000"),
                Turn("00 01 00 00 02 0405 00", "0102030405 9000"),
                Turn("10 01 00 00 02 0102", "9000"),
                Turn("00 01 00 01 02 0405 00", "6883"),
                Turn("00 01 00 01 02 0405 00", "0405 9000"),
                Turn("90 01 00 00 01 07 00", "07 9000"),
            ], on: &card)
        #expect((card.applications[0] as? Echo)?.commands.first?.instructionClass == 0x00)
    }

    @Test func `a chain ends where it becomes too long`() throws {
        var card = try Self.card()
        _ = card.send("00 A4 04 00 06 A00000000101 00")
        let link = "10 01 00 00 00 8000" + String(repeating: "AA", count: 0x8000)
        #expect(card.send(link) == "9000")
        #expect(card.send(link) == "6700")
        #expect(card.send("00 01 00 00 01 07 00") == "079000")
    }

    @Test func `gives long responses in pieces`() throws {
        var card = try Self.card()
        _ = card.send("00 A4 04 00 06 A00000000101 00")
        let whole = hex((0..<600).map { UInt8(truncatingIfNeeded: $0) })
        #expect(card.send("00 02 00 00 00 0000") == whole + "9000")
        #expect(card.send("00 02 00 00 00") == whole.prefix(512) + "6100")
        #expect(card.send("00 C0 00 00 00") == whole.dropFirst(512).prefix(512) + "6158")
        #expect(card.send("00 C0 00 00 58") == whole.dropFirst(1024) + "9000")
        #expect(card.send("00 C0 00 00 00") == "6D00")
        #expect(card.send("00 02 00 00 10") == whole.prefix(32) + "6100")
        #expect(card.send("00 03 00 00 00") == "A000000001016282")
        #expect(card.send("00 C0 00 00 00") == "6D00")
    }

    @Test func `refuses what the card is said not to take`() throws {
        var card = try Self.card(features: .init(supportsChaining: false, supportsExtendedLength: false))
        Self.check(
            [
                Turn("00 A4 04 00 06 A00000000101 00", "9000"),
                Turn("10 01 00 00 02 0102", "6884"),
                Turn("00 01 00 00 00 0001 07 0000", "6700"),
                Turn("00 02 00 00 00 0000", "6700"),
                Turn("00 01 00 00 01 07 00", "07 9000"),
                Turn("00 01", "6700"),
            ], on: &card)
    }

    @Test func `forgets with the field`() throws {
        var card = try Self.card()
        #expect(card.send("00 A4 04 00 06 A00000000101 00") == "9000")
        #expect(card.send("10 01 00 00 02 0102") == "9000")
        card.fieldDropped()
        #expect(card.send("00 03 00 00 00") == "silence")
        card.activate()
        #expect(card.send("00 03 00 00 00") == "6985")
        #expect(card.applications.map { ($0 as? Echo)?.resets } == [1, 1, 1])
    }

    @Test func `has a UID and historical bytes as a card has them`() throws {
        let card = try VirtualApplicationCard(
            identifier: hex("01020304"), historicalBytes: hex("5975"), applications: [Echo(Self.first)])
        let reader = card.inReader()
        reader.powerOn()
        #expect(hex(reader.answerToReset) == "3B82800159752F")
        #expect(hex(reader.transmit(hex("FF CA 00 00 00"))) == "010203049000")
        #expect(throws: VirtualTagError.wrongIdentifierSize(size: 5, expected: 7)) {
            try VirtualApplicationCard(identifier: hex("0102030405"), applications: [])
        }
        #expect(throws: VirtualTagError.tooManyHistoricalBytes(16)) {
            try VirtualApplicationCard(historicalBytes: Array(repeating: 0, count: 16), applications: [])
        }
    }

    @Test(arguments: ["A0000000", "A0000000010", "xyz", "A000000001A000000001A000000001A000000001"])
    func `an AID that no card has is refused`(_ aid: String) {
        #expect(throws: VirtualTagError.wrongApplicationIdentifier(aid)) {
            try VirtualApplicationCard(applications: [Echo(aid)])
        }
    }

    @Test func `two applications need two AIDs`() {
        #expect(throws: VirtualTagError.repeatedApplicationIdentifier("a00000000101")) {
            try VirtualApplicationCard(applications: [Echo(Self.first), Echo("a00000000101")])
        }
    }
}

@Suite struct `A script` {
    @Test func `gives its answers, those of one command in their order`() throws {
        var script = try ScriptedApplication(
            aid: "A000000001", select: "6F009000",
            script: ["00 84 00 00 08": "0102 9000", "0020008000": "63C3", "0084000008": "0304 9000"])
        let challenge = VirtualCardCommand(instructionCode: 0x84, expectedLength: 8)
        #expect(script.select(challenge) == VirtualCardResponse(hex("6F00")))
        #expect(
            script.respond(to: VirtualCardCommand(instructionCode: 0x20, p2: 0x80, expectedLength: 256))
                == .status(0x63C3))
        #expect(script.respond(to: challenge).data == [1, 2])
        #expect(script.respond(to: challenge).data == [3, 4])
        #expect(script.respond(to: challenge).data == [3, 4])
        #expect(script.unexpectedCommands.isEmpty)
    }

    @Test func `keeps commands that it does not have`() throws {
        var script = try ScriptedApplication(aid: "A000000001", script: ["0084000008": "9000"])
        #expect(
            script.respond(to: VirtualCardCommand(instructionCode: 0x84, expectedLength: 9)) == .instructionNotSupported
        )
        #expect(script.unexpectedCommands.map(\.description) == ["0084000009"])
    }

    @Test(arguments: [("0084", "9000"), ("00840000", "90"), ("00840000 0", "9000"), ("008400000201", "9000")])
    func `an entry that is not a command or not a response is named`(command: String, response: String) throws {
        let error = #expect(throws: CardScriptError.self) {
            try ScriptedApplication(aid: "A000000001", script: [command: response])
        }
        #expect([command, response].contains(error?.text ?? ""))
    }
}

@Suite struct `A command of a card` {
    @Test(arguments: ["00A40400", "00B0000010", "00200080020102", "0020008002010200", "00B0000000"])
    func `is written as it was read`(_ text: String) throws {
        #expect(try #require(VirtualCardCommand(hex(text))).description == text)
    }

    @Test func `has extended lengths where it needs them`() {
        let write = VirtualCardCommand(instructionCode: 0xD6, data: [UInt8](repeating: 0, count: 256))
        #expect(write.description.hasPrefix("00D60000000100"))
        for (length, text) in [(257, "00B00000000101"), (65_536, "00B00000000000")] {
            let read = VirtualCardCommand(instructionCode: 0xB0, expectedLength: length)
            #expect(read.description == text)
            #expect(VirtualCardCommand(read.bytes) == read)
        }
    }

    @Test func `is the same with short and extended lengths`() {
        #expect(VirtualCardCommand(hex("00B0000010")) == VirtualCardCommand(hex("00B00000000010")))
        #expect(VirtualCardCommand(hex("00B0000000")) != VirtualCardCommand(hex("00B00000")))
    }
}
