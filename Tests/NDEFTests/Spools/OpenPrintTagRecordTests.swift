import NDEFProperties
import Testing

@testable import NDEF

@Suite("OpenPrintTag")
struct OpenPrintTagRecordTests {
    /// Meta with aux at 32; main of 28 bytes, and aux of 16.
    private static func payload(main: String = "A0", aux: String = "A0") throws -> [UInt8] {
        let (main, aux) = (try bytes(main), try bytes(aux))
        return try bytes("A1021820") + main + [UInt8](repeating: 0, count: 28 - main.count) + aux
            + [UInt8](repeating: 0, count: 16 - aux.count)
    }

    @Test(arguments: [
        ("main", "BF 08 00 FF", "material_class", OpenPrintTagFieldResult.value(.item(0))),
        ("main", "BF 09 19 03E7 FF", "material_type", .value(.item(999))),
        ("main", "BF 09 20 FF", "material_type", .wrongType([0x20])),
        ("main", "BF 0A 61 61 FF", "material_name", .value(.text("a"))),
        ("main", "BF 0A 62 C328 FF", "material_name", .wrongType([0x62, 0xC3, 0x28])),
        ("main", "BF 0A 41 61 FF", "material_name", .wrongType([0x41, 0x61])),
        ("main", "BF 18 37 63 435A45 FF", "country_of_origin", .outOfRange(.text("CZE"))),
        ("main", "BF 00 50 000102030405060708090A0B0C0D0E0F FF", "instance_uuid", .value(.uuid(Array(0...15)))),
        ("main", "BF 00 4F 000102030405060708090A0B0C0D0E FF", "instance_uuid", .wrongType([0x4F] + Array(0...14))),
        ("main", "BF 13 43 FF8000 FF", "primary_color", .value(.color([0xFF, 0x80, 0x00]))),
        ("main", "BF 13 42 FF80 FF", "primary_color", .outOfRange(.color([0xFF, 0x80]))),
        ("main", "BF 13 F6 FF", "primary_color", .value(.noColor)),
        ("main", "BF 10 F6 FF", "nominal_netto_full_weight", .wrongType([0xF6])),
        ("main", "BF 18 1C 9F 17 181F FF FF", "tags", .value(.items([23, 31]))),
        ("main", "BF 18 1C 82 17 20 FF", "tags", .wrongType([0x82, 0x17, 0x20])),
        (
            "main", "BF 18 38 89 010101010101010101 FF", "certifications",
            .outOfRange(.items(Array(repeating: 1, count: 9)))
        ),
        ("main", "BF 18 22 24 FF", "min_print_temperature", .value(.integer(-5))),
        ("main", "BF 18 22 F9 5C00 FF", "min_print_temperature", .value(.integer(256))),
        ("main", "BF 18 22 F9 3E00 FF", "min_print_temperature", .wrongType([0xF9, 0x3E, 0x00])),
        ("main", "BF 18 2A 24 FF", "container_width", .outOfRange(.integer(-5))),
        ("main", "BF 18 1D F9 3CF6 FF", "density", .value(.number(1.24))),
        ("main", "BF 04 1B 000007D0FCAB45F9 FF", "gtin", .value(.number(8_594_173_675_001))),
        ("main", "BF 18 3B 83 1832 FA4134CCCD 22 FF", "primary_color_lab", .value(.lab([50, 11.3, -3]))),
        ("main", "BF 18 3B 82 01 02 FF", "primary_color_lab", .wrongType([0x82, 1, 2])),
        ("main", "BF 0E 1A 67ACB31A FF", "manufactured_date", .value(.integer(1_739_371_290))),
        ("aux", "BF 00 18 64 FF", "consumed_weight", .value(.number(100))),
        ("aux", "BF 00 29 FF", "consumed_weight", .outOfRange(.number(-10))),
        ("aux", "BF 00 F9 7C00 FF", "consumed_weight", .outOfRange(.number(.infinity))),
        ("aux", "BF 00 F5 FF", "consumed_weight", .wrongType([0xF5])),
        ("aux", "BF 00 63 313030 FF", "consumed_weight", .wrongType([0x63, 0x31, 0x30, 0x30])),
        ("aux", "BF 00 C1 05 FF", "consumed_weight", .wrongType([0xC1, 0x05])),
        // The last one of a key counts, in whatever form the key is.
        ("aux", "BF 00 01 1800 02 FF", "consumed_weight", .value(.number(2))),
        ("aux", "A1 00 01", "consumed_weight", .value(.number(1))),
    ])
    func `a field is a value, of another type, or out of range`(
        _ name: String, _ digits: String, _ field: String, _ result: OpenPrintTagFieldResult
    ) throws {
        let section = try #require(OpenPrintTagSection(rawValue: name))
        let region = OpenPrintTagRegion(section, offset: 0, bytes: try bytes(digits))
        #expect(region[field] == result)
        #expect(region.fields.map(\.field.name) == [field])
        let isFaulty = region.faults.contains { [.wrongType, .outOfRange].contains($0.kind) && $0.field == field }
        #expect(isFaulty == (result.value == nil))
    }

    @Test func `a bad field does not hide the others`() throws {
        let record = try OpenPrintTagRecord(
            payload: Self.payload(main: "BF 08 00 0A 01 0B 61 62 10 1903E8 FF", aux: "BF 00 F5 01 61 61 FF"))
        #expect(record.main?["material_name"] == .wrongType([1]))
        #expect(record.main?["brand_name"]?.value == .text("b"))
        #expect(record.aux?["workgroup"]?.value == .text("a"))
        // What was consumed is not known.
        #expect(record.fullWeight == 1000 && record.remainingWeight == nil)
        #expect(record.faults.map(\.kind) == [.wrongType, .wrongType])
    }

    @Test(
        arguments: [
            // Payload, main, aux, faults.
            ("A0 A0 0000", 1..<4, nil, ["main missing"]),
            ("A0", nil, nil, ["main outside"]),
            ("A1 02 05 A0 00 BF0005FF 00", 3..<5, 5..<10, ["main missing"]),
            ("A2 00 07 02 05 A0 00 A0 00", 7..<9, 5..<7, ["main missing"]),
            ("A1 00 03 A0 00", 3..<5, nil, ["main missing"]),
            ("A2 00 06 01 02 00 A0 00 FF", 6..<8, nil, ["main missing"]),
            ("A1 02 18 F0 A0 00", 4..<6, nil, ["aux outside", "main missing"]),
            ("A1 02 1B 8000000000000000 A0", 11..<12, nil, ["aux outside", "meta wrongType", "main missing"]),
            ("A1 02 1B 7FFFFFFFFFFFFFFF A0", 11..<12, nil, ["aux outside", "meta outOfRange", "main missing"]),
            ("A1 02 61 61 A0", 4..<5, nil, ["aux outside", "meta wrongType", "main missing"]),
            ("A1 00 20 A0", nil, nil, ["main outside", "meta outOfRange"]),
            ("A1 01 02 A0 00 00", 3..<5, nil, ["main missing"]),
            ("A1 01 09 A0 00 00", 3..<6, nil, ["main outside", "main missing"]),
            ("A1 01 1B 001FFFFFFFFFFFFF A0", 11..<12, nil, ["main outside", "main missing"]),
            ("A1 02 01 A0", 3..<4, 1..<3, ["aux overlapping", "main missing", "aux corrupt"]),
            ("A2 01 04 02 06 A0 A0 00", 5..<8, 6..<8, ["main outside", "aux overlapping", "main missing"]),
            ("A2 02 05 03 01 A0 00", 5..<7, 5..<6, ["aux overlapping", "main missing"]),
            ("A1 03 05 A0", 3..<4, nil, ["main missing"]),
            ("A0 BF 08 00", 1..<4, nil, ["main corrupt"]),
            ("A0 BF 08 00 09 FF", 1..<6, nil, ["main corrupt"]),
            ("A0 00", 1..<2, nil, ["main corrupt"]),
            ("A0 BF 08 00 08 01 FF", 1..<7, nil, ["main repeated"]),
            ("A0 BF 08 00 1841 00 1841 00 FF", 1..<11, nil, ["main repeated"]),
            ("A0 A2 08 00 1841 8181818181818100", 1..<14, nil, ["main tooDeep"]),
        ] as [(String, Range<Int>?, Range<Int>?, [String])])
    func `regions are where meta says, and what is wrong is named`(
        _ digits: String, _ main: Range<Int>?, _ aux: Range<Int>?, _ faults: [String]
    ) throws {
        let (record, warnings) = try decoded(OpenPrintTagRecord.self, digits)
        #expect(record.main?.range == main)
        #expect(record.aux?.range == aux)
        #expect(record.faults.map { "\($0.section) \($0.kind)" } == faults)
        #expect(warnings.isEmpty == faults.allSatisfy { $0.hasSuffix("missing") })
        try checkRoundTrips(record)
    }

    @Test(arguments: ["", "00", "BF", "A1", "A1 02", "FF", "81 00", "BF 02 05"])
    func `a payload without a meta section is refused`(_ digits: String) throws {
        #expect(try payloadErrorCode(OpenPrintTagRecord.self, digits) == "OPT_META_CORRUPT")
    }

    @Test func `a section has at most 512 bytes`() throws {
        let start = try bytes("A0 BF 08 00 1841 59 01F7")
        let fits = start + [UInt8](repeating: 0, count: 503) + [0xFF]
        #expect(try OpenPrintTagRecord(payload: fits).main?.usedSize == 512)
        let tooLong = try bytes("A0 BF 08 00 1841 59 01F8") + [UInt8](repeating: 0, count: 504) + [0xFF]
        let record = try OpenPrintTagRecord(payload: tooLong)
        #expect(record.main?.usedSize == nil)
        #expect(record.faults.map(\.kind) == [.corrupt])
    }

    @Test func `unknown keys are kept in their bytes`() throws {
        let region = OpenPrintTagRegion(.aux, offset: 0, bytes: try bytes("BF 19FF78 6176 00 05 6161 A0 20 8101 FF"))
        #expect(
            region.unknownFields.map { "\($0.key.hexadecimal) \($0.value.hexadecimal)" } == [
                "19FF78 6176", "6161 A0", "20 8101",
            ])
        #expect(region.fields.map(\.field.name) == ["consumed_weight"])
    }

    @Test(arguments: [
        ("A0", "A0", "OpenPrintTag"),
        (
            "BF 0A 67 50455447526564 0B 69 50727573616D656E74 10 1903E8 FF", "BF 00 F94A40 FF",
            "OpenPrintTag Prusament PETGRed, 987.5 g left"
        ),
        ("BF 10 1903E8 11 1903F4 FF", "A0", "OpenPrintTag, 1012 g left"),
        ("BF 10 05 FF", "BF 00 06 FF", "OpenPrintTag, 0 g left"),
        ("BF 0A 64 1B5B324A FF", "BF 00 06 FF", #"OpenPrintTag \u{1B}[2J"#),
    ])
    func `the record on one line`(_ main: String, _ aux: String, _ line: String) throws {
        #expect(try OpenPrintTagRecord(payload: Self.payload(main: main, aux: aux)).description == line)
    }

    @Test func `the specification's tables are whole`() {
        #expect(OpenPrintTagSection.meta.fields.count == 4)
        #expect(OpenPrintTagSection.main.fields.count == 58)
        #expect(OpenPrintTagSection.aux.fields.count == 8)
        for section in OpenPrintTagSection.allCases {
            #expect(Set(section.fields.map(\.key)).count == section.fields.count)
            #expect(Set(section.fields.map(\.name)).count == section.fields.count)
        }
        #expect(OpenPrintTagItems.materialType.names.count == 43)
        #expect(OpenPrintTagItems.materialType.names[42] == "PA612")
        #expect(OpenPrintTagItems.materialType.number(named: "PETG") == 1)
        #expect(OpenPrintTagItems.tags.names[18] == nil)
        #expect(OpenPrintTagItems.tags.names[71] == "high_speed")
        #expect(OpenPrintTagItems.materialCertifications.names.count == 3)
        #expect(OpenPrintTagSection.main.field(named: "density")?.unit == "g/cm³")
        #expect(
            OpenPrintTagSection.main.fields.filter { $0.requirement == .required }.map(\.name) == ["material_class"])
    }

    @Test func `damage is read or refused`() throws {
        try checkDamage(
            OpenPrintTagRecord.self,
            "A1021816 BF 08 00 0A 6161 181C9F17FF 00000000 00000000 00 BF 00 1864 01 6161 FF 00")
    }

    @Test(arguments: [0x00, 0x1B, 0x5F, 0x9F, 0xBF, 0xFF] as [UInt8])
    func `a whole image with a byte changed, or cut, is read or refused`(_ byte: UInt8) throws {
        let sample = try #require(Seeds.payloads("openPrintTag")?.max { $0.count < $1.count })
        for index in sample.indices {
            var damaged = sample
            damaged[index] = byte
            for payload in [damaged, Array(sample.prefix(index)) + [byte]] {
                guard let record = try? OpenPrintTagRecord(payload: payload) else { continue }
                #expect(record.payload == payload)
                if index.isMultiple(of: 16) { #expect(record.brokenUpdatePromises == []) }
            }
        }
    }

    @Test func `random payloads are read or refused`() throws {
        try checkRandomPayloads(OpenPrintTagRecord.self, startingWith: "A1020A", seed: 39)
        try checkRandomPayloads(OpenPrintTagRecord.self, startingWith: "A0BF", seed: 40)
    }
}
