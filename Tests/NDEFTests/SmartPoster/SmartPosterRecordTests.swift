import TestSupport
import Testing

@testable import NDEF

/// The records of a Smart Poster, first ones and last ones alone with MB and ME.
private enum Part {
    static let uri = "91 01 04 55 04 61 2E 62"
    static let onlyURI = "D1 01 04 55 04 61 2E 62"
    static let title = "11 01 05 54 02 65 6E 48 69"
    static let german = "11 01 07 54 02 64 65 48 61 6C 6C"
    static let action = "11 03 01 61 63 74 01"
    static let icon = "12 09 02 69 6D 61 67 65 2F 70 6E 67 AA BB"
    static let size = "11 01 04 73 00 00 27 10"
    static let type = "11 01 09 74 74 65 78 74 2F 68 74 6D 6C"
    static let last = "51 01 01 78 FF"
    static let all = [uri, title, german, action, icon, size, type, last].joined()
}

private func poster(_ parts: String...) throws -> (SmartPosterRecord, [String]) {
    let (poster, warnings) = try decoded(SmartPosterRecord.self, parts.joined())
    return (poster, warnings)
}

private let x = NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x78], payload: [0xFF])

private func full() throws -> SmartPosterRecord {
    try SmartPosterRecord(
        uri: URIRecord("https://a.b"), titles: [TextRecord("Hi"), TextRecord("Hall", language: "de")], action: .save,
        size: 10_000, type: "text/html", icons: [MediaRecord(type: "image/png", data: [0xAA, 0xBB])], other: [x])
}

@Suite("Smart Poster records, decoded")
struct SmartPosterDecodingTests {
    @Test func `every field is decoded`() throws {
        let (poster, warnings) = try decoded(SmartPosterRecord.self, Part.all)
        #expect(poster.uri.uri == "https://a.b")
        #expect(poster.titles.map(\.text) == ["Hi", "Hall"])
        #expect(poster.titles.map(\.language) == ["en", "de"])
        #expect(poster.action == .save)
        #expect(poster.size == 10_000)
        #expect(poster.type == "text/html")
        #expect(poster.icons == [MediaRecord(type: "image/png", data: [0xAA, 0xBB])])
        #expect(poster.other == [x])
        #expect(warnings.isEmpty)
        #expect(try poster == full())
    }

    @Test func `only the URI is needed`() throws {
        let (poster, warnings) = try poster(Part.onlyURI)
        #expect(try poster == SmartPosterRecord(uri: URIRecord("https://a.b")))
        #expect(poster.action == nil && poster.size == nil && poster.type == nil)
        #expect(poster.titles.isEmpty && poster.icons.isEmpty && poster.other.isEmpty && warnings.isEmpty)
    }

    @Test func `the records may come in any order`() throws {
        let first = "91 03 01 61 63 74 01"
        let parts = [
            Part.type, Part.size, Part.icon, Part.title, "11 01 04 55 04 61 2E 62", Part.german, Part.last,
        ]
        #expect(try decoded(SmartPosterRecord.self, first + parts.joined()).payload == full())
    }

    @Test(arguments: [
        // The type name format counts: a media type `T` is not a title, nor is an external `U` a URI.
        ("52 01 03 54 02 65 6E", 1), ("54 01 01 55 00", 1), ("53 01 00 55", 1), ("55 00 01 00", 1),
        // So does the case of the letters.
        ("51 01 01 75 00", 1), ("51 03 01 41 43 54 00", 1), ("51 01 04 53 00 00 00 01", 1),
        // Media types that are neither image nor video.
        ("52 03 00 66 6F 6F", 1), ("52 0A 00 74 65 78 74 2F 70 6C 61 69 6E", 1), ("52 05 00 69 6D 61 67 65", 1),
        ("52 07 00 69 6D 61 67 65 2F FF", 1),
        // An empty record; a Smart Poster within.
        ("50 00 00", 1), ("51 02 08 53 70 D1 01 04 55 04 61 2E 62", 1),
        // Icons, without case and with parameters.
        ("52 07 00 49 4D 41 47 45 2F 78", 0), ("52 07 01 76 69 64 65 6F 2F 78 00", 0),
        ("52 0B 00 69 6D 61 67 65 2F 78 3B 61 3D 62", 0),
    ])
    func `a record of another type is kept unchanged`(_ record: String, _ count: Int) throws {
        let (poster, warnings) = try poster(Part.uri, record)
        #expect(poster.other.count == count)
        #expect(poster.icons.count == 1 - count)
        #expect(poster.titles.isEmpty && poster.action == nil && poster.size == nil && warnings.isEmpty)
        try checkRoundTrips(poster)
    }

    @Test(arguments: [
        // Of two actions the first that can be read counts.
        ("51 03 01 61 63 74 03", ["ACT_RFU"], 1),
        ("51 03 00 61 63 74", ["ACT_LENGTH"], 1),
        ("51 03 02 61 63 74 00 01", ["ACT_LENGTH"], 1),
        ("11 03 01 61 63 74 02 51 03 01 61 63 74 01", ["ACT_REPEATED"], 1),
        ("11 03 00 61 63 74 51 03 01 61 63 74 01", ["ACT_LENGTH"], 1),
        ("51 01 03 73 00 00 01", ["SIZE_LENGTH"], 1),
        ("51 01 05 73 00 00 00 00 01", ["SIZE_LENGTH"], 1),
        ("11 01 04 73 00 00 00 01 51 01 04 73 00 00 00 02", ["SIZE_REPEATED"], 1),
        ("51 01 00 74", ["TYPE_IGNORED"], 1),
        ("51 01 01 74 2F", ["TYPE_IGNORED"], 1),
        ("51 01 03 74 61 2F FF", ["TYPE_IGNORED"], 1),
        ("11 01 03 74 61 2F 62 51 01 03 74 63 2F 64", ["TYPE_IGNORED"], 1),
        ("51 01 00 54", ["TITLE_IGNORED"], 1),
        ("51 01 02 54 05 65", ["TITLE_IGNORED"], 1),
        // A tolerated defect in a title gives a warning, unless the title cannot be read in the end.
        ("51 01 01 54 00", ["TEXT_LANG_EMPTY"], 0),
        ("51 01 02 54 40 FF", ["TITLE_IGNORED"], 1),
        ("11 01 03 54 02 65 6E 51 01 03 54 02 45 6E", ["TITLE_LANG_REPEATED"], 0),
        ("11 01 01 54 00 51 01 01 54 00", ["TEXT_LANG_EMPTY", "TEXT_LANG_EMPTY", "TITLE_LANG_REPEATED"], 0),
        // Identifiers of records that become fields are not kept, those of others are.
        ("59 03 01 01 61 63 74 2A 01", ["INNER_ID_IGNORED"], 0),
        ("5A 07 00 01 69 6D 61 67 65 2F 78 2A", ["INNER_ID_IGNORED"], 0),
        ("59 01 00 01 78 2A", [], 1),
        // The structure of the message inside.
        ("57 01 00 54", ["TNF_RESERVED"], 1),
        ("41 01 00 00 00 01 78 00", ["LONG_FORM_FOR_SHORT_PAYLOAD"], 1),
    ])
    func `an oddity is forgiven with a warning`(_ records: String, _ codes: [String], _ otherCount: Int) throws {
        let (poster, warnings) = try poster(Part.uri, records)
        #expect(warnings == codes)
        #expect(poster.other.count == otherCount)
        try checkRoundTrips(poster)
    }

    @Test func `the first readable action, size and type count`() throws {
        let records = [
            "11 03 00 61 63 74", "11 03 01 61 63 74 07", "11 03 01 61 63 74 00", "11 01 01 73 00",
            "11 01 04 73 00 00 00 02",
            "11 01 04 73 00 00 00 03", "11 01 01 74 20", "11 01 03 74 61 2F 62", "51 01 03 74 63 2F 64",
        ]
        let (poster, warnings) = try poster(Part.uri, records.joined())
        #expect(poster.action == .execute)
        #expect(poster.size == 2)
        #expect(poster.type == "a/b")
        #expect(poster.other.map(\.payload) == [[], [7], [0], [0, 0, 0, 3], [0x20], Array("c/d".utf8)])
        #expect(warnings.count == 6)
        try checkRoundTrips(poster)
    }

    @Test func `an identifier of the URI is not kept`() throws {
        let (poster, warnings) = try poster("D9 01 01 01 55 2A 00")
        #expect(poster.uri.uri.isEmpty)
        #expect(warnings == ["INNER_ID_IGNORED"])
    }

    @Test(arguments: [
        ("", "EMPTY_INPUT"),
        ("D1 01 00 78", "SP_URI_COUNT"),
        ("D0 00 00", "SP_URI_COUNT"),
        ("91 01 01 55 00 51 01 01 55 00", "SP_URI_COUNT"),
        ("91 01 01 55 24 51 01 01 55 00", "SP_URI_COUNT"),
        ("D1 01 00 55", "URI_EMPTY"),
        ("D1 01 01 55 24", "URI_RFU_PREFIX"),
        ("D1 01 02 55 00 FF", "URI_NOT_UTF8"),
        ("D1 01 02 55 00 0A", "URI_CONTROL_CHARS"),
        ("51 01 01 55 00", "MB_MISSING"),
        ("91 01 01 55 00", "ME_MISSING"),
        ("D1 01 02 55 00", "TRUNCATED_PAYLOAD"),
        ("D1 01 01 55 00 00", "TRAILING_DATA"),
        ("91 01 01 55 00 D1 01 00 78", "MB_REPEATED"),
        ("D1 01", "TRUNCATED_HEADER"),
        ("F1 01 01 55 00", "CF_WITH_ME"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(SmartPosterRecord.self, payload) == code)
    }

    @Test func `an error of the URI is the URI's own`() throws {
        let error = try #require(throws: NDEFPayloadError.self) {
            try SmartPosterRecord(payload: bytes("D1 01 01 55 24"))
        }
        #expect(error.message == "prefix code 24 is reserved; the last in use is 23")
    }

    @Test func `damage never stops the program, and what is read survives`() throws {
        try checkDamage(SmartPosterRecord.self, Part.all)
    }

    @Test(arguments: 800..<820 as Range<UInt64>)
    func `whatever records come in whatever order, what is read survives`(_ seed: UInt64) throws {
        let pool = [
            ("T", "02656E41"), ("T", "02656E42"), ("T", "00"), ("T", "05"), ("act", "00"), ("act", "07"), ("act", ""),
            ("s", "00000001"), ("s", "00000002"), ("s", "00"), ("t", "612F62"), ("t", "632F64"), ("t", "20"),
            ("t", "2FFF"),
            ("x", ""), ("Sp", "D101015500"),
        ]
        var generator = SplitMix(seed: seed)
        for _ in 0..<50 {
            let inner = try (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
                try pool.randomElement(using: &generator).map(wellKnown)
            }
            let records = ([try .uri("a:b")] + inner).shuffled(using: &generator)
            let poster = try SmartPosterRecord(payload: NDEFMessage(records: records).encoded())
            try checkRoundTrips(poster)
        }
    }

    @Test func `nesting a thousand deep costs nothing`() throws {
        var record = NDEFRecord(try URIRecord("https://a.b"))
        for _ in 0..<1_000 {
            record = NDEFRecord(try SmartPosterRecord(uri: URIRecord("a:b"), other: [record.withoutURIType]))
        }
        let poster = try SmartPosterRecord(payload: record.payload)
        #expect(poster.other.count == 1)
        try checkRoundTrips(poster)
        #expect(record.description == "Smart Poster a:b, 1 other record")
    }
}

extension NDEFRecord {
    /// The same record, a URI as one of an own type: a Smart Poster takes one URI only.
    fileprivate var withoutURIType: NDEFRecord {
        var record = self
        if record.type == [0x55] { record.type = [0x78] }
        return record
    }
}

@Suite("Smart Poster records, encoded")
struct SmartPosterEncodingTests {
    @Test func `the records are written in one order`() throws {
        #expect(try full().payload == bytes(Part.all))
    }

    @Test func `the shortest form is a URI alone`() throws {
        #expect(try NDEFRecord.smartPoster("https://a.b").payload == bytes(Part.onlyURI))
    }

    @Test func `a long icon has a long length`() throws {
        let icon = MediaRecord(type: "image/x", data: [UInt8](repeating: 0, count: 256))
        let payload = try SmartPosterRecord(uri: URIRecord("https://a.b"), icons: [icon]).payload
        #expect(try payload.starts(with: bytes("\(Part.uri) 42 07 00 00 01 00 69 6D 61 67 65 2F 78 00")))
    }

    @Test func `what was made is read`() throws {
        try checkRoundTrips(full())
        try checkRoundTrips(SmartPosterRecord(uri: URIRecord("")))
        try checkRoundTrips(
            SmartPosterRecord(
                uri: URIRecord("tel:+1"),
                titles: [TextRecord("é", language: "fr", encoding: .utf16), TextRecord("", language: "")],
                action: SmartPosterAction(rawValue: 0xFF), size: .max,
                icons: [MediaRecord(type: "Video/MP4;x=1", data: [])],
                other: [
                    NDEFRecord(typeNameFormat: .empty),
                    NDEFRecord(typeNameFormat: .reserved, type: [1], identifier: [2]),
                ]))
    }

    @Test func `others may repeat what is set`() throws {
        let poster = try SmartPosterRecord(
            uri: URIRecord("a:b"), action: .edit, size: 1, type: "a/b",
            other: [wellKnown("act", "00"), wellKnown("s", "00000002"), wellKnown("t", "632F64")])
        try checkRoundTrips(poster)
    }

    @Test(
        arguments: [
            ("U", "00"), ("U", ""), ("T", "02656E"), ("act", "00"), ("s", "00000001"), ("t", "612F62"),
        ])
    func `others that belong in a field are refused`(_ type: String, _ payload: String) throws {
        let record = try wellKnown(type, payload)
        #expect(try refusalCode { try SmartPosterRecord(uri: URIRecord("a:b"), other: [x, record]) } == "SP_OTHER")
    }

    @Test func `what cannot be written is refused`() throws {
        let uri = try URIRecord("a:b")
        let image = NDEFRecord(typeNameFormat: .media, type: Array("image/x".utf8))
        let long = MediaRecord(type: "image/" + String(repeating: "x", count: 250), data: [])
        let text = MediaRecord(type: "text/plain", data: [])
        let chunk = NDEFRecord(typeNameFormat: .unchanged)
        #expect(try refusalCode { try SmartPosterRecord(uri: uri, other: [image]) } == "SP_OTHER")
        #expect(try refusalCode { try SmartPosterRecord(uri: uri, icons: [text]) } == "SP_ICON_TYPE")
        #expect(try refusalCode { try SmartPosterRecord(uri: uri, icons: [long]) } == "TYPE_TOO_LONG")
        #expect(try refusalCode { try SmartPosterRecord(uri: uri, type: "") } == "TYPE_NOT_MIME")
        #expect(try refusalCode { try SmartPosterRecord(uri: uri, other: [chunk]) } == "UNCHANGED_WITHOUT_CHUNK")
        #expect(throws: NDEFPayloadError.self) { try NDEFRecord.smartPoster("a\nb") }
    }

    @Test func `a record is made in one call`() throws {
        let record = try NDEFRecord.smartPoster("a:b", titles: [TextRecord("c")], action: .execute, identifier: [1])
        #expect(record.type == Array("Sp".utf8))
        #expect(record.typeNameFormat == .nfcWellKnown)
        #expect(record.identifier == [1])
        let poster = try SmartPosterRecord(uri: URIRecord("a:b"), titles: [TextRecord("c")], action: .execute)
        #expect(record.decoded == .smartPoster(poster))
    }
}

@Suite("Smart Poster records, shown")
struct SmartPosterShownTests {
    @Test(arguments: [
        ("de", "2"), ("DE", "2"), ("en-GB", "1"), ("en", "0"), ("EN-us", "0"), ("en-AU", "0"), ("de-AT", "2"),
        ("fr", "0"),
        ("", "3"), ("e", "0"), ("pt-PT", "4"),
    ])
    func `a title is chosen by language`(_ language: String, _ text: String) throws {
        let languages = ["en-US", "en-GB", "de", "", "pt-BR"]
        let titles = try languages.enumerated().map { try TextRecord(String($0), language: $1) }
        let poster = try SmartPosterRecord(uri: URIRecord("a:b"), titles: titles)
        #expect(poster.title(for: language)?.text == text)
    }

    @Test func `without titles there is none to choose`() throws {
        #expect(try SmartPosterRecord(uri: URIRecord("a:b")).title(for: "en") == nil)
    }

    @Test func `the description has everything on one line`() throws {
        #expect(
            try full().description
                == "Smart Poster https://a.b, \"Hi\" (en), \"Hall\" (de), action save, type text/html, size 10000, 1 icon, "
                + "1 other record")
        #expect(try SmartPosterRecord(uri: URIRecord("a:b")).description == "Smart Poster a:b")
    }

    @Test func `hostile text is escaped`() throws {
        let poster = try SmartPosterRecord(
            uri: URIRecord("a:\u{9B}1m"), titles: [TextRecord("\u{1B}[2J", language: "e\n")], type: "a/\u{202E}b")
        #expect(
            poster.description == #"Smart Poster a:\u{9B}1m, "\u{1B}[2J" (e\u{A}), type a/\u{202E}b"#)
    }
}

@Suite("Smart Poster records in JSON")
struct SmartPosterJSONTests {
    @Test func `every field is written`() throws {
        #expect(
            try decodedJSON(full())
                == #"{"action":"save","icons":[{"data":"AABB","type":"image/png"}],"kind":"smartPoster","#
                + #""other":[{"identifier":"","payload":"FF","type":"78","typeNameFormat":"nfcWellKnown"}],"size":10000,"#
                + #""titles":[{"encoding":"utf-8","language":"en","text":"Hi"},"#
                + #"{"encoding":"utf-8","language":"de","text":"Hall"}],"type":"text/html","uri":"https://a.b"}"#)
    }

    @Test func `what is missing is left out`() throws {
        let poster = try SmartPosterRecord(uri: URIRecord("a:b"), action: .edit)
        #expect(try decodedJSON(poster) == #"{"action":"edit","kind":"smartPoster","titles":[],"uri":"a:b"}"#)
    }

    @Test(arguments: [
        (#"{"kind":"smartPoster","uri":"https://a.b"}"#, Part.onlyURI),
        (#"{"kind":"smartPoster","uri":"https://a.b","titles":null,"size":null,"icons":[],"other":[]}"#, Part.onlyURI),
        (#"{"kind":"smartPoster","uri":"a","titles":[{"text":"b"}]}"#, "91 01 02 55 00 61 51 01 04 54 02 65 6E 62"),
        (#"{"kind":"smartPoster","uri":"a","action":"edit"}"#, "91 01 02 55 00 61 51 03 01 61 63 74 02"),
        (#"{"kind":"smartPoster","uri":"a","action":2}"#, "91 01 02 55 00 61 51 03 01 61 63 74 02"),
        (#"{"kind":"smartPoster","uri":"a","other":[{"decoded":{"kind":"empty"}}]}"#, "91 01 02 55 00 61 50 00 00"),
    ])
    func `an object is read`(_ json: String, _ payload: String) throws {
        #expect(try record(ofDecoded: json).payload == bytes(payload))
    }

    @Test(arguments: [
        (#"{"kind":"smartPoster"}"#, "uri"),
        (#"{"kind":"smartPoster","uri":"a\n"}"#, "uri"),
        (#"{"kind":"smartPoster","uri":"a","titles":[{"language":"en"}]}"#, "titles.0.text"),
        (#"{"kind":"smartPoster","uri":"a","titles":[{"text":"b"},{"text":"b","language":"é"}]}"#, "titles.1.language"),
        (#"{"kind":"smartPoster","uri":"a","action":"run"}"#, "action"),
        (#"{"kind":"smartPoster","uri":"a","action":256}"#, "action"),
        (#"{"kind":"smartPoster","uri":"a","size":-1}"#, "size"),
        (#"{"kind":"smartPoster","uri":"a","size":4294967296}"#, "size"),
        (#"{"kind":"smartPoster","uri":"a","type":""}"#, "type"),
        (#"{"kind":"smartPoster","uri":"a","icons":[{"type":"text/plain"}]}"#, "icons"),
        (#"{"kind":"smartPoster","uri":"a","icons":[{"type":"image/x","data":"0"}]}"#, "icons.0.data"),
        (#"{"kind":"smartPoster","uri":"a","other":[{"typeNameFormat":"nfcWellKnown","type":"55"}]}"#, "other"),
        (#"{"kind":"smartPoster","uri":"a","other":[{"typeNameFormat":"unchanged"}]}"#, "other"),
        (#"{"kind":"smartPoster","uri":"a","other":[{"typeNameFormat":"unknown","payload":"x"}]}"#, "other.0.payload"),
    ])
    func `an error names the field`(_ json: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: json) == field)
    }
}

@Suite(.enabled(if: !Vectors.rows.isEmpty, "no shared vectors here; set NFCD_VECTORS to their folder"))
struct SmartPosterVectorTests {
    @Test(arguments: Vectors.messages.filter { $0.smartPoster != nil })
    func `the remarks are those of the vectors`(_ row: VectorRow) throws {
        let record = try #require(NDEFMessage(decoding: bytes(row.hex)).records.first)
        let codes = try decoded(SmartPosterRecord.self, record.payload.hexadecimal).warnings
        #expect(VectorValue.array(codes.map(VectorValue.string)) == row.smartPoster?["warnings"] ?? .array([]))
    }
}

extension VectorRow {
    /// What the row says of a message that is one Smart Poster.
    fileprivate var smartPoster: VectorValue? {
        guard case .array(let records) = decoded?["records"], records.count == 1, let value = records.first?["value"],
            value["kind"]?.string == "smartposter"
        else { return nil }
        return value
    }
}
