import NDEFProperties
import Testing

@testable import NDEF

@Suite("OpenPrintTag, changes")
struct OpenPrintTagEditTests {
    /// Meta and main of 3 bytes each, and aux of 24 with leftovers behind the section.
    private static func record(aux: String) throws -> OpenPrintTagRecord {
        let aux = try bytes(aux)
        let payload = try bytes("A10206 A0 0000") + aux + [UInt8](repeating: 0x5A, count: 24 - aux.count)
        return try OpenPrintTagRecord(payload: payload)
    }

    private static let weight = "consumed_weight"

    @Test(
        arguments: [
            // An empty map of either form becomes one that a break ends.
            ("A0", weight, .set(.number(100)), "BF 00 1864 FF"),
            ("BF FF", weight, .set(.number(100)), "BF 00 1864 FF"),
            // A number takes the shortest form.
            ("BF 00 1864 FF", weight, .set(.number(5)), "BF 00 05 FF"),
            ("BF 00 05 FF", weight, .set(.number(300)), "BF 00 19012C FF"),
            ("BF 00 19012C FF", weight, .set(.number(12.5)), "BF 00 F94A40 FF"),
            ("BF 00 19012C FF", weight, .set(.number(999.9)), "BF 00 FA4479F99A FF"),
            ("BF 00 F94A40 FF", weight, .set(.number(13)), "BF 00 0D FF"),
            // A wider form than needed is kept, as far as it goes.
            ("BF 00 1A00000064 FF", weight, .set(.number(300)), "BF 00 1A0000012C FF"),
            ("BF 00 1A00000064 FF", weight, .set(.number(5)), "BF 00 1A00000005 FF"),
            ("BF 00 1A00000064 FF", weight, .set(.number(12.5)), "BF 00 FA41480000 FF"),
            ("BF 00 FA41480000 FF", weight, .set(.number(13)), "BF 00 FA41500000 FF"),
            ("BF 00 FA4479F99A FF", weight, .set(.number(1000)), "BF 00 FA447A0000 FF"),
            ("BF 00 FA41480000 FF", weight, .set(.number(16_777_217)), "BF 00 1A01000001 FF"),
            ("BF 00 190005 FF", weight, .set(.number(70_000)), "BF 00 1A00011170 FF"),
            ("BF 00 FB4029000000000000 FF", weight, .set(.number(5)), "BF 00 1B0000000000000005 FF"),
            // The same value is not written again.
            ("BF 00 F94A40 FF", weight, .set(.number(12.5)), "BF 00 F94A40 FF"),
            ("BF 00 1B0000000000000005 FF", weight, .set(.number(5)), "BF 00 1B0000000000000005 FF"),
            // What was there may be of another type.
            ("BF 00 F6 FF", weight, .set(.number(5)), "BF 00 05 FF"),
            ("BF 00 29 FF", weight, .set(.number(5)), "BF 00 05 FF"),
            // The key keeps its form, and other fields stay as they are.
            (
                "BF 1800 05 01 7F6161FF 19FF78 A10102 FF", weight, .set(.number(6)),
                "BF 1800 06 01 7F6161FF 19FF78 A10102 FF"
            ),
            // A new field takes its place in canonical order, or the last one.
            ("BF 01 6161 04 6162 FF", weight, .set(.number(5)), "BF 00 05 01 6161 04 6162 FF"),
            ("BF 00 05 04 6162 FF", "workgroup", .set(.text("a")), "BF 00 05 01 6161 04 6162 FF"),
            ("BF 00 05 FF", "storage_location", .set(.text("b")), "BF 00 05 04 6162 FF"),
            ("BF 00 05 19FF78 01 FF", "storage_location", .set(.text("b")), "BF 00 05 04 6162 19FF78 01 FF"),
            ("BF 04 6162 01 6161 FF", weight, .set(.number(5)), "BF 04 6162 01 6161 00 05 FF"),
            // A definite map stays one as long as the number of fields does.
            ("A2 00 05 01 6161", weight, .set(.number(300)), "A2 00 19012C 01 6161"),
            ("B801 00 05", weight, .set(.number(6)), "B801 00 06"),
            ("A1 00 05", "workgroup", .set(.text("a")), "BF 00 05 01 6161 FF"),
            ("A2 00 05 01 6161", weight, .remove, "BF 01 6161 FF"),
            ("A1 00 05", weight, .remove, "A0"),
            ("BF 00 05 FF", weight, .remove, "BF FF"),
            ("BF 00 05 01 6161 FF", weight, .remove, "BF 01 6161 FF"),
            ("BF 01 6161 FF", weight, .remove, "BF 01 6161 FF"),
            // Of a key that comes again, the one that counts stays.
            ("BF 00 05 01 6161 00 06 FF", weight, .set(.number(7)), "BF 01 6161 00 07 FF"),
            ("BF 00 05 01 6161 1800 06 FF", weight, .remove, "BF 01 6161 FF"),
            ("BF 05 1A67ACB31A FF", "purchase_time", .set(.integer(1_739_371_291)), "BF 05 1A67ACB31B FF"),
        ] as [(String, String, OpenPrintTagChange, String)])
    func `a field is changed, and all other bytes stay`(
        _ old: String, _ field: String, _ change: OpenPrintTagChange, _ new: String
    ) throws {
        let record = try Self.record(aux: old)
        let changed = try record.changing(.aux, [field: change])
        let (before, section) = (try bytes(old), try bytes(new))
        // Behind the section is what was there: leftovers of the section before, or what was behind it.
        let rest = record.payload.dropFirst(6 + section.count)
        #expect(changed.payload == record.payload.prefix(6) + section + rest)
        #expect(changed.aux?.usedSize == section.count)
        #expect(before.count <= 24)
        #expect(record.brokenUpdatePromises == [])
    }

    @Test func `numbers in five bytes change in one block up to 65535`() throws {
        var record = try Self.record(aux: "BF 00 1864 FF").changing(
            .aux, [Self.weight: .set(.number(0))], numbers: .fiveBytes)
        #expect(record.payload.dropFirst(6).prefix(8) == (try bytes("BF 00 1A00000000 FF"))[...])
        for weight in [1, 255, 256, 65_535, 0, 4_096] as [Double] {
            let next = try record.changing(.aux, [Self.weight: .set(.number(weight))])
            #expect(try record.states(to: next, blockSize: 4, offset: 2).count == 1)
            record = next
        }
    }

    @Test func `several fields are changed at once`() throws {
        let changes: [String: OpenPrintTagChange] = [
            Self.weight: .set(.number(250)), "workgroup": .set(.text("myhome")), "storage_location": .remove,
        ]
        let changed = try Self.record(aux: "BF 04 6162 FF").changing(.aux, changes)
        #expect(changed.payload.dropFirst(6).prefix(12) == (try bytes("BF 00 18FA 01 666D79686F6D65"))[...])
    }

    @Test func `fields of main are changed, too`() throws {
        let record = try OpenPrintTagRecord(payload: bytes("A0 BF 08 00 FF 00 00 00 00 00 00 00 00 00 00 00 00"))
        let changes: [String: OpenPrintTagChange] = [
            "material_class": .set(.item(1)), "tags": .set(.items([23, 71])), "primary_color": .set(.color([1, 2, 3])),
        ]
        let changed = try record.changing(.main, changes)
        #expect(changed.payload == (try bytes("A0 BF 08 01 13 43010203 181C 9F 17 1847 FF FF")))
    }

    @Test(arguments: [
        (OpenPrintTagSection.aux, "consumed_weigth", OpenPrintTagChange.remove, "OPT_NO_FIELD"),
        (.aux, "density", .remove, "OPT_NO_FIELD"),
        (.aux, weight, .set(.number(-1)), "OPT_VALUE"),
        (.aux, weight, .set(.number(.nan)), "OPT_VALUE"),
        (.aux, weight, .set(.number(.infinity)), "OPT_VALUE"),
        (.aux, weight, .set(.text("5")), "OPT_VALUE"),
        (.aux, "workgroup", .set(.text("ninechars")), "OPT_VALUE"),
        (.aux, "workgroup", .set(.text("ñññññ")), "OPT_VALUE"),
        (.main, "instance_uuid", .set(.uuid([1])), "OPT_VALUE"),
        (.main, "tags", .set(.items(Array(repeating: 1, count: 17))), "OPT_VALUE"),
        (.meta, "aux_region_offset", .set(.integer(9)), "OPT_NO_REGION"),
        (.main, "material_name", .set(.text("a")), "OPT_REGION_FULL"),
    ])
    func `what the section cannot hold is refused`(
        _ section: OpenPrintTagSection, _ field: String, _ change: OpenPrintTagChange, _ code: String
    ) throws {
        let record = try Self.record(aux: "A0")
        #expect(try refusalCode { try record.changing(section, [field: change]) } == code)
    }

    @Test(arguments: [
        ("A0 A0 00 00 00 00", "OPT_NO_REGION"), ("A1 02 18 F0 A0 00", "OPT_NO_REGION"),
        // Main takes what is meant for aux.
        ("A2 01 08 02 06 A0 A0 00 00 00 00 00 00 00 00 00", "OPT_NO_REGION"),
        ("A1 02 05 A0 00 BF 00 18 64 00 00 00", "OPT_SECTION_CORRUPT"),
        ("A1 02 05 A0 00 00 00 00 00 00 00 00", "OPT_SECTION_CORRUPT"),
        ("A1 02 05 A0 00 A0 00 00", "OPT_REGION_FULL"),
    ])
    func `a payload without room for a change is refused`(_ digits: String, _ code: String) throws {
        let record = try OpenPrintTagRecord(payload: bytes(digits))
        #expect(try refusalCode { try record.changing(.aux, [Self.weight: .set(.number(100))]) } == code)
    }

    @Test(
        arguments: [
            // From the first pair that changes to the last byte that does; the byte that ends the section there.
            ("BF 00 1864 01 6161 FF", weight, OpenPrintTagChange.set(.number(101)), 7, "001864", "001865", "FF"),
            ("BF 01 6161 00 1864 FF", weight, .set(.number(101)), 10, "001864", "001865", "FF"),
            ("BF 01 6161 FF", weight, .set(.number(5)), 7, "016161FF5A", "0005016161", "FF"),
            ("BF FF", weight, .set(.number(5)), 7, "FF5A5A", "0005FF", "FF"),
            ("A1 00 05", weight, .set(.number(6)), 6, "A10005", "A10006", "A0"),
            ("A0", weight, .set(.number(6)), 6, "A05A5A5A", "BF0006FF", "A0"),
        ] as [(String, String, OpenPrintTagChange, Int, String, String, String)])
    func `a difference begins where the section can end`(
        _ aux: String, _ field: String, _ change: OpenPrintTagChange, _ offset: Int, _ old: String, _ new: String,
        _ ending: String
    ) throws {
        let record = try Self.record(aux: aux)
        let found = try record.differences(to: record.changing(.aux, [field: change]))
        try #require(found.count == 1)
        let (oldStart, newStart, end) = (try bytes(old), try bytes(new), try bytes(ending))
        #expect(found[0].offset == offset)
        #expect(found[0].old.starts(with: oldStart) && found[0].new.starts(with: newStart), "\(found[0])")
        #expect([found[0].ending] == end)
        #expect(found[0].old.last != found[0].new.last && found[0].old.count == found[0].new.count)
        #expect(try record.differences(to: record).isEmpty)
    }

    @Test func `a section that cannot be read can be emptied`() throws {
        let record = try OpenPrintTagRecord(payload: bytes("A1 02 05 A0 00 BF 00 18 64 00 00 00"))
        let empty = try record.emptying(.aux)
        #expect(empty.payload == (try bytes("A1 02 05 A0 00 A0 00 18 64 00 00 00")))
        #expect(try empty.changing(.aux, [Self.weight: .set(.number(5))]).aux?[Self.weight]?.value == .number(5))
        #expect(try refusalCode { try record.emptying(.meta) } == "OPT_NO_REGION")
    }
}

@Suite("OpenPrintTag, changes of the shared vectors", .enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing))
struct OpenPrintTagUpdateVectorTests {
    @Test(arguments: SpoolVectors.rows("openprinttag.update"))
    func `a change gives the data and the section that the reference tool gives`(_ row: SpoolRow) throws {
        let (payload, offset) = try row.imagePayload()
        var record = try OpenPrintTagRecord(payload: payload)
        for section in [OpenPrintTagSection.main, .aux] {
            record = try record.changing(section, row.changes(of: section))
        }
        let json = try jsonValue(record)
        #expect(json["data"] == row.expect["data"])
        #expect(json["unknown_fields"] == row.expect["unknown_fields"])
        guard let image = try row.changedImage() else { return }
        let expected = try OpenPrintTagRecord(payload: Array(image[offset..<offset + payload.count]))
        // The tool fills the region with zeros; we leave what was there.
        #expect(record.main?.section(of: record) == expected.main?.section(of: expected))
        #expect(record.aux?.section(of: record) == expected.aux?.section(of: expected))
    }
}

extension OpenPrintTagRegion {
    fileprivate func section(of record: OpenPrintTagRecord) -> [UInt8] { Array(bytes.prefix(usedSize ?? 0)) }
}

extension SpoolRow {
    /// The changes that the row gives for a section.
    fileprivate func changes(of section: OpenPrintTagSection) throws -> [String: OpenPrintTagChange] {
        let update = try #require(given["update"])
        var changes: [String: OpenPrintTagChange] = [:]
        if case .object(let fields)? = update["data"]?[section.rawValue] {
            for (name, value) in fields {
                let field = try #require(section.field(named: name))
                changes[name] = .set(try #require(value.value(of: field)))
            }
        }
        if case .array(let names)? = update["remove"]?[section.rawValue] {
            for name in names.compactMap(\.string) { changes[name] = .remove }
        }
        return changes
    }

    /// The image with the blocks that the row expects; nil where it names none.
    fileprivate func changedImage() throws -> [UInt8]? {
        guard case .object(let blocks)? = expect["changed_blocks_of_4"] else { return nil }
        var image = try givenBytes("image")
        for (number, digits) in blocks {
            let start = try #require(Int(number)) * 4
            image.replaceSubrange(start..<start + 4, with: try bytes(#require(digits.string)))
        }
        return image
    }
}

extension VectorValue {
    /// The value of a field in the reference tool's form, for the forms that the rows have.
    fileprivate func value(of field: OpenPrintTagField) -> OpenPrintTagValue? {
        switch (field.form, self) {
        case (.number, .number(let number)): .number(number)
        case (.integer, .number(let number)), (.timestamp, .number(let number)): .integer(Int64(number))
        case (.text, .string(let text)): .text(text)
        default: nil
        }
    }
}
