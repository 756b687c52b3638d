import NDEF
import Testing

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

    @Test func `what is no media type is not written`() throws {
        #expect(try refusalCode { try TypeRecord("text") } == "TYPE_NOT_MIME")
        #expect(try rejectedField(ofDecoded: #"{"kind":"type","type":"text"}"#) == "type")
        #expect(try rejectedField(ofDecoded: #"{"kind":"type"}"#) == "type")
    }
}
