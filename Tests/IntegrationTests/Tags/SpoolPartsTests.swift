import NDEF
import Testing

@testable import nfcctl

/// The parts of `nfcctl spool` that need no reader.
@Suite struct `Fields of a spool` {
    /// What a value on the command line is, or why it cannot be.
    private static func value(_ field: String, _ text: String) -> Result<OpenPrintTagValue, SpoolFieldError> {
        do throws(SpoolFieldError) { return .success(try SpoolFieldText(named: field).value(text)) } catch {
            return .failure(error)
        }
    }

    @Test(
        arguments: [
            ("manufactured_date", "2026-01-31", .integer(1_769_817_600)),
            ("manufactured_date", "2026-01-31T12:34:56Z", .integer(1_769_862_896)),
            ("manufactured_date", "2024-02-29", .integer(1_709_164_800)),
            ("manufactured_date", "1767225600", .integer(1_767_225_600)),
            ("tags", "matte, silk", .items([16, 17])), ("tags", " matte,silk ", .items([16, 17])),
            ("primary_color_lab", "50, 11.3, -3", .lab([50, 11.3, -3])),
            ("main.gtin", "4006381333931", .number(4_006_381_333_931)),
            ("material_type", "PETG", .item(1)), ("brand_name", " a, b ", .text(" a, b ")),
        ] as [(String, String, OpenPrintTagValue)])
    func `are read from words`(field: String, text: String, value: OpenPrintTagValue) {
        #expect(Self.value(field, text) == .success(value))
    }

    @Test(arguments: [
        ("nominal_netto_full_weight", "1kg", "=1000?"), ("nominal_netto_full_weight", "1.2 kg", "=1200?"),
        ("nominal_netto_full_weight", "750 g", "=750?"), ("nominal_netto_full_weight", "12,5", "=12.5?"),
        ("nominal_full_length", "330m", "=330000?"), ("filament_diameter", "1.75mm", "=1.75?"),
        ("filament_diameter", "1,75", "=1.75?"), ("min_print_temperature", "215 °C", "=215?"),
        ("min_print_temperature", "215C", "=215?"), ("min_print_temperature", "215.0", "=215?"),
        ("density", "1240 kg/m3", "=1.24?"), ("density", "1.24 g/cm3", "=1.24?"), ("drying_time", "4h", "=240?"),
        ("gtin", "4 006381 333931", "=4006381333931?"), ("gtin", "4-006381-333931", "=4006381333931?"),
        ("manufactured_date", "01/31/2026", "=2026-01-31?"), ("manufactured_date", "31/01/2026", "=2026-01-31?"),
        ("manufactured_date", "01.02.2026", "=2026-02-01?"), ("manufactured_date", "2026/1/31", "=2026-01-31?"),
        ("manufactured_date", "20260131", "=2026-01-31?"), ("primary_color", "3A3A3A", "=#3A3A3A?"),
        ("primary_color", "000000", "=#000000?"), ("primary_color", "#000", "=#000000?"),
        ("material_type", "pla", "=PLA?"),
        ("material_class", "fff", "=FFF?"), ("tags", "mate,silk", "=matte,silk?"),
        ("tags", "matte;silk", "=matte,silk?"),
    ])
    func `with another form are refused with what was meant`(field: String, text: String, meant: String) throws {
        guard case .failure(let error) = Self.value(field, text) else {
            Issue.record("\(text) was taken")
            return
        }
        #expect(error.reason.hasSuffix("; did you mean \(field)\(meant)"), "\(error)")
    }

    @Test(arguments: [
        ("nominal_netto_full_weight", "1,000", "in digits"), ("nominal_netto_full_weight", "2 lb", "in digits"),
        ("nominal_netto_full_weight", "1kg?", "in digits"), ("nominal_netto_full_weight", "-5", "in digits"),
        ("min_print_temperature", "215.5", "in digits"), ("min_print_temperature", "400F", "in digits"),
        ("gtin", "4.00638E+12", "enter the number again"), ("manufactured_date", "2026-02-31", "there is no such day"),
        ("manufactured_date", "2025-02-29", "there is no such day"),
        ("manufactured_date", "2026", "or seconds since 1970-01-01 UTC"),
        ("manufactured_date", "01/02/2026", "or seconds since 1970-01-01 UTC"),
        ("manufactured_date", "soon", "or seconds since 1970-01-01 UTC"),
        ("manufactured_date", "2026-01-31T25:00:00Z", "or seconds since 1970-01-01 UTC"),
        ("primary_color", "black", "write #RRGGBB, such as #000000"), ("material_class", "x", "one of FFF, SLA"),
        ("material_type", "wood", "one of PLA, PETG, TPU, ABS, …, which nfcctl help spool set lists"),
    ])
    func `that mean nothing, or several things, are refused without a guess`(
        field: String, text: String, reason: String
    ) {
        guard case .failure(let error) = Self.value(field, text) else {
            Issue.record("\(text) was taken")
            return
        }
        #expect(error.reason.hasSuffix(reason), "\(error)")
    }

    @Test(arguments: [
        ("brand", "brand_name"), ("Brand", "brand_name"), ("Brand Name", "brand_name"), ("color", "primary_color"),
        ("weight", "nominal_netto_full_weight"), ("diameter", "filament_diameter"), ("Material-Type", "material_type"),
        ("consumed_wieght", "consumed_weight"),
    ])
    func `that do not exist are refused with the one that was meant`(name: String, meant: String) {
        let error = #expect(throws: SpoolFieldError.self) { try SpoolFieldText(named: name) }
        #expect(error?.reason == "there is no field \(name); did you mean \(meant)? nfcctl help spool set lists all")
    }

    @Test func `that follow from others are named as such`() {
        let error = #expect(throws: SpoolFieldError.self) { try SpoolFieldText(named: "remaining_weight") }
        #expect(error?.reason.contains("the full weight less consumed_weight") == true)
    }

    @Test(arguments: [
        (1_769_817_600, "2026-01-31"), (1_769_862_896, "2026-01-31T12:34:56Z"), (0, "1970-01-01"),
        (253_402_300_800, "253402300800 s since 1970-01-01"), (-1, "-1 s since 1970-01-01"),
    ])
    func `that are times are shown as dates`(seconds: Int64, text: String) {
        #expect(SpoolTime.text(seconds) == text)
    }
}

/// The file of `nfcctl spool new --file`.
@Suite struct `A file of a spool` {
    private static let fields =
        #"{"material_type":"PLA","consumed_weight":5,"instance_uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"}"#
    private static let data =
        #"{"main":{"material_type":"PLA","instance_uuid":"00010203-0405-0607-0809-0a0b0c0d0e0f"},"aux":{"consumed_weight":5},"meta":{"aux_region_offset":238}}"#
    private static let record =
        #"{"kind":"openPrintTag","payload":"A0","data":\#(data),"regions":{},"remaining_weight":1}"#

    @Test(arguments: [
        fields, data, #"{"data":\#(data)}"#, #"{"data":\#(fields)}"#, record, #"{"spool":\#(record)}"#,
        #"{"event":"spool","reader":"r","tag":{},"check":{},"uuids":{},"spool":\#(record)}"#,
        #"{"event":"read","message":{"records":[{"decoded":{"kind":"uri","uri":"https://a.b"}},{"payload":"A0","decoded":\#(record)}]}}"#,
        #"{"records":[{"decoded":\#(record)}]}"#, #"{"decoded":\#(record)}"#,
        #"{"regions":{},"root":{},"opt_check":{},"uri":"https://a.b","data":\#(data)}"#,
    ])
    func `has its fields in any form that is printed`(text: String) throws {
        let file = try SpoolFile(Array(text.utf8), keepsOwn: true)
        #expect(file.dropped == [])
        #expect(file.update.changes[.main]?["material_type"] == .set(.item(0)))
        #expect(file.update.changes[.main]?["instance_uuid"] == .set(.uuid(Array(0...15))))
        #expect(file.update.changes[.aux] == ["consumed_weight": .set(.number(5))])
        let other = try SpoolFile(Array(text.utf8), keepsOwn: false)
        #expect(other.dropped == ["instance_uuid", "consumed_weight"])
        #expect(other.update.changes[.main] == ["material_type": .set(.item(0))])
        #expect(other.update.changes[.aux]?.isEmpty != false)
    }

    @Test func `keeps what the specification does not have`() throws {
        let text = #"{"data":{"main":{"material_type":"PLA"}},"unknown_fields":{"aux":{"6161":"a0"}}}"#
        let layout = try OpenPrintTagLayout(capacity: 308, auxSize: 32, uri: nil)
        let record = try layout.record.applying(SpoolFile(Array(text.utf8), keepsOwn: false).update)
        #expect(record.aux?.unknownFields.count == 1)
    }

    @Test(arguments: [
        (#"{"material_type":"pla"}"#, #": material_type cannot be "pla"; did you mean PLA?"#),
        (#"{"data":{"main":{"material_type":"pla"}}}"#, #": material_type cannot be "pla"; did you mean PLA?"#),
        (
            #"{"nominal_netto_full_weight":"1000"}"#,
            #": nominal_netto_full_weight cannot be "1000"; did you mean 1000?"#
        ),
        (#"{"nominal_netto_full_weight":"1kg"}"#, #": nominal_netto_full_weight cannot be "1kg"; did you mean 1000?"#),
        (
            #"{"manufactured_date":"2026-01-31"}"#,
            #": manufactured_date cannot be "2026-01-31"; did you mean 1769817600?"#
        ),
        (#"{"tags":"matte"}"#, #": tags cannot be "matte"; did you mean ["matte"]?"#),
        (#"{"tags":["mate"]}"#, #": tags cannot be ["mate"]; did you mean ["matte"]?"#),
        (#"{"brand_name":5}"#, #": brand_name cannot be 5; did you mean "5"?"#),
        (#"{"gtin":null}"#, ": gtin cannot be null; leave it out"),
        (#"{"density":-1}"#, ": density cannot be -1: it is a number (g/cm³)"),
        (
            #"{"colour":"black"}"#,
            ": there is no field colour; did you mean primary_color? nfcctl help spool set lists all"
        ),
        (#"{"data":{"main":{"consumed_weight":5}}}"#, ": consumed_weight is in the section main, but a field of aux"),
        (#"{"data":{"auxiliary":{},"main":{}}}"#, ": auxiliary is not understood in data"),
        (#"{"data":{"main":{}},"material_type":"PLA"}"#, ": material_type is not understood beside data"),
        (#"{"main":{},"material_type":"PLA"}"#, ": material_type is not understood beside the sections"),
        (#"{"material_type":"PLA","uri":"https://a.b"}"#, ": uri is not a field; give the link with --uri"),
        (
            #"{"material_type":"PLA","kind":"openPrintTag"}"#,
            ": there is no field kind; nfcctl help spool set lists all"
        ),
        (#"{"main":{},"uri":"https://a.b"}"#, ": uri is not understood beside the sections"),
        (#"{"data":[]}"#, ": data is not a JSON object"), (#"{"spool":5}"#, ": its spool is not a JSON object"),
        (
            #"{"spool":{"kind":"tigertag","id":1}}"#,
            ": its spool is of the format tigertag; only fields of OpenPrintTag are read"
        ),
        (#"{"message":{"records":[]}}"#, ": its message has no record of OpenPrintTag"),
        ("[]", ": it is not a JSON object"),
        ("{", ": it is not JSON"), ("", ": it is not JSON"),
        (#"{"remove":{"x":[]},"data":{"main":{}}}"#, ": remove: there is no section x, only meta, main and aux"),
        ("{}", #" has no field of a spool; give one such as {"material_type": "PLA"}"#),
        (
            #"{"data":{"meta":{"aux_region_offset":1},"main":{}}}"#,
            #" has no field of a spool; give one such as {"material_type": "PLA"}"#
        ),
    ])
    func `that is not understood is refused with the place`(text: String, reason: String) {
        let error = #expect(throws: SpoolFieldError.self) { try SpoolFile(Array(text.utf8), keepsOwn: false) }
        #expect(error?.reason == reason)
    }
}

/// Values that are allowed and hardly ever right.
@Suite struct `Doubts about a spool` {
    private static func doubts(_ fields: [String: String]) throws -> [String] {
        let layout = try OpenPrintTagLayout(capacity: 308, auxSize: 32, uri: nil)
        return try fields.reduce(layout.record) { record, field in
            let known = try SpoolFieldText(named: field.key)
            return try record.changing(known.section, [field.key: .set(known.value(field.value))])
        }.doubts
    }

    @Test(
        arguments: [
            (["gtin": "4006381333931"], nil), (["gtin": "96385074"], nil), (["gtin": "036000291452"], nil),
            (["gtin": "10614141000415"], nil),
            (
                ["gtin": "4006381333932"],
                "gtin: the last digit of 4006381333932 does not fit the others, to which 1 belongs"
            ),
            (["gtin": "12"], "gtin: 12 is not a number of 8, 12, 13 or 14 digits"),
            (["filament_diameter": "1.75"], nil), (["filament_diameter": "2.85"], nil),
            (["filament_diameter": "175"], "filament_diameter: 175 mm is unusual"),
            (["density": "1240"], "density: 1240 g/cm³ is unusual"),
            (["density": "1.24"], nil), (["max_print_temperature": "450"], nil),
            (["min_print_temperature": "2200"], "min_print_temperature: 2200 °C is unusual"),
            (["max_bed_temperature": "-20"], "max_bed_temperature: -20 °C is unusual"),
            (["nominal_netto_full_weight": "1"], "nominal_netto_full_weight: 1 g is unusual"),
            (["nominal_netto_full_weight": "1000", "consumed_weight": "1000"], nil),
            (
                ["nominal_netto_full_weight": "1000", "consumed_weight": "1200"],
                "consumed_weight: 1200 g are more than the 1000 g of a full spool"
            ),
            (["consumed_weight": "1200"], nil),
        ] as [([String: String], String?)])
    func `name the value`(fields: [String: String], doubt: String?) throws {
        #expect(try Self.doubts(fields) == [doubt].compactMap(\.self))
    }
}

/// Grams on the command line.
@Suite struct `Grams that are typed` {
    @Test(
        arguments: [
            ("12,5", 12.5), ("12g", 12), ("12 g", 12), ("0.5kg", 500), ("0,75 kg", 750),
        ] as [(String, Double)])
    func `with a comma or a unit are understood, and not taken`(text: String, grams: Double) {
        #expect(TypedNumber.meant(by: text, factors: SpoolGrams.factors) == grams)
    }

    @Test(arguments: ["", "g", "1,000", "12 lb", "0x10", "1e3", "nan", "1.2.3", "12 g g", "12,5,5"])
    func `in another form are not guessed`(text: String) {
        #expect(TypedNumber.meant(by: text, factors: SpoolGrams.factors) == nil)
    }

    @Test(
        arguments: [
            (["spool", "use", "-12"], "the grams cannot be -12: they are above 0. To correct"),
            (["spool", "use", "--json", "-12.5g"], nil),
            (["spool", "use", "-12,5"], "the grams cannot be -12,5: they are above 0"),
            (["spool", "weigh", "-12"], "the grams cannot be -12: they are what the scale shows"),
            (["spool", "use", "12", "--timeout", "-5"], nil), (["spool", "set", "-12"], nil), (["spool"], nil),
            (["use", "-12"], nil),
        ] as [([String], String?)])
    func `below 0 are refused as such, and not as an option`(arguments: [String], reason: String?) {
        let refusal = SpoolGrams.refusal(ofNegative: arguments)
        if let reason { #expect(refusal?.hasPrefix(reason) == true) } else { #expect(refusal == nil) }
    }
}
