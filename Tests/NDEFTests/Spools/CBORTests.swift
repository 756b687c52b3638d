import Testing

@testable import NDEF

@Suite("CBOR")
struct CBORTests {
    @Test(arguments: [
        ("00", "unsigned 0"), ("17", "unsigned 23"), ("18 18", "unsigned 24"), ("19 03E8", "unsigned 1000"),
        ("1A 000F4240", "unsigned 1000000"), ("1B FFFFFFFFFFFFFFFF", "unsigned 18446744073709551615"),
        // Longer than needed.
        ("18 00", "unsigned 0"), ("1B 0000000000000064", "unsigned 100"),
        ("20", "negative 0"), ("38 63", "negative 99"), ("3B FFFFFFFFFFFFFFFF", "negative 18446744073709551615"),
        ("40", "bytes "), ("43 010203", "bytes 010203"), ("58 01 FF", "bytes FF"),
        ("5F 41 01 42 0203 FF", "bytes 010203"),
        ("60", "text "), ("61 61", "text 61"), ("7F 61 61 60 61 62 FF", "text 6162"), ("62 C328", "text C328"),
        ("80", "array []"), ("82 01 02", "array [unsigned 1, unsigned 2]"), ("9F 01 FF", "array [unsigned 1]"),
        ("98 01 00", "array [unsigned 0]"), ("82 01 9F FF", "array [unsigned 1, array []]"),
        ("A0", "map"), ("A1 01 02", "map"), ("BF 01 02 FF", "map"), ("BF FF", "map"),
        ("C1 1A 514B67B0", "tagged"), ("D9 D9F7 A0", "tagged"),
        ("F4", "simple 20"), ("F5", "simple 21"), ("F6", "simple 22"), ("F7", "simple 23"), ("E0", "simple 0"),
        ("F8 FF", "simple 255"), ("F8 20", "simple 32"),
        ("F9 0000", "float 0.0"), ("F9 3C00", "float 1.0"), ("F9 C400", "float -4.0"),
        ("F9 0001", "float 5.960464477539063e-08"),
        ("F9 7C00", "float inf"), ("F9 7E00", "float nan"), ("FA 41480000", "float 12.5"),
        ("FB 4029000000000000", "float 12.5"), ("F9 3CF6", "float 1.240234375"),
    ])
    func `an item is read in any form`(_ digits: String, _ said: String) throws {
        let input = try bytes(digits)
        var reader = SectionItemReader((input + [0xAA])[...])
        #expect(try reader.value().said == said)
        #expect(reader.position == input.count)
    }

    @Test(arguments: [
        ("", CBORFault.truncated), ("18", .truncated), ("19 00", .truncated), ("1B 00000000000000", .truncated),
        ("42 00", .truncated), ("5B FFFFFFFFFFFFFFFF 00", .truncated), ("7B 7FFFFFFFFFFFFFFF", .truncated),
        ("81", .truncated), ("9B FFFFFFFFFFFFFFFF 00", .truncated), ("9F 00", .truncated), ("BF 00", .truncated),
        ("A1 00", .truncated), ("BB FFFFFFFFFFFFFFFF 0000", .truncated), ("C0", .truncated), ("F8", .truncated),
        ("1C", .malformed), ("1F", .malformed), ("3E", .malformed), ("3F", .malformed), ("5D", .malformed),
        ("FF", .malformed), ("FC", .malformed), ("FE", .malformed), ("DF 00", .malformed), ("F8 1F", .malformed),
        ("5F 61 61 FF", .malformed), ("5F 5F FF FF", .malformed), ("BF 00 FF", .malformed), ("82 00 FF", .malformed),
    ])
    func `bytes that are not an item are refused`(_ digits: String, _ fault: CBORFault) throws {
        var reader = SectionItemReader(try bytes(digits)[...])
        #expect(throws: fault) { try reader.value() }
    }

    @Test(arguments: ["81", "9F", "C1", "A100", "BF00"])
    func `items are read to a depth of eight`(_ level: String) throws {
        let ends = String(repeating: level.hasSuffix("F") || level.hasPrefix("B") ? "FF" : "", count: 7)
        var shallow = SectionItemReader(try bytes(String(repeating: level, count: 7) + "00" + ends)[...])
        #expect(throws: Never.self) { try shallow.value() }
        var deep = SectionItemReader(try bytes(String(repeating: level, count: 8) + "00" + ends + ends)[...])
        #expect(throws: CBORFault.tooDeep) { try deep.value() }
        var endless = SectionItemReader(try bytes(String(repeating: level, count: 100_000))[...])
        #expect(throws: CBORFault.tooDeep) { try endless.value() }
    }

    @Test(arguments: [
        (0, "00"), (23, "17"), (24, "1818"), (255, "18FF"), (256, "190100"), (65_535, "19FFFF"), (65_536, "1A00010000"),
        (4_294_967_296, "1B0000000100000000"), (-1, "20"), (-5, "24"), (-256, "38FF"), (-257, "390100"),
        (12.5, "F94A40"), (0.2, "F93266"), (1.24, "F93CF6"), (19.95, "FA419F999A"), (999.9, "FA4479F99A"),
        (1_234_567.891, "FB4132D687E4189375"), (0.001, "F91419"), (65_504.5, "FA477FE080"),
    ])
    func `a number is written in the shortest form that holds it to a thousandth`(_ number: Double, _ digits: String) {
        #expect(CBORWriter.number(number).hexadecimal == digits)
    }

    @Test(arguments: [
        (100, 5, "1A00000064"), (100, 3, "190064"), (100, 2, "1864"), (100, 9, "1B0000000000000064"), (5, 1, "05"),
        (-5, 5, "3A00000004"), (12.5, 5, "FA41480000"), (12.5, 3, "F94A40"), (12.5, 9, "FB4029000000000000"),
        // What does not fit takes what it needs.
        (100, 1, "1864"), (70_000, 3, "1A00011170"), (19.95, 3, "FA419F999A"), (12.5, 2, "F94A40"), (12.5, 4, "F94A40"),
    ])
    func `a number keeps a width that it fits`(_ number: Double, _ width: Int, _ digits: String) {
        #expect(CBORWriter.number(number, width: width).hexadecimal == digits)
    }
}

extension SectionItem {
    /// The item in words.
    fileprivate var said: String {
        switch self {
        case .unsigned(let number): "unsigned \(number)"
        case .negative(let number): "negative \(number)"
        case .bytes(let bytes): "bytes \(bytes.hexadecimal)"
        case .text(let bytes): "text \(bytes.hexadecimal)"
        case .array(let items): "array [\(items.map(\.said).joined(separator: ", "))]"
        case .map: "map"
        case .tagged: "tagged"
        case .float(let number): "float \(number)"
        case .simple(let number): "simple \(number)"
        }
    }
}
