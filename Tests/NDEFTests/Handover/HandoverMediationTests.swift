import NDEF
import Testing

@Suite("Handover mediation records")
struct HandoverMediationRecordTests {
    // 1.3; ac activating "a"; a URI record.
    private static let full = "13 91 02 04 61 63 02 01 61 00 51 01 02 55 00 78"

    @Test func `all fields are decoded`() throws {
        let (mediation, warnings) = try decoded(HandoverMediationRecord.self, Self.full)
        #expect(mediation.version.description == "1.3")
        #expect(
            try mediation.carriers == [AlternativeCarrierRecord(powerState: .activating, carrierDataReference: [0x61])])
        #expect(try mediation.other == [.uri("x")])
        #expect(warnings.isEmpty)
        #expect(mediation.description == "Handover mediation 1.3, 1 carrier")
    }

    @Test(
        arguments: [
            ("13", 0, []),
            ("1F D1 02 02 63 72 00 01", 1, ["HO_MISPLACED_RECORD"]),
            ("13 D1 03 01 65 72 72 09", 1, ["HO_MISPLACED_RECORD"]),
            ("13 D9 02 03 01 61 63 69 01 00 00", 0, ["HO_LOCAL_IDENTIFIER", "AC_REFERENCE_EMPTY"]),
        ] as [(String, Int, [String])])
    func `what is odd is forgiven`(_ payload: String, _ other: Int, _ codes: [String]) throws {
        let (mediation, warnings) = try decoded(HandoverMediationRecord.self, payload)
        #expect(mediation.other.count == other)
        #expect(warnings == codes)
        try checkRoundTrips(mediation)
    }

    @Test(arguments: [
        ("", "HO_EMPTY"), ("03", "HO_MAJOR_VERSION"), ("13 D1", "TRUNCATED_HEADER"),
        ("13 D1 02 00 61 63", "AC_SHORT"), ("13 D1 02 03 61 63 00 00 01", "AC_AUX_SHORT"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(HandoverMediationRecord.self, payload) == code)
    }

    @Test func `a message is encoded`() throws {
        let mediation = try HandoverMediationRecord(
            version: HandoverVersion(minor: 3),
            carriers: [AlternativeCarrierRecord(powerState: .activating, carrierDataReference: [0x61])],
            other: [.uri("x")])
        #expect(try mediation.payload == bytes(Self.full))
        #expect(NDEFRecord(mediation).type == [0x48, 0x6D])
        #expect(NDEFRecord(mediation).decoded == .handoverMediation(mediation))
        #expect(throws: NDEFPayloadError.self) {
            try HandoverMediationRecord(
                carriers: [], other: [NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x61, 0x63])])
        }
    }

    @Test func `the JSON form has all fields`() throws {
        #expect(
            try decodedJSON(HandoverMediationRecord(payload: bytes(Self.full)))
                == #"{"carriers":[{"auxiliaryDataReferences":[],"carrierDataReference":"61","powerState":"activating"}],"#
                + #""kind":"handoverMediation","other":[{"identifier":"","payload":"0078","type":"55","#
                + #""typeNameFormat":"nfcWellKnown"}],"version":"1.3"}"#)
        let plain: HandoverMediationRecord = try content(ofDecoded: #"{"kind":"handoverMediation"}"#)
        #expect(plain.payload == [0x15])
        #expect(try rejectedField(ofDecoded: #"{"kind":"handoverMediation","version":"1"}"#) == "version")
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(HandoverMediationRecord.self, Self.full)
        try checkRandomPayloads(HandoverMediationRecord.self, startingWith: "13 D1 02", seed: 3)
    }
}

@Suite("Handover initiate records")
struct HandoverInitiateRecordTests {
    // 1.3; ac activating "a"; a URI record.
    private static let full = "13 91 02 04 61 63 02 01 61 00 51 01 02 55 00 78"

    @Test func `all fields are decoded`() throws {
        let (initiate, warnings) = try decoded(HandoverInitiateRecord.self, Self.full)
        #expect(initiate.version.description == "1.3")
        #expect(
            try initiate.carriers == [AlternativeCarrierRecord(powerState: .activating, carrierDataReference: [0x61])])
        #expect(try initiate.other == [.uri("x")])
        #expect(warnings.isEmpty)
        #expect(initiate.description == "Handover initiate 1.3, 1 carrier")
    }

    @Test(
        arguments: [
            ("13", 0, []),
            ("1F D1 02 02 63 72 00 01", 1, ["HO_MISPLACED_RECORD"]),
            ("13 D1 03 01 65 72 72 09", 1, ["HO_MISPLACED_RECORD"]),
            ("13 D9 02 03 01 61 63 69 01 00 00", 0, ["HO_LOCAL_IDENTIFIER", "AC_REFERENCE_EMPTY"]),
        ] as [(String, Int, [String])])
    func `what is odd is forgiven`(_ payload: String, _ other: Int, _ codes: [String]) throws {
        let (initiate, warnings) = try decoded(HandoverInitiateRecord.self, payload)
        #expect(initiate.other.count == other)
        #expect(warnings == codes)
        try checkRoundTrips(initiate)
    }

    @Test(arguments: [
        ("", "HO_EMPTY"), ("03", "HO_MAJOR_VERSION"), ("13 D1", "TRUNCATED_HEADER"),
        ("13 D1 02 00 61 63", "AC_SHORT"), ("13 D1 02 03 61 63 00 00 01", "AC_AUX_SHORT"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(HandoverInitiateRecord.self, payload) == code)
    }

    @Test func `a message is encoded`() throws {
        let initiate = try HandoverInitiateRecord(
            version: HandoverVersion(minor: 3),
            carriers: [AlternativeCarrierRecord(powerState: .activating, carrierDataReference: [0x61])],
            other: [.uri("x")])
        #expect(try initiate.payload == bytes(Self.full))
        #expect(NDEFRecord(initiate).type == [0x48, 0x69])
        #expect(NDEFRecord(initiate).decoded == .handoverInitiate(initiate))
        #expect(throws: NDEFPayloadError.self) {
            try HandoverInitiateRecord(
                carriers: [], other: [NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x61, 0x63])])
        }
    }

    @Test func `the JSON form has all fields`() throws {
        #expect(
            try decodedJSON(HandoverInitiateRecord(payload: bytes(Self.full)))
                == #"{"carriers":[{"auxiliaryDataReferences":[],"carrierDataReference":"61","powerState":"activating"}],"#
                + #""kind":"handoverInitiate","other":[{"identifier":"","payload":"0078","type":"55","#
                + #""typeNameFormat":"nfcWellKnown"}],"version":"1.3"}"#)
        let plain: HandoverInitiateRecord = try content(ofDecoded: #"{"kind":"handoverInitiate"}"#)
        #expect(plain.payload == [0x15])
        #expect(try rejectedField(ofDecoded: #"{"kind":"handoverInitiate","version":"1"}"#) == "version")
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(HandoverInitiateRecord.self, Self.full)
        try checkRandomPayloads(HandoverInitiateRecord.self, startingWith: "13 D1 02", seed: 4)
    }
}
