import NDEF
import TestSupport
import Testing

/// The records of a request, each its own message.
private enum Part {
    static let target = "D1 01 08 74 D1 01 04 55 04 61 2E 62"
    static let code = "D1 01 02 61 01 02"
    static let action = "D1 01 09 61 00 D1 01 04 54 02 65 6E 41"
    static let data = "D1 01 0B 64 91 01 01 55 00 55 00 03 01 02 03"
    static let other = "D1 01 01 78 FF"
}

private let uri = NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x55], payload: Array("\u{4}a.b".utf8))
private let x = NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x78], payload: [0xFF])
private let dataRecords = [
    NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x55], payload: [0]),
    NDEFRecord(typeNameFormat: .unknown, payload: [1, 2, 3]),
]

private func full() throws -> GenericControlRecord {
    try GenericControlRecord(configuration: 2, target: [uri], action: .code(2), data: dataRecords, other: [x])
}

@Suite("Generic Control records")
struct GenericControlRecordTests {
    @Test func `every field is decoded`() throws {
        let payload = "02 \(Part.target) \(Part.code) \(Part.data) \(Part.other)"
        let (request, warnings) = try decoded(GenericControlRecord.self, payload)
        #expect(request.configuration == 2)
        #expect(request.target == [uri])
        #expect(request.action == .code(2))
        #expect(request.data == dataRecords)
        #expect(request.other == [x])
        #expect(warnings.isEmpty)
        #expect(try request == full())
        #expect(try request.payload == bytes(payload))
    }

    @Test func `an action may be records`() throws {
        let (request, _) = try decoded(GenericControlRecord.self, "00 \(Part.target) \(Part.action)")
        #expect(try request.action == .records([.text("A")]))
        #expect(try request.payload == bytes("00 \(Part.target) \(Part.action)"))
        try checkRoundTrips(request)
    }

    @Test func `one message of all records is read as well`() throws {
        let one =
            "02 91 01 08 74 D1 01 04 55 04 61 2E 62 11 01 02 61 01 02 11 01 0B 64 91 01 01 55 00 55 00 03 01 02 03"
            + "51 01 01 78 FF"
        #expect(try decoded(GenericControlRecord.self, one).payload == full())
    }

    @Test func `the order does not matter, and only the target is needed`() throws {
        let shuffled = "02 \(Part.other) \(Part.data) \(Part.code) \(Part.target)"
        #expect(try decoded(GenericControlRecord.self, shuffled).payload == full())
        let request = try decoded(GenericControlRecord.self, "00 \(Part.target)").payload
        #expect(try request == GenericControlRecord(target: [uri]))
        #expect(request.action == nil && request.data.isEmpty && request.other.isEmpty)
        try checkRoundTrips(request)
    }

    @Test(arguments: [
        // Repeated.
        ("\(Part.code) \(Part.action)", ["GC_IGNORED"], 1),
        ("\(Part.data) \(Part.data)", ["GC_IGNORED"], 1),
        (Part.target, ["GC_IGNORED"], 1),
        ("D1 01 01 74 00", ["GC_IGNORED"], 1),
        // Unreadable; what comes after may count.
        ("D1 01 00 61", ["GC_IGNORED"], 1),
        ("D1 01 01 61 00", ["GC_IGNORED"], 1),
        ("D1 01 01 61 01", ["GC_IGNORED"], 1),
        ("D1 01 03 61 01 02 03", ["GC_IGNORED"], 1),
        ("D1 01 02 61 02 02", ["GC_IGNORED"], 1),
        ("D1 01 02 61 00 D1 \(Part.code)", ["GC_IGNORED"], 1),
        ("D1 01 00 64 \(Part.data)", ["GC_IGNORED"], 1),
        ("D1 01 01 64 00", ["GC_IGNORED"], 1),
        // Other formats and types.
        ("D2 01 02 61 01 02", [], 1),
        ("D1 01 02 41 01 02", [], 1),
        ("D0 00 00", [], 1),
        // Identifiers; the structure of what is inside.
        ("D9 01 02 01 61 2A 01 02", ["INNER_ID_IGNORED"], 0),
        ("D9 01 03 01 64 2A D0 00 00", ["INNER_ID_IGNORED"], 0),
        ("D1 01 03 64 D1 00 00", ["TYPE_LENGTH_ZERO_TNF1"], 0),
        ("D1 01 06 64 C1 01 00 00 00 00", ["GC_IGNORED"], 1),
        ("D1 01 07 64 C1 01 00 00 00 00 78", ["LONG_FORM_FOR_SHORT_PAYLOAD"], 0),
    ])
    func `an oddity is forgiven with a warning`(_ records: String, _ codes: [String], _ otherCount: Int) throws {
        let (request, warnings) = try decoded(GenericControlRecord.self, "00 \(Part.target)" + records)
        #expect(warnings == codes)
        #expect(request.other.count == otherCount)
        try checkRoundTrips(request)
    }

    @Test(arguments: [
        ("", "GC_SHORT"),
        ("00", "GC_TARGET_MISSING"),
        ("00 \(Part.code)", "GC_TARGET_MISSING"),
        ("00 D1 01 00 54", "GC_TARGET_MISSING"),
        ("00 D1 01 00 74", "EMPTY_INPUT"),
        ("00 D1 01 01 74 00", "MB_MISSING"),
        ("00 D1 01 03 74 D1 01 01", "TRUNCATED_TYPE"),
        ("00 D1", "TRUNCATED_HEADER"),
        ("00 D1 01 09 74 00", "TRUNCATED_PAYLOAD"),
        ("00 \(Part.target) D1", "TRUNCATED_HEADER"),
        ("00 \(Part.target) 51 01 00 78", "MB_MISSING"),
        ("00 \(Part.target) 91 01 00 78", "ME_MISSING"),
        ("00 91 01 01 74 00 D1 01 00 78", "MB_REPEATED"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(GenericControlRecord.self, payload) == code)
    }

    @Test(arguments: [
        "02 \(Part.target) \(Part.code) \(Part.data) \(Part.other)", "00 \(Part.target) \(Part.action)",
        "00 91 01 08 74 D1 01 04 55 04 61 2E 62 51 01 02 61 01 02",
    ])
    func `damage never stops the program, and what is read survives`(_ payload: String) throws {
        try checkDamage(GenericControlRecord.self, payload)
    }

    @Test(arguments: 820..<840 as Range<UInt64>)
    func `whatever records come in whatever order, what is read survives`(_ seed: UInt64) throws {
        let pool = [
            ("t", "D00000"), ("t", ""), ("a", "0102"), ("a", "00D00000"), ("a", ""), ("a", "0200"), ("d", "D00000"),
            ("d", "D5000101"), ("d", "00"), ("x", ""),
        ]
        var generator = SplitMix(seed: seed)
        for _ in 0..<50 {
            let inner = try (0..<Int.random(in: 0...10, using: &generator)).compactMap { _ in
                try pool.randomElement(using: &generator).map(wellKnown)
            }
            let records = [try wellKnown("t", "D00000")] + inner
            let payload = try [1] + NDEFMessage(records: records).encoded()
            try checkRoundTrips(GenericControlRecord(payload: payload))
        }
    }

    @Test func `there is an end to the messages within`() throws {
        let many = try bytes("00 \(Part.target)") + [[UInt8]](repeating: [0xD0, 0, 0], count: 65_536).joined()
        #expect(try refusalCode { try GenericControlRecord(payload: many) } == "LIMIT_EXCEEDED")
        #expect(try GenericControlRecord(payload: many.dropLast(3)).other.count == 65_535)
    }

    @Test func `what cannot be written is refused`() throws {
        let chunk = NDEFRecord(typeNameFormat: .unchanged)
        let code = try wellKnown("a", "01 00")
        let data = try wellKnown("d", "D0 00 00")
        #expect(try refusalCode { try GenericControlRecord(target: []) } == "GC_TARGET_MISSING")
        #expect(try refusalCode { try GenericControlRecord(target: [uri], action: .records([])) } == "GC_ACTION_EMPTY")
        #expect(try refusalCode { try GenericControlRecord(target: [uri], other: [x, code]) } == "GC_OTHER")
        #expect(try refusalCode { try GenericControlRecord(target: [uri], other: [data]) } == "GC_OTHER")
        #expect(try refusalCode { try GenericControlRecord(target: [chunk]) } == "UNCHANGED_WITHOUT_CHUNK")
        #expect(
            try refusalCode { try GenericControlRecord(target: [uri], action: .records([chunk])) }
                == "UNCHANGED_WITHOUT_CHUNK")
        #expect(try refusalCode { try GenericControlRecord(target: [uri], data: [chunk]) } == "UNCHANGED_WITHOUT_CHUNK")
        #expect(
            try refusalCode { try GenericControlRecord(target: [uri], other: [chunk]) } == "UNCHANGED_WITHOUT_CHUNK")
        // What repeats a field is not a danger to it.
        try checkRoundTrips(GenericControlRecord(target: [uri], action: .code(0), data: [x], other: [code, data]))
        try checkRoundTrips(full())
    }

    @Test func `the description has everything on one line`() throws {
        #expect(
            try full().description
                == "Generic Control, target of 1 record, action 2, data of 2 records, 1 other record")
        #expect(
            try GenericControlRecord(target: [uri, x], action: .records([x])).description
                == "Generic Control, target of 2 records, action of 1 record")
        // None of the tag's content is shown.
        #expect(
            try GenericControlRecord(target: [.text("\u{1B}[2J")]).description == "Generic Control, target of 1 record")
    }
}

@Suite("Generic Control records in JSON")
struct GenericControlJSONTests {
    private static let target = #"{"identifier":"","payload":"04612E62","type":"55","typeNameFormat":"nfcWellKnown"}"#

    @Test func `every field is written`() throws {
        #expect(
            try decodedJSON(full())
                == #"{"actionCode":2,"configuration":2,"data":["#
                + #"{"identifier":"","payload":"00","type":"55","typeNameFormat":"nfcWellKnown"},"#
                + #"{"identifier":"","payload":"010203","type":"","typeNameFormat":"unknown"}],"kind":"genericControl","#
                + #""other":[{"identifier":"","payload":"FF","type":"78","typeNameFormat":"nfcWellKnown"}],"#
                + #""target":[\#(Self.target)]}"#)
        #expect(
            try decodedJSON(GenericControlRecord(target: [uri], action: .records([uri])))
                == #"{"actionRecords":[\#(Self.target)],"configuration":0,"data":[],"kind":"genericControl","#
                + #""target":[\#(Self.target)]}"#)
    }

    @Test(arguments: [
        (#""target":[{"decoded":{"kind":"uri","uri":"https://a.b"}}]"#, "00 \(Part.target)"),
        (#""target":[\#(target)],"data":null,"actionCode":null,"actionRecords":null"#, "00 \(Part.target)"),
        (#""target":[\#(target)],"actionCode":2,"configuration":255"#, "FF \(Part.target) \(Part.code)"),
        (
            #""target":[\#(target)],"actionRecords":[{"decoded":{"kind":"text","text":"A"}}]"#,
            "00 \(Part.target) \(Part.action)"
        ),
    ])
    func `an object is read`(_ fields: String, _ payload: String) throws {
        #expect(try record(ofDecoded: #"{"kind":"genericControl",\#(fields)}"#).payload == bytes(payload))
    }

    @Test(arguments: [
        (#""configuration":0"#, "target"),
        (#""target":[]"#, "target"),
        (#""target":[{"typeNameFormat":"unchanged"}]"#, "target"),
        (#""target":[{"typeNameFormat":"unknown","payload":"0"}]"#, "target.0.payload"),
        (#""target":[\#(target)],"configuration":256"#, "configuration"),
        (#""target":[\#(target)],"actionCode":-1"#, "actionCode"),
        (#""target":[\#(target)],"actionCode":1,"actionRecords":[\#(target)]"#, "actionRecords"),
        (#""target":[\#(target)],"actionRecords":[]"#, "actionRecords"),
        (#""target":[\#(target)],"data":[{"typeNameFormat":"unchanged"}]"#, "data"),
        (#""target":[\#(target)],"other":[{"typeNameFormat":"unchanged"}]"#, "other"),
        (#""target":[\#(target)],"other":[{"typeNameFormat":"nfcWellKnown","type":"61","payload":"0100"}]"#, "other"),
    ])
    func `an error names the field`(_ fields: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: #"{"kind":"genericControl",\#(fields)}"#) == field)
    }
}
