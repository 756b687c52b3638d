import ISO7816
import Testing
import TestSupport

@Suite struct `A data object` {
    static let lengths: [(count: Int, header: String)] = [
        (0, "5300"), (1, "5301"), (127, "537F"), (128, "538180"), (255, "5381FF"), (256, "53820100"),
        (65_535, "5382FFFF"), (65_536, "5383010000"),
    ]

    @Test(arguments: lengths)
    func `encodes its length in the fewest bytes`(count: Int, header: String) {
        let value = [UInt8](repeating: 0xA5, count: count)
        let object = DataObject(tag: 0x53, value: value)
        #expect(Array(object.bytes.prefix(hex(header).count)) == hex(header))
        #expect(object.bytes.count == hex(header).count + count)
        #expect(DataObject.headerSize(valueCount: count) == hex(header).count)
        #expect(DataObject(bytes: object.bytes) == object)
        #expect(DataObject(bytes: object.bytes.dropLast()) == nil || count == 0)
        #expect(DataObject(bytes: object.bytes + [0]) == nil)
    }

    static let accepted: [(String, String)] = [
        ("540300FFFF", "00FFFF"), ("5300", ""), ("738102ABCD", "ABCD"), ("53820001EE", "EE"), ("5383000001EE", "EE"),
    ]

    @Test(arguments: accepted)
    func `may have a longer length field than necessary`(bytes: String, value: String) {
        #expect(DataObject(bytes: hex(bytes))?.value == hex(value))
    }

    static let refused = [
        "", "53", "5301", "530100FF", "5380", "53800000", "5381", "5382", "538201", "5384000000010A", "53FF", "1F0100",
        "5F0100", "5382FFFF00", "5383FFFFFF00",
    ]

    @Test(arguments: refused)
    func `is refused if its length is wrong or has an unsupported form`(bytes: String) {
        #expect(DataObject(bytes: hex(bytes)) == nil)
    }

    @Test func `computes the largest value for a size`() {
        for room in 0...1_000 {
            let count = DataObject.valueCount(fitting: room)
            #expect(room < 2 ? count == 0 : DataObject.headerSize(valueCount: count) + count <= room)
            #expect(room < 2 || DataObject.headerSize(valueCount: count + 1) + count + 1 > room)
        }
        #expect(DataObject.valueCount(fitting: 255) == 252)
        #expect(DataObject.valueCount(fitting: -4) == 0)
    }

    @Test func `random bytes never trap`() {
        var generator = SplitMix(seed: 53)
        for _ in 0..<5_000 {
            let bytes = generator.bytes(count: Int.random(in: 0...12, using: &generator))
            if let object = DataObject(bytes: bytes) { #expect(object.value.count <= bytes.count) }
        }
    }
}
