import Testing
import TestSupport

@testable import VirtualTags

/// The pseudo-APDUs for MIFARE Classic cards of the storage card reader.
@Suite struct `Reader model with MIFARE Classic` {
    static func reader(_ change: (inout VirtualReader.Settings) -> Void = { _ in }) throws -> VirtualReader {
        let tag = try VirtualMIFAREClassicTag(product: .oneK, identifier: hex("01020304"), ndefMessage: hex("D00000"))
        var settings = VirtualReader.Settings()
        change(&settings)
        let reader = VirtualReader(tag: tag, settings: settings)
        reader.powerOn()
        return reader
    }

    static let names: [(VirtualMIFAREClassicProduct, String)] = [
        (.oneK, "3B8F8001804F0CA000000306030001000000006A"), (.fourK, "3B8F8001804F0CA0000003060300020000000069"),
        (.mini, "3B8F8001804F0CA000000306030026000000004D"),
    ]

    @Test(arguments: names) func `the answer to reset names the card`(product: VirtualMIFAREClassicProduct, atr: String)
        throws
    {
        #expect(hex(VirtualReader(tag: try VirtualMIFAREClassicTag(product: product)).answerToReset) == atr)
    }

    static let load = Turn("FF82000006 D3F7D3F7D3F7", "9000")
    static let open = Turn("FF86000005 0100046000", "9000")

    static let conversations: [[Turn]] = [
        [Turn("FFCA000000", "010203049000")],
        [open.expecting("6988")],
        [
            Turn("FF82200006 D3F7D3F7D3F7", "6A81"), Turn("FF82000206 D3F7D3F7D3F7", "6988"),
            Turn("FF82000001 D3", "6989"),
        ],
        [load, open, Turn("FFB0000410", "0303D00000FE000000000000000000009000")],
        [load, open, Turn("FFB0000402", "03039000"), Turn("FFB0000420", "6C10"), Turn("FFB0000810", "6300")],
        [load, Turn("FF8800046000", "9000"), Turn("FFB0000400", "0303D00000FE000000000000000000009000")],
        [load, Turn("FF86000005 0100046100", "6300")],
        [load, Turn("FF86000005 0100047000", "6A81"), Turn("FF86000004 01000460", "6700")],
        [Turn("FFB0000410", "6300")],
        [load, open, Turn("FFD6000410 000102030405060708090A0B0C0D0E0F", "9000")],
        [load, open, Turn("FFD6000404 00010203", "6700"), Turn("FFD6000410 000102030405060708090A0B0C0D0E0F", "9000")],
        [load, open, Turn("FFD6000010 000102030405060708090A0B0C0D0E0F", "6300")],
        [
            load, open, Turn("FFD7000505 0000000007", "9000"), Turn("FFB1000504", "000000079000"),
            Turn("FFD7000505 0100000003", "9000"), Turn("FFD7000505 0200000001", "9000"),
            Turn("FFD7000502 0306", "9000"), Turn("FFB1000604", "000000099000"),
            Turn("FFB0000610", "09000000F6FFFFFF0900000005FA05FA9000"),
        ],
        [load, open, Turn("FFB1000404", "6300")],
        [load, open, Turn("FFD4000404 01000000", "6D00"), Turn("FFB0010410", "6A82"), Turn("FFFF000000", "6D00")],
    ]

    @Test(arguments: conversations) func `commands are answered`(turns: [Turn]) throws {
        let reader = try Self.reader()
        for turn in turns { #expect(hex(reader.transmit(hex(turn.command))) == turn.answer, "\(turn.command)") }
    }

    @Test func `a reader of HID counts least significant byte first`() throws {
        let reader = try Self.reader { $0.classic.valueCommands = .hid }
        let turns = [
            Self.load, Self.open, Turn("FFD6000510 05000000FAFFFFFF0500000005FA05FA", "9000"),
            Turn("FFD4000504 02000000", "9000"), Turn("FFD8000504 01000000", "9000"),
            Turn("FFB0000504", "060000009000"), Turn("FFB1000504", "6D00"),
        ]
        for turn in turns { #expect(hex(reader.transmit(hex(turn.command))) == turn.answer, "\(turn.command)") }
    }

    @Test func `a card stays halted where the reader does not select it again`() throws {
        let reader = try Self.reader { $0.reactivatesAfterRefusal = false }
        _ = reader.transmit(hex(Self.load.command))
        #expect(hex(reader.transmit(hex("FF86000005 0100046100"))) == "6300")
        #expect(hex(reader.transmit(hex(Self.open.command))) == "6300")
        reader.reset()
        #expect(hex(reader.transmit(hex(Self.open.command))) == "9000")
    }

    @Test func `each authentication command can be missing`() throws {
        let old = try Self.reader { $0.classic.hasGeneralAuthenticate = false }
        #expect(hex(old.transmit(hex(Self.open.command))) == "6D00")
        let new = try Self.reader { $0.classic.hasObsoleteAuthenticate = false }
        #expect(hex(new.transmit(hex("FF8800046000"))) == "6D00")
    }
}

extension Turn {
    func expecting(_ answer: String) -> Turn { Turn(command, answer) }
}
