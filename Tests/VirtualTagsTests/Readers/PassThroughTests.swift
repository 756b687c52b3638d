import Testing

@testable import VirtualTags

/// What the pass-through readers make of frames.
@Suite struct PassThroughTests {
    static func reader(_ name: String, _ product: Type2Product = .ntag213) throws -> StorageCardReader {
        let model = try #require(VirtualReaderModel.named(name))
        let reader = StorageCardReader(
            tag: try Type2Tag.selected(product, message: hex("D00000")), settings: model.settings)
        reader.powerOn()
        return reader
    }

    static func converse(_ reader: StorageCardReader, _ turns: [Turn]) {
        for turn in turns { #expect(hex(reader.transmit(hex(turn.command))) == turn.answer, "\(turn.command)") }
    }

    @Test func `an ACR122U wraps PN532 commands`() throws {
        Self.converse(
            try Self.reader("ACR122U"),
            [
                Turn("FF 00 48 00 00", hex(Array("ACR122U214".utf8))),
                Turn("FF 00 00 00 03 D4 42 60", "D543000004040201000F039000"),
                Turn("FF 00 00 00 05 D4 42 3A 03 04", "D54300E11012000103A00C9000"),
                // An acknowledge looks like a refusal, but the page is written.
                Turn("FF 00 00 00 08 D4 42 A2 08 01 02 03 04", "D543029000"),
                Turn("FF B0 00 08 04", "010203049000"),
                Turn("FF 00 00 00 08 D4 42 A2 FF 01 02 03 04", "D543029000"),
                // Now it is mute, for FF B0 as well, until it is selected again.
                Turn("FF 00 00 00 03 D4 42 60", "D543019000"),
                Turn("FF B0 00 08 04", "6300"),
                Turn("FF 00 00 00 04 D4 4A 01 00", "D54B01010044000704112233445580" + "9000"),
                Turn("FF B0 00 08 04", "010203049000"),
                Turn("FF 00 00 00 02 D4 02", "6300"),
                Turn("FF C2 00 00 02 81 00 00", "6D00"),
            ])
    }

    @Test func `a PN532 takes no more than 252 bytes from a tag`() throws {
        let reader = try Self.reader("acr122u", .ntag216)
        #expect(reader.transmit(hex("FF 00 00 00 05 D4 42 3A 00 3E")).count == 3 + 252 + 2)
        #expect(hex(reader.transmit(hex("FF 00 00 00 05 D4 42 3A 00 3F"))) == "D543079000")
    }

    @Test func `an ACR1252U takes frames as they are`() throws {
        Self.converse(
            try Self.reader("acr1252u"),
            [
                Turn("FF 00 00 00 01 60", "0004040201000F039000"),
                // The page is written, and answered as a failure.
                Turn("FF 00 00 00 06 A2 08 01 02 03 04", "6300"),
                Turn("FF B0 00 08 04", "010203049000"),
                Turn("FF 00 00 00 01 61", "6300"),
                Turn("FF B0 00 08 04", "6300"),
            ])
    }

    @Test func `an ACR1552U exchanges in a session, and nothing else while it is open`() throws {
        Self.converse(
            try Self.reader("acr1552u"),
            [
                Turn("FF C2 00 01 03 95 01 60 00", "6900"),
                Turn("FF C2 00 00 02 81 00 00", "C0030090009000"),
                Turn("FF C2 00 02 04 8F 02 00 03 00", "C0030090008F01009000"),
                Turn(
                    "FF C2 00 01 0A 5F 46 04 00 01 01 00 95 01 60 00",
                    "C003009000" + "920100" + "96020000" + "97080004040201000F03" + "9000"),
                Turn("FF CA 00 00 00", "6A81"),
                Turn("FF B0 00 04 10", "6A81"),
                Turn("FF 00 00 00 01 60", "6900"),
                // A refusal is four bits; then there is silence.
                Turn("FF C2 00 01 04 95 02 30 FF 00", "C0030090009201049602000097010" + "09000"),
                Turn("FF C2 00 01 03 95 01 60 00", "C0030164019000"),
                Turn("FF C2 00 00 02 82 00 00", "C0030090009000"),
                Turn("FF B0 00 03 04", "E11012009000"),
                Turn("FF C2 00 00 02 81 00 00", "C0030090009000"),
                Turn("FF C2 00 02 04 8F 02 02 03 00", "C0030164019000"),
            ])
    }

    @Test func `a session ends with the power`() throws {
        let reader = try Self.reader("acr1552u")
        #expect(hex(reader.transmit(hex("FF C2 00 00 02 81 00 00"))) == "C0030090009000")
        #expect(hex(reader.transmit(hex("FF B0 00 03 04"))) == "6A81")
        reader.reset()
        #expect(hex(reader.transmit(hex("FF B0 00 03 04"))) == "E11012009000")
    }

    @Test func `models have unique names and descriptions`() {
        let models = VirtualReaderModel.all
        #expect(Set(models.map(\.name)).count == models.count)
        #expect(models.allSatisfy { $0.name == $0.name.lowercased() && !$0.description.isEmpty })
        #expect(VirtualReaderModel.named("acr") == nil)
    }
}
