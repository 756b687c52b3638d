import Testing

@testable import VirtualTags

/// A reader with an ISO/IEC 14443-4 card.
@Suite struct ContactlessCardReaderTests {
    static func reader(_ settings: VirtualReader.Settings = .init()) throws -> VirtualReader {
        let card = try DESFireCard(product: .desfireEV1, identifier: hex("04112233445580"))
        let reader = VirtualReader(tag: card, settings: settings)
        reader.powerOn()
        return reader
    }

    static let historical: [(String, String)] = [
        ("", "3B80800101"), ("80", "3B8180018080"),
        ("00112233445566778899AABBCCDDEE", "3B8F800100112233445566778899AABBCCDDEEF1"),
    ]

    struct Card: ContactlessCard {
        let identifier: [UInt8] = [8, 1, 2, 3]
        let historicalBytes: [UInt8]
        mutating func activate() {}
        mutating func exchange(_ command: [UInt8]) -> TagAnswer { .silence }
        mutating func fieldDropped() {}
    }

    @Test(arguments: historical) func `the ATR is made of the historical bytes`(bytes: String, atr: String) {
        let reader = VirtualReader(tag: Card(historicalBytes: hex(bytes)))
        #expect(hex(reader.answerToReset) == atr)
        #expect(reader.answerToReset.dropFirst().reduce(0, ^) == 0)
    }

    static let responses: [(String, String)] = [
        ("FF CA 00 00 00", "041122334455809000"), ("FF CA 00 00 07", "041122334455809000"), ("FF CA 00 00 04", "6C07"),
        ("FF CA 01 00 00", "809000"), ("FF CA 02 00 00", "6A81"), ("FF CA 00 01 00", "6A81"), ("FF CA 00 00", "6700"),
        ("FF CA", "6700"), ("FF B0 00 00 10", "6D00"), ("FF CA 00 00 01 00", "6700"),
        ("00 A4 04 00 07 D2 76 00 00 85 01 01 00", "9000"), ("90 6A 00 00 00", "0100009100"), ("00 A4", "6700"),
        ("", "6700"),
        ("00 A4 04 00 00 00 07 D2 76 00 00 85 01 01", "9000"),
    ]

    @Test(arguments: responses) func `class FF is for the reader, the rest for the card`(
        apdu: String, response: String
    ) throws {
        let reader = try Self.reader()
        #expect(hex(reader.transmit(hex(apdu))) == response)
        #expect(reader.isPresent)
    }

    @Test func `a reader may refuse extended length`() throws {
        let reader = try Self.reader(.init(allowsExtendedLength: false))
        #expect(hex(reader.transmit(hex("00 A4 04 00 00 00 07 D2 76 00 00 85 01 01"))) == "6700")
        #expect(hex(reader.transmit(hex("00 A4 04 00 07 D2 76 00 00 85 01 01"))) == "9000")
        #expect(hex(reader.transmit(hex("90 6F 00 00 00"))) == "01029100")
    }

    @Test func `a silent card is a failed command`() {
        let reader = VirtualReader(tag: Card(historicalBytes: []))
        reader.powerOn()
        #expect(hex(reader.transmit(hex("00 A4 04 00"))) == "6300")
        #expect(hex(reader.transmit(hex("FF CA 01 00 00"))) == "6A81")
    }

    @Test func `power takes the selection away`() throws {
        let reader = try Self.reader(.init(traceLimit: 20))
        #expect(hex(reader.transmit(hex("00 A4 04 00 07 D2 76 00 00 85 01 01"))) == "9000")
        #expect(hex(reader.transmit(hex("00 A4 00 0C 02 E1 03"))) == "9000")
        reader.reset()
        #expect(hex(reader.transmit(hex("00 A4 00 0C 02 E1 03"))) == "6A82")
        reader.powerOff()
        #expect(hex(reader.transmit(hex("00 A4 00 0C 02 E1 03"))) == "6F00")
        #expect(reader.exchanges.apdus == 4)
        #expect(reader.exchanges.frames == 3)
        #expect(reader.trace.contains(.fieldOff))
        #expect(reader.tag.identifier == hex("04112233445580"))
    }

    static let models: [(String, String)] = [
        ("type4", "3B80800101"), ("type4-extended", "3B80800101"), ("desfire-ev1", "3B8180018080"),
        ("ntag424", "3B8180018080"), ("ntag213", "3B8F8001804F0CA0000003060300030000000068"),
    ]

    @Test(arguments: models) func `a model comes behind the reader that fits it`(name: String, atr: String) throws {
        let card = try VirtualTagModel.named(name).makeTag().inReader()
        #expect(hex(card.answerToReset) == atr)
        card.powerOn()
        #expect(card.transmit(hex("FF CA 00 00 00")).count == 9)
    }
}
