import Testing

@testable import NFCReaders

@Suite struct `What a reader says of itself` {
    /// Feature 12 at 42000D49, feature 13 at 42000001.
    static let lists: [(answer: String, properties: UInt32?, escape: UInt32?)] = [
        ("1204420000491304 42000001", 0x4200_0049, 0x4200_0001),
        ("120442000DB2", 0x4200_0DB2, nil),
        ("0604420000010A044200000213044200 0DAC", nil, 0x4200_0DAC),
        // The first of two counts.
        ("130442000001130442000DAC", nil, 0x4200_0001),
        ("", nil, nil),
        ("13", nil, nil),
        ("1304", nil, nil),
        // A length that lies.
        ("1304420000", nil, nil),
        ("13FF42000001", nil, nil),
        ("1300120442000002", 0x4200_0002, nil),
        ("1303420001120442000002", 0x4200_0002, nil),
        ("1305420000010012044200000212", 0x4200_0002, nil),
        ("00000000000000", nil, nil),
        ("FFFFFFFF", nil, nil),
    ]

    @Test(arguments: lists)
    func `a list of features gives the control codes that are there`(
        answer: String, properties: UInt32?, escape: UInt32?
    ) {
        let features = ReaderFeatures(hex(answer))
        #expect(features.code(.properties) == properties)
        #expect(features.code(.escape) == escape)
    }

    @Test func `ten kilobytes are looked at as far as any driver goes`() {
        let empty = Array(repeating: [UInt8](arrayLiteral: 0x55, 0x00), count: 5_000).flatMap { $0 }
        #expect(ReaderFeatures(empty + hex("130442000001")).code(.escape) == nil)
        #expect(ReaderFeatures(hex("130442000001") + empty).code(.escape) == 0x4200_0001)
        #expect(ReaderFeatures(Array(repeating: 0x13, count: 10_240)).code(.escape) == nil)
        #expect(TagLengthValues(empty).reduce(0) { count, _ in count + 1 } == 2_048)
    }

    struct Row: Sendable {
        let answer: String
        var vendor: UInt16?
        var product: UInt16?
        var firmware: String?
        var longest: Int?
    }

    static let properties = [
        Row(answer: "0B022F070C0200220A0400000100", vendor: 0x072F, product: 0x2200, longest: 0x10000),
        Row(answer: "0A0400000000", longest: 0),
        Row(answer: "0A04FFFFFFFF", longest: 0xFFFF_FFFF),
        Row(answer: "0809322E313020202000", firmware: nil),
        Row(answer: "0807322E3130202000", firmware: "2.10"),
        Row(answer: "0803010203", firmware: nil),
        Row(answer: "0B012F0C0300220000"),
        Row(answer: "0B022F070C", vendor: 0x072F),
        Row(answer: ""),
    ]

    @Test(arguments: properties) func `properties of the right length count`(row: Row) {
        let properties = ReaderProperties(hex(row.answer))
        #expect(properties.vendorID == row.vendor)
        #expect(properties.productID == row.product)
        #expect(properties.firmware == row.firmware)
        #expect(properties.maximumAPDU == row.longest)
    }

    @Test func `the facts are put together, and a serial number is text`() {
        let facts = ReaderFacts(
            features: ReaderFeatures(hex("130442000001")), properties: ReaderProperties(hex("0B022F070C020022")),
            serial: hex("4131320A3420 00 FF"))
        #expect(facts.vendorID == 0x072F)
        #expect(facts.productID == 0x2200)
        #expect(facts.escapeCode == 0x4200_0001)
        #expect(facts.serial == "A124")
        let nothing = ReaderFacts(features: ReaderFeatures([]), properties: ReaderProperties([]), serial: hex("0000"))
        #expect(nothing == ReaderFacts())
    }
}
