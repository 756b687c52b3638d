import Foundation
import NFCTags
import TestSupport
import Testing

@Suite struct `The capability container of a Type 4 tag` {
    struct Row: Sendable, CustomTestStringConvertible {
        var bytes: String
        var identifier: UInt16 = 0xE104
        var size: Int
        var capacity: Int
        var isWritable = true
        var testDescription: String { bytes }
    }

    static let valid: [Row] = [
        Row(bytes: "000F20003B00340406E104080000 00", size: 2048, capacity: 2046),
        Row(bytes: "000F20003B00340406E1040FFF00FF", size: 4095, capacity: 4093, isWritable: false),
        Row(bytes: "000F20003B00340406E104010000 80", size: 256, capacity: 254, isWritable: false),
        Row(bytes: "000F10003B00340406E104040000 00", size: 1024, capacity: 1022),
        Row(bytes: "000F21003B00340406E104000500 00", size: 5, capacity: 3),
        Row(bytes: "0017200100 00FF0406E1040100 0000 0506E10500808283", size: 256, capacity: 254),
        Row(bytes: "0017200100 00FF 0506E10500808283 0406E1040100 0000", size: 256, capacity: 254),
        Row(bytes: "0012 20003B0034 8001AA 0406E10B0800 0000", identifier: 0xE10B, size: 2048, capacity: 2046),
        Row(bytes: "0011 3000FF00FF 0608E104 00011170 0000", size: 70_000, capacity: 69_996),
        Row(bytes: "0011 3000FF00FF 0608E104 FFFFFFFF 0000", size: 0xFFFF_FFFF, capacity: 1_048_576),
        Row(bytes: "000F20003B00010406E104080000 00", size: 2048, capacity: 2046, isWritable: false),
        Row(bytes: "0011 3000FF0003 0608E104 00001000 0000", size: 4096, capacity: 4092, isWritable: false),
        Row(bytes: "0011 3000FF0007 0608E104 00011170 0000", size: 70_000, capacity: 69_996, isWritable: false),
    ]

    @Test(arguments: valid)
    func `gives the location of the message`(row: Row) throws {
        let container = try #require(Type4CapabilityContainer(hex(row.bytes)))
        #expect(container.isValid, "\(container.faults)")
        #expect(container.file?.identifier == row.identifier)
        #expect(container.file?.size == row.size)
        #expect(container.file?.capacity == row.capacity)
        #expect(container.isWritable == row.isWritable)
    }

    static let invalid: [(String, String)] = [
        ("000E20003B00340406E104080000", "14 bytes, 15 is the least"),
        ("000020003B00340406E1040800 0000", "0 bytes, 15 is the least"),
        ("000F00003B00340406E1040800 0000", "mapping version 0.0"),
        ("000F40003B00340406E1040800 0000", "mapping version 4.0"),
        ("000F20000E00340406E1040800 0000", "MLe is 14"),
        ("000F20003B00340306E1040800 0000", "names no NDEF file"),
        ("000F20003B00340506E1040800 0000", "names no NDEF file"),
        ("000F20003B00340405E1040800 0000", "TLV has 5 bytes"),
        ("000F20003B00340400E1040800 0000", "TLV has 0 bytes"),
        ("000F20003B00340407E1040800 0000", "names no NDEF file"),
        ("000F20003B003404FFFFFF0800 0000", "names no NDEF file"),
        ("000F20003B00340608E1040800 0000", "names no NDEF file"),
        ("000F20003B00340406000008000000", "reserved identifier 0000"),
        ("000F20003B00340406E10208000000", "reserved identifier E102"),
        ("000F20003B00340406E10308000000", "reserved identifier E103"),
        ("000F20003B003404063F0008000000", "reserved identifier 3F00"),
        ("000F20003B003404063FFF08000000", "reserved identifier 3FFF"),
        ("000F20003B00340406FFFF08000000", "reserved identifier FFFF"),
        ("000F20003B00340406E10400040000", "too few for a message"),
        ("0011 3000FF00FF 0608E104 00000006 0000", "too few for a message"),
        ("000F20003B00340406E1040800FF00", "denies reading"),
        ("000F20003B00340406E10408008000", "reading needs a key"),
        ("0012 20003B0034 80FF0000 06 0406E1", "names no NDEF file"),
    ]

    @Test(arguments: invalid)
    func `is refused with a reason`(bytes: String, reason: String) throws {
        let container = try #require(Type4CapabilityContainer(hex(bytes)))
        #expect(!container.isValid)
        let words = container.faults.map(\.description).joined(separator: "; ")
        #expect(words.contains(reason), "\(words)")
    }

    @Test func `lists every fault`() throws {
        let container = try #require(Type4CapabilityContainer(hex("000E40000100000406FFFF0001FFFF")))
        #expect(
            container.faults == [.tooShort(14), .unsupportedVersion(0x40), .readSizeTooSmall(1), .noFile])
    }

    @Test(arguments: ["", "000F", "000F20003B00"])
    func `needs at least 7 bytes`(bytes: String) {
        #expect(Type4CapabilityContainer(hex(bytes)) == nil)
    }

    @Test func `random bytes never trap`() {
        var generator = SplitMix(seed: 4)
        for _ in 0..<5_000 {
            var bytes = generator.bytes(count: Int.random(in: 0...40, using: &generator))
            if Bool.random(using: &generator), bytes.count > 9 {
                bytes.replaceSubrange(0..<9, with: hex("001F2000FF00FF0406"))
            }
            guard let container = Type4CapabilityContainer(bytes) else { continue }
            #expect(container.isValid == container.faults.isEmpty)
        }
    }
}

/// The shared containers, read if they are available.
@Suite struct `Shared capability containers` {
    struct Row: Decodable, Sendable {
        var name: String
        var tagType: String
        var hex: String
        var expect: String

        enum CodingKeys: String, CodingKey {
            case name, hex, expect
            case tagType = "tag_type"
        }
    }

    static var file: URL { `Shared tag images`.folder.appendingPathComponent("capability-containers.jsonl") }
    static var isPresent: Bool { FileManager.default.isReadableFile(atPath: file.path) }

    @Test(.enabled(if: isPresent, "capability-containers.jsonl is missing; set NFCD_VECTORS to its folder"))
    func `of Type 4 are accepted or refused as expected`() throws {
        let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
        let rows = try lines.map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
            .filter { $0.tagType == "T4" }
        #expect(rows.count == 12)
        for row in rows {
            let container = try #require(Type4CapabilityContainer(hex(row.hex)))
            // Deliberately different: mapping version 3 with an ordinary file control TLV is read, with a warning.
            let isExpected = row.expect == "ok" || row.name == "test_resp_read_ndef_cc_v3"
            #expect(container.isValid == isExpected, "\(row.name): \(container.faults)")
            #expect(!container.isValid || !container.isWritable, "\(row.name)")
        }
    }
}
