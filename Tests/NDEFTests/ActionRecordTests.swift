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
