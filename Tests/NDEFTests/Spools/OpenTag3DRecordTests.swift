import Testing

@testable import NDEF

@Suite("OpenTag3D")
struct OpenTag3DRecordTests {
    /// Bytes of fields at their places.
    private static func payload(_ count: Int, _ fields: [(Int, String)]) throws -> [UInt8] {
        var payload = [UInt8](repeating: 0, count: count)
        for (start, digits) in [(0, "03E8")] + fields {
            let field = try bytes(digits)
            payload.replaceSubrange(start..<start + field.count, with: field)
        }
        return payload
    }

    @Test(arguments: [
        ("material_base", 0x02, "504C410000", OpenTag3DValue.text("PLA")),
        ("material_base", 0x02, "5043544645", .text("PCTFE")),
        ("material_mod", 0x07, "43460058", .text("CF")),
        ("manufacturer", 0x1B, "4BC3BC636865", .text("Küche")),
        ("color_name", 0x2B, "426C7565", .text("Blue")),
        ("color_1", 0x4B, "FFA64DFF", .color([0xFF, 0xA6, 0x4D, 0xFF])),
        ("color_2", 0x50, "00000001", .color([0, 0, 0, 1])),
        ("color_3", 0x54, "01020304", .color([1, 2, 3, 4])),
        ("color_4", 0x58, "01020304", .color([1, 2, 3, 4])),
        ("target_diameter", 0x5C, "06D6", .number(1.75)),
        ("target_weight", 0x5E, "03E8", .number(1000)),
        ("print_temp", 0x60, "2A", .number(210)),
        ("bed_temp", 0x61, "0C", .number(60)),
        ("density", 0x62, "04D8", .number(1.24)),
        ("td", 0x64, "0076", .number(11.8)),
        ("online_data_url", 0x70, "6578616D706C652E636F6D", .text("example.com")),
        ("serial", 0x90, "423737", .text("B77")),
        ("mfg_date", 0xA0, "07E80117", .text("2024-01-23")),
        ("mfg_time", 0xA4, "0A1E2D", .text("10:30:45")),
        ("spool_core_diameter", 0xA7, "64", .number(100)),
        ("measured_tolerance", 0xAB, "14", .number(20)),
        ("empty_spool_weight", 0xAC, "0069", .number(105)),
        ("measured_filament_weight", 0xAE, "03EA", .number(1002)),
        ("measured_filament_length", 0xB0, "0150", .number(336)),
        ("max_dry_temp", 0xB2, "0B", .number(55)),
        ("dry_time", 0xB3, "08", .number(8)),
        ("min_print_temp", 0xB4, "26", .number(190)),
        ("max_print_temp", 0xB5, "2D", .number(225)),
        ("min_bed_temp", 0xB6, "08", .number(40)),
        ("max_bed_temp", 0xB7, "0C", .number(60)),
        ("min_vso", 0xB8, "14", .number(20)),
        ("max_vso", 0xB9, "78", .number(120)),
        ("target_vso", 0xBA, "50", .number(80)),
    ])
    func `a field is at its place`(_ name: String, _ start: Int, _ digits: String, _ value: OpenTag3DValue) throws {
        let record = try OpenTag3DRecord(payload: Self.payload(0xBB, [(start, digits)]))
        #expect(record[name] == value)
        #expect(OpenTag3DField.all.filter { record[$0.name] != nil }.map(\.name) == [name])
        try checkRoundTrips(record)
        let blank = try OpenTag3DRecord(payload: Self.payload(0xBB, []))
        let text = Self.words(value)
        #expect(try blank.setting(name, to: text)[name] == value)
        #expect(try record.setting(name, to: "") == blank)
        #expect(try record.setting(name, to: text)[name] == value)
    }

    /// The value as a person writes it.
    private static func words(_ value: OpenTag3DValue) -> String {
        switch value {
        case .text(let text): text
        case .number(let number): number.shortText
        case .color(let bytes): "#\(bytes.hexadecimal)"
        }
    }

    @Test(arguments: [
        ("target_weight", "65536"), ("target_weight", "-1"), ("target_weight", "1.5"), ("target_weight", "nan"),
        ("target_weight", "inf"), ("target_weight", "1e300"), ("target_weight", "x"), ("print_temp", "211"),
        ("target_diameter", "1.7555"), ("material_base", "PETG-CF"), ("manufacturer", "a\0b"), ("color_1", "FFA64D"),
        ("color_1", "#FFA6"), ("mfg_date", "2024-13-01"), ("mfg_date", "2024-1-1"), ("mfg_time", "25:00:00"),
        ("mfg_time", "10:30"),
    ])
    func `a value that a field cannot have is refused`(_ name: String, _ text: String) throws {
        let record = try OpenTag3DRecord(payload: Self.payload(0xBB, []))
        let error = #expect(throws: NDEFPayloadError.self) { try record.setting(name, to: text) }
        #expect(error?.code == .openTag3DValue)
    }

    @Test func `a field behind the end of the payload is not set`() throws {
        let core = try OpenTag3DRecord(payload: Self.payload(0x70, []))
        for name in ["empty_spool_weight", "weight"] {
            let error = #expect(throws: NDEFPayloadError.self) { try core.setting(name, to: "5") }
            #expect(error?.code == .openTag3DNoField)
        }
    }

    @Test func `fields do not overlap`() {
        let ranges = OpenTag3DField.all.map(\.range)
        for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.upperBound <= next.lowerBound) }
        #expect(OpenTag3DField.byName.count == OpenTag3DField.all.count)
    }

    @Test(arguments: [
        (0xA0, "07E80D17"), (0xA0, "07E80100"), (0xA0, "00000101"), (0xA0, "FFFF0101"), (0xA4, "181E2D"),
        (0xA4, "0A3C2D"),
        (0xA4, "0A1EFF"), (0x02, "00504C41"), (0x90, "C328"),
    ])
    func `what a field cannot be is left out`(_ start: Int, _ digits: String) throws {
        let record = try OpenTag3DRecord(payload: Self.payload(0xBB, [(start, digits)]))
        #expect(OpenTag3DField.all.allSatisfy { record[$0.name] == nil })
    }

    @Test(
        arguments: [
            (0x66, nil), (0x70, nil), (0x8F, nil), (0x90, "A"), (0xBB, "A"), (113, nil), (188, "A"), (400, "A"),
        ] as [(Int, String?)])
    func `a payload may end behind any field`(_ length: Int, _ url: String?) throws {
        let whole = try Self.payload(400, [(0x60, "2A"), (0x70, "41")])
        let (record, warnings) = try decoded(OpenTag3DRecord.self, Array(whole.prefix(length)).hexadecimal)
        #expect(warnings == [])
        #expect(record["print_temp"] == .number(210))
        #expect(record["online_data_url"] == url.map(OpenTag3DValue.text))
        try checkRoundTrips(record)
    }

    @Test(arguments: [
        ("03E8", []), ("03E9", ["OT3D_NEWER"]), ("07CF", ["OT3D_NEWER"]), ("000C", ["OT3D_OLDER"]),
        ("0000", ["OT3D_OLDER"]),
    ])
    func `a version near by is read with a warning`(_ version: String, _ codes: [String]) throws {
        let payload = try Self.payload(0xBB, [(0, version), (0x60, "2A"), (0xB8, "14")])
        let (record, warnings) = try decoded(OpenTag3DRecord.self, payload.hexadecimal)
        #expect(warnings == codes)
        #expect(record["print_temp"] == .number(210))
        // In older versions, the extended part was different.
        #expect((record["min_vso"] == nil) == codes.contains("OT3D_OLDER"))
    }

    @Test(arguments: [
        ("07D0", 0x70, "OT3D_VERSION"), ("FFFF", 0x70, "OT3D_VERSION"), ("03E8", 0x65, "OT3D_TRUNCATED"),
        ("07D0", 0x65, "OT3D_TRUNCATED"),
        ("", 0, "OT3D_TRUNCATED"),
    ])
    func `a newer major version and a short payload are refused`(_ version: String, _ length: Int, _ code: String)
        throws
    {
        let payload = try bytes(version) + [UInt8](repeating: 0, count: max(0, length - 2))
        #expect(try payloadErrorCode(OpenTag3DRecord.self, payload.hexadecimal) == code)
    }

    @Test func `a text that is not UTF-8 gives a warning`() throws {
        #expect(
            try decoded(OpenTag3DRecord.self, Self.payload(0x70, [(0x1B, "C328")]).hexadecimal).warnings == [
                "OT3D_TEXT"
            ])
    }

    @Test func `the record on one line`() throws {
        let payload = try Self.payload(
            0x70, [(0x02, "504C41"), (0x07, "53696C6B"), (0x1B, "501B"), (0x2B, "426C7565")])
        #expect(try OpenTag3DRecord(payload: payload).description == #"OpenTag3D P\u{1B} PLA Silk Blue"#)
        #expect(try OpenTag3DRecord(payload: Self.payload(0x70, [])).description == "OpenTag3D")
    }

    @Test(
        .enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing),
        arguments: SpoolVectors.rows("opentag3d.payload"))
    func `the shared vectors are read as another reader reads them`(_ row: SpoolRow) throws {
        let payload = try row.givenBytes("payload")
        guard let record = try? OpenTag3DRecord(payload: payload) else {
            #expect(row.expect["tag_version"] == 2000)
            return
        }
        let json = try jsonValue(record)
        let names = [
            ("tag_version", "tag_version"), ("manufacturer", "manufacturer"), ("material_base", "material_base"),
            ("color_name", "color_name"), ("diameter_mm", "target_diameter"), ("target_weight", "target_weight"),
            ("print_temp", "print_temp"), ("bed_temp", "bed_temp"), ("density", "density"),
        ]
        for (other, name) in names { #expect(json[name] == row.expect[other], "\(name)") }
        #expect(json["material_mod"]?.string ?? "" == row.expect["material_mod"]?.string)
        for (other, name) in [("color_hex", "color_1"), ("color_2_hex", "color_2"), ("color_3_hex", "color_3")] {
            #expect(json[name]?.string?.lowercased() == row.expect[other]?.string)
        }
    }
}
