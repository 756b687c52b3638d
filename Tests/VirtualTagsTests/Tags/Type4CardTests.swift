import Testing
import TestSupport

@testable import VirtualTags

/// A Type 4 tag of no particular make, command by command.
@Suite struct Type4CardTests {
    static func card(message: String = "D00000", _ change: (inout VirtualType4Card.Configuration) -> Void = { _ in })
        throws
        -> VirtualType4Card
    {
        var configuration = VirtualType4Card.Configuration()
        configuration.fileSize = 32
        configuration.maximumReadSize = 0x20
        configuration.maximumWriteSize = 0x10
        change(&configuration)
        var card = try VirtualType4Card(configuration, ndefMessage: hex(message))
        card.activate()
        return card
    }

    static let conversation: [Turn] = [
        Turn("00 B0 00 00 0F", "6986"),
        Turn("00 A4 00 0C 02 E1 03", "6A82"),
        Turn("00 A4 04 00 07 D2 76 00 00 85 01 00 00", "6A82"),
        Turn("00 A4 04 00 07 D2 76 00 00 85 01 01 00", "9000"),
        Turn("00 B0 00 00 0F", "6986"),
        Turn("00 A4 00 0C 02 E1 05", "6A82"),
        Turn("00 A4 00 0C 01 E1", "6700"),
        Turn("00 A4 00 04 02 E1 03", "6A86"),
        Turn("00 A4 03 0C 02 E1 03", "6A86"),
        Turn("00 A4 00 0C 02 E1 03", "9000"),
        Turn("00 B0 00 00 0F", "000F20002000100406E104002000009000"),
        Turn("00 B0 00 00 10", "000F20002000100406E104002000006282"),
        Turn("00 B0 00 0F 01", "6B00"),
        Turn("00 B0 00 00 00", "000F20002000100406E104002000009000"),
        Turn("00 B0 00 00 21", "6700"),
        Turn("00 B0 00 00", "6700"),
        Turn("00 B0 80 00 01", "6A86"),
        Turn("00 D6 00 0D 01 FF", "6982"),
        Turn("00 D6 00 0E 02 FF FF", "6982"),
        Turn("00 A4 00 00 02 E1 04", "9000"),
        Turn("00 B0 00 00 05", "0003D000009000"),
        Turn("00 D6 00 00 02 00 00 00", "6700"),
        Turn("00 D6 00 00", "6700"),
        Turn("00 D6 00 00 02 00 01", "9000"),
        Turn("00 D6 00 1F 01 AA", "9000"),
        Turn("00 D6 00 1F 02 AA BB", "6A84"),
        Turn("00 D6 00 20 01 AA", "6B00"),
        Turn("00 D6 00 00 11" + String(repeating: " 00", count: 17), "6700"),
        Turn("00 B0 00 1E 02", "00AA9000"),
        Turn("00 B0 00 00 03", "0001D09000"),
        Turn("00 B1 00 00 05 54 03 00 00 00 04", "6D00"),
        Turn("10 D6 00 00 01 00", "6884"),
        Turn("80 B0 00 00 01", "6E00"),
        Turn("00 CA 00 00 00", "6D00"),
        Turn("00 C0 00 00 01", "6985"),
        Turn("00 D6 00 00 03 00", "6700"),
        Turn("00", "6700"),
    ]

    @Test func `a conversation goes as ISO 7816-4 has it`() throws {
        var card = try Self.card()
        for (number, turn) in Self.conversation.enumerated() {
            #expect(card.send(turn.command) == turn.answer, "\(number): \(turn.command)")
        }
    }

    static let opening = ["00 A4 04 00 07 D2 76 00 00 85 01 01 00", "00 A4 00 0C 02 E1 04"]
    static let toContainer = [opening[0], "00 A4 00 0C 02 E1 03"]

    static func open(_ card: inout VirtualType4Card, _ commands: [String] = opening) {
        for command in commands { #expect(card.send(command) == "9000") }
    }

    @Test func `nothing stays selected without the field`() throws {
        var card = try Self.card()
        Self.open(&card)
        #expect(card.send("00 B0 00 00 02") == "00039000")
        card.fieldDropped()
        #expect(card.send("00 B0 00 00 02") == "silence")
        card.activate()
        #expect(card.send("00 B0 00 00 02") == "6986")
    }

    static let containers: [(String, @Sendable (inout VirtualType4Card.Configuration) -> Void)] = [
        ("000F20002000100406E10400200000", { _ in }),
        ("000F10002000100406E10400200000", { $0.mappingVersion = 0x10 }),
        ("0011300020 0010 0608E104000000200000", { $0.mappingVersion = 0x30 }),
        ("000F20002000100406E104002000FF", { $0.writeAccess = 0xFF }),
        ("000F2000FB00100406E104002000FF", { ($0.writeAccess, $0.maximumReadSize) = (0xFF, 0xFB) }),
        ("001720002000100406E104002000000506E10500808283", { $0.hasProprietaryFile = true }),
    ]

    @Test(arguments: containers.indices) func `the container matches the configuration`(index: Int) throws {
        let (bytes, change) = Self.containers[index]
        #expect(hex(try Self.card(change).capabilityContainer) == bytes.filter { $0 != " " })
    }

    @Test func `mapping version 1 has its own application`() throws {
        var card = try Self.card { $0.mappingVersion = 0x10 }
        #expect(card.send(Self.opening[0]) == "6A82")
        #expect(card.send("00 A4 04 00 07 D2 76 00 00 85 01 00 00") == "9000")
        #expect(card.send("00 A4 00 00 02 E1 03") == "9000")
    }

    @Test func `the message follows 2 or 4 bytes of length`() throws {
        #expect(hex(try Self.card().messageFile.prefix(6)) == "0003D0000000")
        #expect(hex(try Self.card { $0.mappingVersion = 0x30 }.messageFile.prefix(8)) == "00000003D0000000")
        #expect(try Self.card().messageFile.count == 32)
    }

    static let access: [(read: UInt8, write: UInt8, reading: String, writing: String)] = [
        (0x00, 0x00, "00039000", "9000"), (0x00, 0xFF, "00039000", "6982"), (0x00, 0x80, "00039000", "6982"),
        (0xFF, 0x00, "6982", "6982"), (0x80, 0xFF, "6982", "6982"),
    ]

    @Test(arguments: access) func `the access conditions are kept`(
        read: UInt8, write: UInt8, reading: String, writing: String
    ) throws {
        var card = try Self.card { ($0.readAccess, $0.writeAccess) = (read, write) }
        Self.open(&card)
        #expect(card.send("00 B0 00 00 02") == reading)
        #expect(card.send("00 D6 00 00 02 00 00") == writing)
    }

    @Test(arguments: [UInt8(0x20), 0x30]) func `writing can be denied once and for all`(version: UInt8) throws {
        var card = try Self.card { $0.mappingVersion = version }
        let offset = version == 0x20 ? "0E" : "10"
        Self.open(&card, Self.toContainer)
        #expect(card.send("00 D6 00 \(offset) 01 00") == "6982")
        #expect(card.send("00 D6 00 \(offset) 01 FF") == "9000")
        #expect(card.send("00 D6 00 \(offset) 01 FF") == "6982")
        #expect(card.send("00 B0 00 \(offset) 01") == "FF9000")
        Self.open(&card)
        #expect(card.send("00 D6 00 00 02 00 00") == "6982")
        #expect(card.send("00 B0 00 00 01") == "009000")
        card.fieldDropped()
        card.activate()
        Self.open(&card)
        #expect(card.send("00 D6 00 00 02 00 00") == "6982")
    }

    @Test func `a container that is not lockable is refused`() throws {
        var card = try Self.card { $0.isLockable = false }
        Self.open(&card, Self.toContainer)
        #expect(card.send("00 D6 00 0E 01 FF") == "6982")
    }

    @Test func `a long answer comes in pieces`() throws {
        var card = try Self.card { $0.responsePiece = 4 }
        Self.open(&card)
        #expect(card.send("00 B0 00 00 0A") == "0003D0006106")
        #expect(card.send("00 C0 00 00 03") == "0000006103")
        #expect(card.send("00 C0 00 00 00") == "0000009000")
        #expect(card.send("00 C0 00 00 00") == "6985")
        #expect(card.send("00 B0 00 00 0A") == "0003D0006106")
        #expect(card.send("00 B0 00 00 01") == "009000")
        #expect(card.send("00 C0 00 00 06") == "6985")
    }

    @Test func `a length beyond the end may be corrected`() throws {
        var card = try Self.card { $0.correctsLength = true }
        Self.open(&card)
        #expect(card.send("00 B0 00 1E 20") == "6C02")
        #expect(card.send("00 B0 00 1E 02") == "00009000")
    }

    @Test func `MLe and MLc may be lies`() throws {
        var card = try Self.card { ($0.actualReadSize, $0.actualWriteSize) = (4, 1) }
        Self.open(&card)
        #expect(card.send("00 B0 00 00 05") == "6700")
        #expect(card.send("00 B0 00 00 00") == "0003D0009000")
        #expect(card.send("00 D6 00 00 02 00 00") == "6700")
        #expect(hex(card.capabilityContainer.prefix(7)) == "000F2000200010")
    }

    static let objects: [Turn] = [
        Turn("00 B1 00 00 05 54 03 01 00 00 06", "5304A1A2A3A49000"),
        Turn("00 B1 00 00 05 54 03 01 00 00 03", "5301A19000"),
        Turn("00 B1 00 00 03 54 01 00 04", "530200009000"),
        Turn("00 B1 00 00 04 54 02 00 02 04", "530200039000"),
        Turn("00 B1 00 00 05 54 03 01 11 6E 06", "530200006282"),
        Turn("00 B1 00 00 05 54 03 01 11 70 06", "6B00"),
        Turn("00 B1 00 00 05 54 03 01 00 00", "6700"),
        Turn("00 B1 00 01 05 54 03 01 00 00 06", "6A86"),
        Turn("00 B1 00 00 05 53 03 01 00 00 06", "6A80"),
        Turn("00 B1 00 00 04 54 03 01 00 06", "6A80"),
        Turn("00 B1 00 00 06 54 04 00 01 00 00 06", "6A80"),
        Turn("00 D7 00 00 09 54 03 01 00 04 53 02 B1 B2", "9000"),
        Turn("00 D7 00 00 0A 54 03 01 00 06 53 81 02 B3 B4", "6A80"),
        Turn("00 D7 00 00 09 54 03 01 00 06 53 03 B3 B4", "6A80"),
        Turn("00 D7 00 00 07 54 03 01 00 06 53 00", "6A80"),
        Turn("00 D7 00 00 09 54 03 01 11 6F 53 02 B3 B4", "6A84"),
        Turn("00 B1 00 00 05 54 03 01 00 00 08", "5306A1A2A3A4B1B29000"),
    ]

    @Test func `a large file takes offset data objects`() throws {
        var card = try Self.card {
            ($0.mappingVersion, $0.fileSize) = (0x30, 70_000)
            ($0.maximumReadSize, $0.maximumWriteSize) = (255, 255)
        }
        Self.open(&card)
        #expect(card.send("00 D7 00 00 0B 54 03 01 00 00 53 04 A1 A2 A3 A4") == "9000")
        for turn in Self.objects { #expect(card.send(turn.command) == turn.answer, "\(turn.command)") }
    }

    @Test func `a message has to fit`() throws {
        #expect(try Self.card(message: String(repeating: "00", count: 30)).messageFile.count == 32)
        #expect(throws: VirtualTagError.messageTooLarge(size: 31, capacity: 30)) {
            try Self.card(message: String(repeating: "00", count: 31))
        }
    }

    @Test func `random commands never trap`() throws {
        var card = try Self.card { ($0.mappingVersion, $0.fileSize) = (0x30, 40_000) }
        Self.open(&card)
        for seed in 0..<20_000 {
            var bytes = hex(["00B0", "00B1", "00D6", "00D7", "00A4", "00C0"][seed % 6])
            for index in 0..<(seed % 19) { bytes.append(UInt8(truncatingIfNeeded: (seed &* 2_654_435_761) >> index)) }
            guard case .data(let answer) = card.exchange(bytes) else { continue }
            #expect(answer.count >= 2)
        }
    }
}

/// The seven cases of a command APDU, as a card takes them apart.
@Suite struct CardCommandTests {
    static let rows: [(bytes: String, data: String, expected: Int?)] = [
        ("00A40400", "", nil), ("00B0000000", "", 256), ("00B000000F", "", 15),
        ("00D6000002ABCD", "ABCD", nil), ("00A4000C02E10300", "E103", 256), ("00A4000C02E1037F", "E103", 127),
        ("00B00000000400", "", 1024), ("00B00000000000", "", 65_536), ("00D60000000002ABCD", "ABCD", nil),
        ("00D60000000002ABCD0000", "ABCD", 65_536), ("00D60000000001AB0100", "AB", 256),
    ]

    @Test(arguments: rows) func `a command has data and an expected length`(
        bytes: String, data: String, expected: Int?
    ) throws {
        let command = try #require(VirtualCardCommand(hex(bytes)))
        #expect(hex(command.data) == data)
        #expect(command.expectedLength == expected)
    }

    @Test(arguments: [
        "", "00", "00A404", "00D6000002AB", "00D6000002ABCD0000", "00D60000000002AB", "00B000000004",
        "00D6000000000000",
        "00D60000000001ABCD", "00D600000000000102",
    ]) func `contradicting lengths are not a command`(bytes: String) {
        #expect(VirtualCardCommand(hex(bytes)) == nil)
    }
}
