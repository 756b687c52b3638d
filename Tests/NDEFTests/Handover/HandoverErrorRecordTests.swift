import NDEF
import Testing

@Suite("Handover error records")
struct HandoverErrorRecordTests {
    @Test(
        arguments: [
            (
                "01 FF", HandoverErrorRecord.Reason.temporaryMemoryConstraints, 255,
                "temporary memory constraints (255 ms)"
            ),
            ("02 00 01 00 00", .permanentMemoryConstraints, 65_536, "permanent memory constraints (65536 bytes)"),
            ("02 FF FF FF FF", .permanentMemoryConstraints, .max, "permanent memory constraints (4294967295 bytes)"),
            ("03 00", .carrierSpecificConstraints, 0, "carrier-specific constraints (0 ms)"),
        ] as [(String, HandoverErrorRecord.Reason, UInt32, String)])
    func `a payload is decoded and encoded`(
        _ payload: String, _ reason: HandoverErrorRecord.Reason, _ data: UInt32, _ line: String
    ) throws {
        let (error, warnings) = try decoded(HandoverErrorRecord.self, payload)
        #expect(error.reason == reason)
        #expect(error.data == data)
        #expect(error.reserved.isEmpty)
        #expect(warnings.isEmpty)
        #expect(error.description == "Handover error: \(line)")
        #expect(try HandoverErrorRecord(reason, data: data).payload == bytes(payload))
        try checkRoundTrips(error)
    }

    @Test(arguments: [("01 0A 00 00", "00 00"), ("02 00 00 00 01 05", "05"), ("03 01 02", "02")])
    func `bytes after the data are kept with a warning`(_ payload: String, _ reserved: String) throws {
        let (error, warnings) = try decoded(HandoverErrorRecord.self, payload)
        #expect(try error.reserved == bytes(reserved))
        #expect(warnings == ["ERR_TRAILING_DATA"])
        #expect(try error.payload == bytes(payload))
        try checkRoundTrips(error)
    }

    @Test(arguments: [
        ("", "ERR_SHORT"), ("01", "ERR_SHORT"), ("02 00 00 00", "ERR_SHORT"), ("03", "ERR_SHORT"),
        ("00 01", "ERR_RFU_REASON"), ("04", "ERR_RFU_REASON"), ("FF 00", "ERR_RFU_REASON"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(HandoverErrorRecord.self, payload) == code)
    }

    @Test(arguments: [HandoverErrorRecord.Reason.temporaryMemoryConstraints, .carrierSpecificConstraints])
    func `a time above 255 ms is not written`(_ reason: HandoverErrorRecord.Reason) throws {
        let error = try #require(throws: NDEFPayloadError.self) { try HandoverErrorRecord(reason, data: 256) }
        #expect(error.description == "ERR_DATA_TOO_LARGE: 256 ms are more than the 255 that can be encoded")
    }

    @Test func `a record is of type err`() throws {
        let error = try HandoverErrorRecord(.permanentMemoryConstraints, data: 1)
        #expect(NDEFRecord(error).type == [0x65, 0x72, 0x72])
        #expect(NDEFRecord(error).decoded == .handoverError(error))
        #expect(error.description == "Handover error: permanent memory constraints (1 byte)")
    }

    @Test func `the JSON form has all fields`() throws {
        #expect(
            try decodedJSON(HandoverErrorRecord(.permanentMemoryConstraints, data: 4096, reserved: [1]))
                == #"{"data":4096,"kind":"handoverError","reason":"permanentMemoryConstraints","reserved":"01"}"#)
        let error: HandoverErrorRecord = try content(ofDecoded: #"{"kind":"handoverError","reason":3,"data":9}"#)
        #expect(try error == HandoverErrorRecord(.carrierSpecificConstraints, data: 9))
    }

    @Test(arguments: [
        (#"{"kind":"handoverError","data":1}"#, "reason"),
        (#"{"kind":"handoverError","reason":0,"data":1}"#, "reason"),
        (#"{"kind":"handoverError","reason":"busy","data":1}"#, "reason"),
        (#"{"kind":"handoverError","reason":1}"#, "data"),
        (#"{"kind":"handoverError","reason":1,"data":256}"#, "data"),
        (#"{"kind":"handoverError","reason":2,"data":4294967296}"#, "data"),
    ])
    func `an error names the field`(_ json: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: json) == field)
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(HandoverErrorRecord.self, "02 00 01 00 00")
        try checkDamage(HandoverErrorRecord.self, "01 FF 00")
    }
}
