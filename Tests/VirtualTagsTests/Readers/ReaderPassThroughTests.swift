import Testing
import TestSupport

@testable import VirtualTags

/// What the pass-through readers make of frames.
@Suite struct PassThroughTests {
    static func reader(_ name: String, _ product: VirtualType2Product = .ntag213) throws -> VirtualReader {
        let model = try #require(VirtualReaderModel.named(name))
        let reader = VirtualReader(
            tag: try VirtualType2Tag.selected(product, message: hex("D00000")), settings: model.settings)
        reader.powerOn()
        return reader
    }

    static func converse(_ reader: VirtualReader, _ turns: [Turn]) {
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

    @Test func `an ACR1252U takes raw frames`() throws {
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

    @Test func `an OMNIKEY 5321 takes frames with their length`() throws {
        Self.converse(
            try Self.reader("omnikey-5321"),
            [
                Turn("FF A0 00 05 04 01 00 01 60", "0004040201000F039000"),
                Turn("FF A0 00 05 04 01 00 02 60", "6700"), Turn("FF A0 00 05 03 01 00 00", "6700"),
                Turn("FF A0 00 06 04 01 00 01 60", "6700"), Turn("FF A0 00 05 04 01 00 01 61", "6300"),
                Turn("FF B0 00 03 04", "E11012009000"),
            ])
    }

    @Test func `a uTrust reader returns one page at a time, and identifies itself`() throws {
        let information = "0100070300000000011C" + String(repeating: "30", count: 28)
        Self.converse(
            try Self.reader("identiv"),
            [
                Turn("FF B0 00 03 04", "E11012009000"), Turn("FF B0 00 03 00", "E11012009000"),
                Turn("FF B0 00 03 10", "6C04"), Turn("FF CC 00 00 01 1E 00", information + "9000"),
                Turn("FF CC 00 00 01 1F 00", "6A81"), Turn("FF 46 01 01 04 0B 00 80 00", "6D00"),
            ])
    }

    static func reader(_ name: String, with tag: any VirtualTag) throws -> any VirtualCard {
        let card = try #require(VirtualReaderModel.named(name)?.card(tag))
        card.powerOn()
        return card
    }

    @Test func `a uTrust reader polls, reads and writes a FeliCa card by itself`() throws {
        let tag = try VirtualFeliCaTag(product: .lite, identifier: hex("0102030405060708"))
        let card = try Self.reader("identiv", with: tag)
        let idm = "0102030405060708"
        let block = "000102030405060708090A0B0C0D0E0F"
        for (command, answer) in [
            ("FF 40 00 00 04 FF FF 00 00", idm + "00F0000000014300" + "9000"),
            ("FF 40 00 00 04 12 FC 00 00", "6300"), ("FF 40 00 00 02 FF FF", "6700"),
            ("FF 48 01 01 14 09 00 80 05" + block, idm + "00009000"),
            ("FF 46 01 01 04 0B 00 80 05", idm + "000001" + block + "9000"), ("FF 46 01 02 04 0B 00 80 05", "6700"),
            ("FF 4C 00 00 00", "6D00"),
        ] { #expect(hex(card.transmit(hex(command))) == answer, "\(command)") }
    }

    @Test func `a session speaks the language of the tag, and no other`() throws {
        let tags: [(any VirtualTag, String)] = [
            (try VirtualISO15693Tag(product: .slix), "02 03"), (try VirtualFeliCaTag(product: .lite), "03 00"),
            (try VirtualMIFAREClassicTag(product: .oneK), "00 03"),
        ]
        for (tag, layer) in tags {
            let card = try Self.reader("acr1552u", with: tag)
            _ = card.transmit(hex("FF C2 00 00 02 81 00 00"))
            for other in ["00 03", "02 03", "03 00", "01 03"] where other != layer {
                #expect(hex(card.transmit(hex("FF C2 00 02 04 8F 02 \(other) 00"))) == "C0030164019000")
            }
            let acknowledge = tag is VirtualMIFAREClassicTag ? "08" : "00"
            #expect(
                hex(card.transmit(hex("FF C2 00 02 04 8F 02 \(layer) 00"))) == "C0030090008F01\(acknowledge)9000")
        }
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

/// The pseudo-APDUs of a reader that carries a tag's own frames.
@Suite struct DataExchangeReaderTests {
    static func reader(_ settings: VirtualReader.Settings = .init()) throws -> VirtualReader {
        let tag = try VirtualFeliCaTag(product: .lite, identifier: hex("0102030405060708"))
        let reader = VirtualReader(tag: tag, settings: settings)
        reader.powerOn()
        return reader
    }

    @Test func `by default the card is a FeliCa`() throws {
        #expect(hex(try Self.reader().answerToReset) == "3B8F8001804F0CA00000030611003B0000000042")
    }

    static let responses: [(String, String)] = [
        ("FF CA 00 00 00", "01020304050607089000"), ("FF CA 00 00 08", "01020304050607089000"),
        ("FF CA 00 00 04", "6C08"), ("FF CA 01 00 00", "6A81"), ("FF CA 00 00", "6700"),
        ("FF 00 00 00 09 D4 40 01 06 00 FF FF 00 00", "D541001201010203040506070800F00000000143009000"),
        ("FF 00 00 00 09 D4 40 01 06 00 12 FC 00 00", "D541019000"),
        ("FF 00 00 00 03 D4 40 01", "D541019000"),
        ("FF 00 00 00 09 D4 42 01 06 00 FF FF 00 00", "6300"), ("FF 00 01 00 03 D4 40 01", "6300"),
        ("FF 00 00 00 09 D4 40 01 06 00 FF FF 00 00 00", "6700"), ("FF 00 00 00 04 D4 40 01", "6700"),
        ("FF 00 00 00", "6700"), ("FF B0 00 00 10", "6D00"), ("00 A4 04 00 00", "6E00"), ("", "6700"), ("FF", "6700"),
    ]

    @Test(arguments: responses) func `an APDU has its response`(apdu: String, response: String) throws {
        let reader = try Self.reader()
        #expect(hex(reader.transmit(hex(apdu))) == response)
        #expect(reader.isPresent)
    }

    @Test func `without power there is no diagnosis`() throws {
        let reader = try Self.reader()
        reader.powerOff()
        #expect(hex(reader.transmit(hex("FF CA 00 00 00"))) == "6F00")
        reader.reset()
        #expect(hex(reader.transmit(hex("FF CA 00 00 00"))) == "01020304050607089000")
    }

    @Test func `APDUs and frames are counted and traced`() throws {
        let reader = try Self.reader(.init(traceLimit: 2))
        _ = reader.transmit(hex("FF CA 00 00 00"))
        _ = reader.transmit(hex("FF 00 00 00 09 D4 40 01 06 00 12 FC 00 00"))
        #expect(reader.exchanges.apdus == 2)
        #expect(reader.exchanges.frames == 1)
        #expect(
            reader.trace == [
                .frame(command: hex("06 00 12 FC 00 00"), answer: .silence),
                .apdu(command: hex("FF 00 00 00 09 D4 40 01 06 00 12 FC 00 00"), response: hex("D5 41 01 90 00")),
            ])
        #expect(reader.tag.identifier == hex("0102030405060708"))
    }
}
