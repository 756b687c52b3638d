import Testing

@testable import VirtualTags

/// The pseudo-APDUs of a reader that carries a tag's own frames.
@Suite struct DataExchangeReaderTests {
    static func reader(_ settings: VirtualReader.Settings = .init()) throws -> VirtualReader {
        let tag = try FeliCaTag(product: .lite, identifier: hex("0102030405060708"))
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
