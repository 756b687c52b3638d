import NDEF
import Testing

@Suite("Handover select records")
struct HandoverSelectRecordTests {
    // 1.3; ac unknown "b"; err 01 FF.
    private static let full = "13 91 02 04 61 63 03 01 62 00 51 03 02 65 72 72 01 FF"

    @Test func `all fields are decoded`() throws {
        let (select, warnings) = try decoded(HandoverSelectRecord.self, Self.full)
        #expect(select.version.description == "1.3")
        #expect(try select.carriers == [AlternativeCarrierRecord(powerState: .unknown, carrierDataReference: [0x62])])
        #expect(try select.error == HandoverErrorRecord(.temporaryMemoryConstraints, data: 255))
        #expect(select.other.isEmpty)
        #expect(warnings.isEmpty)
        #expect(select.description == "Handover select 1.3, 1 carrier, temporary memory constraints (255 ms)")
    }

    @Test(
        arguments: [
            // No carrier fits.
            ("12", 0, false, 0, []),
            ("12 D1 03 05 65 72 72 02 00 00 10 00", 0, true, 0, []),
            // An error before the carriers, a second error, a collision resolution, and another record.
            ("12 91 03 02 65 72 72 03 01 51 02 04 61 63 01 01 30 00", 1, true, 0, []),
            ("12 91 03 02 65 72 72 03 01 51 03 01 65 72 72 09", 0, true, 1, ["HO_MISPLACED_RECORD"]),
            ("12 D1 02 02 63 72 00 01", 0, false, 1, ["HO_MISPLACED_RECORD"]),
            ("12 D2 03 01 61 2F 62 00", 0, false, 1, []),
            ("12 D9 03 02 01 65 72 72 69 01 FF", 0, true, 0, ["HO_LOCAL_IDENTIFIER"]),
            ("12 D1 03 03 65 72 72 01 FF 00", 0, true, 0, ["ERR_TRAILING_DATA"]),
        ] as [(String, Int, Bool, Int, [String])])
    func `what is odd is forgiven`(
        _ payload: String, _ carriers: Int, _ hasError: Bool, _ other: Int, _ codes: [String]
    ) throws {
        let (select, warnings) = try decoded(HandoverSelectRecord.self, payload)
        #expect(select.carriers.count == carriers)
        #expect((select.error != nil) == hasError)
        #expect(select.other.count == other)
        #expect(warnings == codes)
        try checkRoundTrips(select)
    }

    @Test(arguments: [
        ("", "HO_EMPTY"),
        ("20", "HO_MAJOR_VERSION"),
        ("12 00", "MB_MISSING"),
        ("12 D1", "TRUNCATED_HEADER"),
        ("12 D1 02 01 61 63 01", "AC_SHORT"),
        ("12 D1 02 04 61 63 01 01 30 09", "AC_AUX_SHORT"),
        ("12 D1 03 01 65 72 72 01", "ERR_SHORT"),
        ("12 D1 03 02 65 72 72 04 00", "ERR_RFU_REASON"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(HandoverSelectRecord.self, payload) == code)
    }

    @Test func `a selection is encoded`() throws {
        let select = try HandoverSelectRecord(
            version: HandoverVersion(minor: 3),
            carriers: [AlternativeCarrierRecord(powerState: .unknown, carrierDataReference: [0x62])],
            error: HandoverErrorRecord(.temporaryMemoryConstraints, data: 255))
        #expect(try select.payload == bytes(Self.full))
        #expect(NDEFRecord(select).type == [0x48, 0x73])
        #expect(NDEFRecord(select).decoded == .handoverSelect(select))
        #expect(try HandoverSelectRecord(carriers: []).payload == [0x15])
    }

    @Test func `an error is no other record, unless there is one`() throws {
        let error = try HandoverErrorRecord(.carrierSpecificConstraints, data: 1)
        let refusal = try #require(throws: NDEFPayloadError.self) {
            try HandoverSelectRecord(carriers: [], other: [NDEFRecord(error)])
        }
        #expect(refusal.code.rawValue == "HO_OTHER_RECORD")
        try checkRoundTrips(
            HandoverSelectRecord(carriers: [], error: error, other: [NDEFRecord(error)]))
    }

    @Test func `the JSON form has all fields`() throws {
        #expect(
            try decodedJSON(HandoverSelectRecord(payload: bytes(Self.full)))
                == #"{"carriers":[{"auxiliaryDataReferences":[],"carrierDataReference":"62","powerState":"unknown"}],"#
                + #""error":{"data":255,"reason":"temporaryMemoryConstraints"},"kind":"handoverSelect","version":"1.3"}"#
        )
        let plain: HandoverSelectRecord = try content(ofDecoded: #"{"kind":"handoverSelect"}"#)
        #expect(plain.payload == [0x15])
        #expect(
            try rejectedField(ofDecoded: #"{"kind":"handoverSelect","error":{"reason":"none","data":1}}"#)
                == "error.reason")
        #expect(try rejectedField(ofDecoded: #"{"kind":"handoverSelect","carriers":{}}"#) == "carriers")
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(HandoverSelectRecord.self, Self.full)
        try checkRandomPayloads(HandoverSelectRecord.self, startingWith: "12 D1 03 05 65 72 72", seed: 2)
    }
}

@Suite("Handover versions")
struct HandoverVersionTests {
    @Test(arguments: [("1.0", 0), ("1.5", 5), ("1.15", 15)] as [(String, UInt8)])
    func `a version has a text`(_ text: String, _ minor: UInt8) throws {
        let version = try #require(HandoverVersion(text))
        #expect(version.major == 1)
        #expect(version.minor == minor)
        #expect(version.description == text)
    }

    @Test(arguments: ["", "1", "1.", "1.16", "1.01", "1.+1", "2.0", "01.0", " 1.0", "1.0.0", "1.256"])
    func `other texts are no versions`(_ text: String) {
        #expect(HandoverVersion(text) == nil)
    }

    @Test func `only 1.0 to 1.15 can be encoded`() throws {
        let major = try #require(throws: NDEFPayloadError.self) { try HandoverVersion(major: 2, minor: 0) }
        #expect(major.description == "HO_MAJOR_VERSION: the handover message is of version 2.0, but only 1.x is known")
        let minor = try #require(throws: NDEFPayloadError.self) { try HandoverVersion(minor: 16) }
        #expect(minor.code.rawValue == "HO_MINOR_VERSION")
    }
}

@Suite("Carrier references")
struct CarrierReferenceTests {
    @Test func `a reference names a record by its identifier`() throws {
        let first = NDEFRecord(typeNameFormat: .unknown, identifier: [0x30], payload: [1])
        let second = NDEFRecord(typeNameFormat: .unknown, identifier: [0x30], payload: [2])
        let message = NDEFMessage(records: [try .uri("x"), first, second])
        #expect(message.record(for: [0x30]) == first)
        #expect(message.record(for: [0x31]) == nil)
        #expect(message.record(for: []) == nil)
    }
}
