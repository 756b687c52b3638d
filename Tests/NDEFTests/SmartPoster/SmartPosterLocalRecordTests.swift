import NDEF
import Testing

@Suite("Action records")
struct ActionRecordTests {
    @Test(
        arguments: [
            ("00", SmartPosterAction.execute, "Action execute", #"{"action":"execute","kind":"action"}"#),
            ("01", .save, "Action save", #"{"action":"save","kind":"action"}"#),
            ("02", .edit, "Action edit", #"{"action":"edit","kind":"action"}"#),
        ] as [(String, SmartPosterAction, String, String)])
    func `a byte is an action`(
        _ payload: String, _ action: SmartPosterAction, _ line: String, _ json: String
    ) throws {
        let (record, warnings) = try decoded(ActionRecord.self, payload)
        #expect(record == ActionRecord(action))
        #expect(warnings.isEmpty)
        #expect(record.description == line)
        #expect(try decodedJSON(record) == json)
        #expect(try ActionRecord(action).payload == bytes(payload))
        try checkRoundTrips(record)
    }

    @Test(arguments: [
        ("", "ACT_LENGTH"), ("00 00", "ACT_LENGTH"), ("01 02 03", "ACT_LENGTH"), ("03", "ACT_RFU"), ("FF", "ACT_RFU"),
    ])
    func `another length or a reserved action is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(ActionRecord.self, payload) == code)
    }

    @Test func `names and numbers are read`() throws {
        #expect(try record(ofDecoded: #"{"kind":"action","action":"save"}"#) == wellKnown("act", "01"))
        #expect(try record(ofDecoded: #"{"kind":"action","action":1}"#) == wellKnown("act", "01"))
    }

    @Test(arguments: [
        #"{"kind":"action"}"#, #"{"kind":"action","action":"Save"}"#, #"{"kind":"action","action":-1}"#,
        #"{"kind":"action","action":3}"#, #"{"kind":"action","action":256}"#, #"{"kind":"action","action":true}"#,
        #"{"kind":"action","action":"1"}"#,
    ])
    func `an error names the field`(_ json: String) throws {
        #expect(try rejectedField(ofDecoded: json) == "action")
    }
}

@Suite("Size records")
struct SizeRecordTests {
    @Test(
        arguments: [
            ("00 00 00 00", 0), ("00 00 27 10", 10_000), ("01 02 03 04", 16_909_060), ("FF FF FF FF", .max),
        ] as [(String, UInt32)])
    func `four bytes are a size`(_ payload: String, _ size: UInt32) throws {
        let (record, warnings) = try decoded(SizeRecord.self, payload)
        #expect(record == SizeRecord(size))
        #expect(warnings.isEmpty)
        #expect(record.description == "Size \(size)")
        #expect(try decodedJSON(record) == #"{"kind":"size","size":\#(size)}"#)
        #expect(try SizeRecord(size).payload == bytes(payload))
        try checkRoundTrips(record)
    }

    @Test(arguments: ["", "00", "00 00 00", "00 00 00 00 00"])
    func `another length is refused`(_ payload: String) throws {
        #expect(try payloadErrorCode(SizeRecord.self, payload) == "SIZE_LENGTH")
    }

    @Test(arguments: [
        #"{"kind":"size"}"#, #"{"kind":"size","size":-1}"#, #"{"kind":"size","size":4294967296}"#,
        #"{"kind":"size","size":1.5}"#, #"{"kind":"size","size":"1"}"#,
    ])
    func `an error names the field`(_ json: String) throws {
        #expect(try rejectedField(ofDecoded: json) == "size")
    }
}

@Suite("Type records")
struct TypeRecordTests {
    @Test(arguments: [
        ("74 65 78 74 2F 68 74 6D 6C", "text/html", "Type text/html"),
        ("61 2F 62 3B 63 3D 64", "a/b;c=d", "Type a/b;c=d"),
        ("C3 A9 2F 2F", "é//", "Type é//"),
        ("61 2F 0A", "a/\n", #"Type a/\u{A}"#),
    ])
    func `a payload is a media type`(_ payload: String, _ type: String, _ line: String) throws {
        let (record, warnings) = try decoded(TypeRecord.self, payload)
        #expect(try record == TypeRecord(type))
        #expect(record.type == type)
        #expect(warnings.isEmpty)
        #expect(record.description == line)
        #expect(try TypeRecord(type).payload == bytes(payload))
        try checkRoundTrips(record)
    }

    @Test(arguments: [
        ("", "TYPE_NOT_MIME"), ("20", "TYPE_NOT_MIME"), ("2F", "TYPE_NOT_MIME"), ("61 2F", "TYPE_NOT_MIME"),
        ("2F 61", "TYPE_NOT_MIME"), ("61 62", "TYPE_NOT_MIME"), ("61 2F FF", "TYPE_NOT_UTF8"), ("C3", "TYPE_NOT_UTF8"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(TypeRecord.self, payload) == code)
    }

    @Test func `what is not a media type is not written`() throws {
        #expect(try refusalCode { try TypeRecord("text") } == "TYPE_NOT_MIME")
        #expect(try rejectedField(ofDecoded: #"{"kind":"type","type":"text"}"#) == "type")
        #expect(try rejectedField(ofDecoded: #"{"kind":"type"}"#) == "type")
    }
}
