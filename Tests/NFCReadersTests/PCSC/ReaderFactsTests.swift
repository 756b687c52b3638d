import Testing
import TestSupport

@testable import NFCReaders
@testable import PCSCReaders

@Suite struct `The facts of a reader` {
    static func features(_ answer: [UInt8]) -> ReaderFacts {
        var facts = ReaderFacts()
        facts.add(features: answer)
        return facts
    }

    /// Feature 12 at 42000D49, feature 13 at 42000001.
    static let lists: [(answer: String, properties: UInt32?, escape: UInt32?)] = [
        ("1204420000491304 42000001", 0x4200_0049, 0x4200_0001),
        ("120442000DB2", 0x4200_0DB2, nil),
        ("0604420000010A044200000213044200 0DAC", nil, 0x4200_0DAC),
        // The first of two entries counts.
        ("130442000001130442000DAC", nil, 0x4200_0001),
        ("", nil, nil),
        ("13", nil, nil),
        ("1304", nil, nil),
        // A length beyond the end.
        ("1304420000", nil, nil),
        ("13FF42000001", nil, nil),
        ("1300120442000002", 0x4200_0002, nil),
        ("1303420001120442000002", 0x4200_0002, nil),
        ("1305420000010012044200000212", 0x4200_0002, nil),
        ("00000000000000", nil, nil),
        ("FFFFFFFF", nil, nil),
    ]

    @Test(arguments: lists)
    func `contain the control codes of the feature list`(
        answer: String, properties: UInt32?, escape: UInt32?
    ) {
        let facts = Self.features(hex(answer))
        #expect(facts.propertiesCode == properties)
        #expect(facts.escapeCode == escape)
    }

    @Test func `ignore the rest of a feature list of ten kilobytes`() {
        let empty = Array(repeating: [UInt8](arrayLiteral: 0x55, 0x00), count: 5_000).flatMap { $0 }
        #expect(Self.features(empty + hex("130442000001")).escapeCode == nil)
        #expect(Self.features(hex("130442000001") + empty).escapeCode == 0x4200_0001)
        #expect(Self.features(Array(repeating: 0x13, count: 10_240)).escapeCode == nil)
        #expect(TagLengthValues(empty).reduce(0) { count, _ in count + 1 } == 2_048)
    }

    struct Row: Sendable {
        let answer: String
        var vendor: UInt16?
        var product: UInt16?
        var firmware: String?
    }

    static let properties = [
        Row(answer: "0B022F070C0200220A0400000100", vendor: 0x072F, product: 0x2200),
        Row(answer: "0A04FFFFFFFF"),
        Row(answer: "0809322E313020202000", firmware: nil),
        Row(answer: "0807322E3130202000", firmware: "2.10"),
        Row(answer: "0803010203", firmware: nil),
        Row(answer: "0B012F0C0300220000"),
        Row(answer: "0B022F070C", vendor: 0x072F),
        Row(answer: ""),
    ]

    @Test(arguments: properties) func `contain the properties of the right length`(row: Row) {
        var facts = ReaderFacts()
        facts.add(properties: hex(row.answer))
        #expect(facts.vendorID == row.vendor)
        #expect(facts.productID == row.product)
        #expect(facts.firmware == row.firmware)
    }

    @Test func `contain the serial number as text`() {
        var facts = Self.features(hex("130442000001"))
        facts.add(properties: hex("0B022F070C020022"))
        facts.add(serial: hex("4131320A3420 00 FF"))
        #expect(facts.vendorID == 0x072F)
        #expect(facts.productID == 0x2200)
        #expect(facts.escapeCode == 0x4200_0001)
        #expect(facts.serial == "A124")
        var nothing = ReaderFacts()
        nothing.add(features: [])
        nothing.add(properties: [])
        nothing.add(serial: hex("0000"))
        #expect(nothing == ReaderFacts())
    }
}
