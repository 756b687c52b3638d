import Testing

@testable import NDEF

@Suite("OpenSpool")
struct OpenSpoolRecordTests {
    private static func record(_ json: String, type: String = "application/json") -> NDEFRecord {
        NDEFRecord(typeNameFormat: .media, type: Array(type.utf8), payload: Array(json.utf8))
    }

    private static let whole =
        #"{"protocol":"openspool","version":"1.0","type":"PLA","color_hex":"FFAABB","brand":"Generic","min_temp":"190","max_temp":220}"#

    @Test func `a spool is read with its fields`() throws {
        let (spool, warnings) = try decoded(OpenSpoolRecord.self, Array(Self.whole.utf8).hexadecimal)
        #expect(warnings == [])
        #expect(
            [spool.version, spool.type, spool.brand, spool.subtype, spool.spoolID] == [
                "1.0", "PLA", "Generic", nil, nil,
            ])
        #expect(spool.color == [0xFF, 0xAA, 0xBB])
        #expect(
            [spool.minimumTemperature, spool.maximumTemperature, spool.weight, spool.diameter] == [190, 220, nil, nil])
        #expect(spool.description == "OpenSpool Generic PLA #FFAABB")
        try checkRoundTrips(spool)
    }

    @Test(arguments: [
        (#"{"protocol":"openspool"}"#, ["OSP_VERSION", "OSP_FIELD"]),
        (#"{"protocol":"openspool","version":"1.1"}"#, ["OSP_VERSION", "OSP_FIELD"]),
        (
            #"{"protocol":"openspool","version":"1.0","type":"PLA","color_hex":"xyz","brand":"G","min_temp":1,"max_temp":2}"#,
            ["OSP_FIELD"]
        ),
        (
            #"{"protocol":"openspool","version":"1.0","type":"PLA","color_hex":"FFAA","brand":"G","min_temp":1,"max_temp":2}"#,
            ["OSP_FIELD"]
        ),
        (
            #"{"protocol":"openspool","version":"1.0","type":"PLA","color_hex":"FFAABB","brand":"G","min_temp":"hot","max_temp":2}"#,
            ["OSP_FIELD"]
        ),
        (
            #"{"protocol":"openspool","version":"1.0","type":"PLA","color_hex":"FFAABB","brand":"G","min_temp":-1,"max_temp":2}"#,
            ["OSP_FIELD"]
        ),
        (
            #"{"protocol":"openspool","version":"1.0","type":"PLA","color_hex":"FFAABB","brand":"G","min_temp":"1e999","max_temp":2}"#,
            ["OSP_FIELD"]
        ),
    ])
    func `what printers would refuse gives a warning`(_ json: String, _ codes: [String]) throws {
        let (spool, warnings) = try decoded(OpenSpoolRecord.self, Array(json.utf8).hexadecimal)
        #expect(warnings == codes)
        try checkRoundTrips(spool)
    }

    @Test(
        arguments: [
            ("FFAABB", nil, "FFAABB"), ("#ffaabb", nil, "FFAABB"), ("FFAABB80", nil, "FFAABB80"),
            ("FFAABB", "80", "FFAABB80"),
            ("FFAABB40", "80", "FFAABB40"), ("FFAABB", "8", "FFAABB"), ("FFAABB", "8080", "FFAABB"),
            ("##FFAABB", nil, nil),
            ("", nil, nil), ("FFAAB", nil, nil),
        ] as [(String, String?, String?)])
    func `a colour has six or eight digits`(_ digits: String, _ alpha: String?, _ color: String?) throws {
        let extra = alpha.map { #","alpha":"\#($0)""# } ?? ""
        let json = #"{"protocol":"openspool","color_hex":"\#(digits)"\#(extra)}"#
        #expect(try OpenSpoolRecord(payload: Array(json.utf8)).color?.hexadecimal == color)
    }

    @Test(arguments: [
        "", "{}", "[]", #""openspool""#, #"{"protocol":"other","type":"PLA"}"#, #"{"protocol":["openspool"]}"#,
        #"{"type":"PLA"}"#, #"[{"protocol":"openspool"}]"#, #"{"protocol":"openspool""#, #"{"protocol":"openspool"} x"#,
        #"{"a":{"protocol":"openspool"}}"#, #"{"protocol":"openspool","protocol":"other"}"#,
        #"{"protocol":"openspool","a":01}"#, #"{"protocol":"openspool","a":nul}"#, #"{"protocol":"openspool",}"#,
        #"{"protocol":"openspool","a":"\x"}"#, "{\"protocol\":\"openspool\",\"a\":\"\n\"}",
        #"{"protocol":"openspool" "a":1}"#,
        #"{"protocol":"openspool","a":\#(String(repeating: "[", count: 5000))}"#,
        #"{"protocol":"openspool","a":"\#(String(repeating: "a", count: 9000))"}"#,
    ])
    func `other JSON stays what it is`(_ json: String) {
        let record = Self.record(json)
        #expect(record.decoded == .media(MediaRecord(type: "application/json", data: Array(json.utf8))))
        #expect(
            throws: NDEFPayloadError(
                .openSpoolProtocol, "this is not an object of JSON with the protocol \"openspool\"")
        ) {
            try OpenSpoolRecord(payload: Array(json.utf8))
        }
    }

    @Test(arguments: [
        ("application/json", true), ("Application/JSON", true), ("application/json;charset=utf-8", true),
        ("text/json", false),
        ("application/ld+json", false),
    ])
    func `the media type is that of JSON`(_ type: String, _ isSpool: Bool) {
        let decoded = Self.record(Self.whole, type: type).decoded
        if case .openSpool = decoded { #expect(isSpool) } else { #expect(!isSpool) }
    }

    @Test(arguments: [
        (#" { "a" : "b" , "protocol" : "openspool" } "#, "b"),
        (#"{"protocol":"openspool","a":"\u00e9\ud83d\ude00\n\/"}"#, "é😀\n/"),
        (#"{"protocol":"openspool","a":"\ud83d"}"#, "\u{FFFD}"),
        (#"{"protocol":"openspool","a":"\ude00x"}"#, "\u{FFFD}x"),
        (#"{"protocol":"openspool","a":"\ud83dx"}"#, "\u{FFFD}x"),
        (#"{"protocol":"openspool","a":"\ud83d\u0041"}"#, "\u{FFFD}A"),
        (#"{"protocol":"openspool","a":[1,{"b":[]},null,true,-1.5e+3],"b":{},"a":"c"}"#, "c"),
    ])
    func `texts are unescaped`(_ json: String, _ text: String) {
        #expect(FlatJSON(Array(json.utf8))?["a"] == .text(text))
    }

    @Test func `damage is read or refused`() throws {
        try checkDamage(OpenSpoolRecord.self, Array(Self.whole.utf8))
    }

    @Test(
        .enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing),
        arguments: SpoolVectors.rows("openspool.message"))
    func `the shared vectors are read as another reader reads them`(_ row: SpoolRow) throws {
        let record = try #require(NDEFMessage(decoding: row.givenBytes("message")).records.first)
        guard case .openSpool(let spool) = record.decoded else {
            #expect(row.expect == .null)
            return
        }
        // That reader refuses a colour that is not one.
        guard row.expect != .null else { return #expect(spool.color == nil) }
        // It has values for what is missing.
        if let brand = spool.brand { #expect(row.expect["manufacturer"]?.string == brand) }
        #expect(row.expect["type"]?.string == spool.type?.uppercased())
        #expect(row.expect["modifiers"] == .array(spool.subtype.map { [.string($0)] } ?? []))
        let color = spool.color.map { $0.count == 3 ? $0 + [0xFF] : $0 }?.hexadecimal ?? "FFFFFFFF"
        #expect(row.expect["colors_rgba_hex"] == .array([.string(color)]))
        #expect(row.expect["hotend_min_temp_c"] == .number(spool.minimumTemperature ?? 0))
        #expect(row.expect["hotend_max_temp_c"] == .number(spool.maximumTemperature ?? 0))
        #expect(row.expect["weight_grams"] == .number(spool.weight ?? 1000))
        #expect(row.expect["diameter_mm"] == .number(spool.diameter ?? 1.75))
    }
}
