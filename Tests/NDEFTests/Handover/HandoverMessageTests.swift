import NDEF
import Testing

@Suite("Handover request records")
struct HandoverRequestRecordTests {
    // 1.2; cr 1234; ac active "0"; ac inactive "1" with auxiliary "x".
    private static let full =
        "12 91 02 02 63 72 12 34 11 02 04 61 63 01 01 30 00 51 02 06 61 63 00 01 31 01 01 78"

    @Test func `all fields are decoded`() throws {
        let (request, warnings) = try decoded(HandoverRequestRecord.self, Self.full)
        #expect(request.version.major == 1)
        #expect(request.version.minor == 2)
        #expect(request.collisionResolution == CollisionResolutionRecord(0x1234))
        #expect(
            try request.carriers == [
                AlternativeCarrierRecord(powerState: .active, carrierDataReference: [0x30]),
                AlternativeCarrierRecord(
                    powerState: .inactive, carrierDataReference: [0x31], auxiliaryDataReferences: [[0x78]]),
            ])
        #expect(request.other.isEmpty)
        #expect(warnings.isEmpty)
        #expect(request.description == "Handover request 1.2, 2 carriers")
    }

    @Test(
        arguments: [
            // Before version 1.2 there is no collision resolution, and newer minor versions are accepted.
            ("10 D1 02 04 61 63 01 01 30 00", "1.0", nil, 1, 0, []),
            ("11 91 02 02 63 72 00 07 51 02 04 61 63 01 01 30 00", "1.1", 7, 1, 0, []),
            ("1F 91 02 02 63 72 00 07 51 02 04 61 63 01 01 30 00", "1.15", 7, 1, 0, []),
            ("11", "1.1", nil, 0, 0, ["HO_CARRIER_MISSING"]),
            ("12 D1 02 02 63 72 00 07", "1.2", 7, 0, 0, ["HO_CARRIER_MISSING"]),
            // The order does not matter.
            ("12 91 02 04 61 63 01 01 30 00 51 02 02 63 72 00 07", "1.2", 7, 1, 0, []),
            // Records of other types, a second collision resolution, and an error.
            ("10 91 02 04 61 63 01 01 30 00 51 01 02 55 00 78", "1.0", nil, 1, 1, []),
            (
                "12 91 02 02 63 72 00 07 11 02 04 61 63 01 01 30 00 51 02 02 63 72 00 08", "1.2", 7, 1, 1,
                ["HO_MISPLACED_RECORD"]
            ),
            (
                "10 91 02 04 61 63 01 01 30 00 11 03 02 65 72 72 01 FF 51 03 00 65 72 72", "1.0", nil, 1, 2,
                ["HO_MISPLACED_RECORD"]
            ),
            // Types are compared with case, and other formats have their own types.
            ("10 91 02 01 41 63 00 52 02 00 61 63", "1.0", nil, 0, 2, ["HO_CARRIER_MISSING"]),
            // An identifier, a long length, and the remarks on the records.
            (
                "12 99 02 02 01 63 72 69 00 07 49 02 00 00 00 04 01 61 63 69 F9 01 30 00", "1.2", 7, 1, 0,
                ["LONG_FORM_FOR_SHORT_PAYLOAD", "HO_LOCAL_IDENTIFIER", "AC_RESERVED_BITS"]
            ),
        ] as [(String, String, UInt16?, Int, Int, [String])])
    func `what is odd is forgiven`(
        _ payload: String, _ version: String, _ number: UInt16?, _ carriers: Int, _ other: Int, _ codes: [String]
    ) throws {
        let (request, warnings) = try decoded(HandoverRequestRecord.self, payload)
        #expect(request.version.description == version)
        #expect(request.collisionResolution?.randomNumber == number)
        #expect(request.carriers.count == carriers)
        #expect(request.other.count == other)
        #expect(warnings == codes)
        try checkRoundTrips(request)
    }

    @Test(arguments: [
        ("", "HO_EMPTY"),
        ("02 D1 02 04 61 63 01 01 30 00", "HO_MAJOR_VERSION"),
        ("22", "HO_MAJOR_VERSION"),
        ("FF 00", "HO_MAJOR_VERSION"),
        ("12", "HO_CR_MISSING"),
        ("12 D1 02 04 61 63 01 01 30 00", "HO_CR_MISSING"),
        ("13 D1 01 01 55 00", "HO_CR_MISSING"),
        ("10 91 02 04 61 63 01 01 30 00", "ME_MISSING"),
        ("10 D1 02 04 61 63 01 01 30", "TRUNCATED_PAYLOAD"),
        ("10 51 02 04 61 63 01 01 30 00", "MB_MISSING"),
        ("10 D1 02 04 61 63 01 01 30 00 00", "TRAILING_DATA"),
        ("10 D1 02 02 61 63 01 01", "AC_SHORT"),
        ("10 D1 02 04 61 63 01 01 30 01", "AC_AUX_SHORT"),
        ("12 D1 02 01 63 72 01", "CR_SHORT"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(HandoverRequestRecord.self, payload) == code)
    }

    @Test func `the error is located in the message inside`() throws {
        let input = try bytes("10 D1 02 04 61")
        let error = try #require(throws: NDEFPayloadError.self) { try HandoverRequestRecord(payload: input) }
        #expect(error.message.hasPrefix("in the message inside: record 1 at byte 0: "))
    }

    @Test func `a request is encoded`() throws {
        let request = try HandoverRequestRecord(
            version: HandoverVersion(minor: 2), collisionResolution: CollisionResolutionRecord(0x1234),
            carriers: [
                AlternativeCarrierRecord(carrierDataReference: [0x30]),
                AlternativeCarrierRecord(
                    powerState: .inactive, carrierDataReference: [0x31], auxiliaryDataReferences: [[0x78]]),
            ])
        #expect(try request.payload == bytes(Self.full))
        let record = NDEFRecord(request, identifier: [1])
        #expect(record.typeNameFormat == .nfcWellKnown)
        #expect(record.type == [0x48, 0x72])
        #expect(record.decoded == .handoverRequest(request))
    }

    @Test func `other records come last`() throws {
        let request = try HandoverRequestRecord(
            version: HandoverVersion(minor: 0), collisionResolution: nil,
            carriers: [AlternativeCarrierRecord(carrierDataReference: [0x30])], other: [.uri("x")])
        #expect(try request.payload == bytes("10 91 02 04 61 63 01 01 30 00 51 01 02 55 00 78"))
        #expect(
            try HandoverRequestRecord(version: HandoverVersion(minor: 0), collisionResolution: nil, carriers: [])
                .payload == [0x10])
    }

    @Test(
        arguments: [
            (nil, [], "HO_CR_MISSING"),
            (1, [NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x61, 0x63])], "HO_OTHER_RECORD"),
            (1, [NDEFRecord(typeNameFormat: .unchanged)], "UNCHANGED_WITHOUT_CHUNK"),
            (1, [NDEFRecord(typeNameFormat: .media, type: [UInt8](repeating: 1, count: 256))], "TYPE_TOO_LONG"),
            (1, [NDEFRecord(typeNameFormat: .empty, identifier: [1])], "EMPTY_RECORD_NOT_EMPTY"),
        ] as [(UInt16?, [NDEFRecord], String)])
    func `what would not be read again is not written`(_ number: UInt16?, _ other: [NDEFRecord], _ code: String) throws
    {
        let error = try #require(throws: NDEFPayloadError.self) {
            try HandoverRequestRecord(
                collisionResolution: number.map { CollisionResolutionRecord($0) }, carriers: [], other: other)
        }
        #expect(error.code.rawValue == code)
    }

    @Test func `a second collision resolution may be written, a lone one is no other record`() throws {
        let other = NDEFRecord(CollisionResolutionRecord(2))
        let version = try HandoverVersion(minor: 1)
        let request = try HandoverRequestRecord(
            version: version, collisionResolution: CollisionResolutionRecord(1), carriers: [], other: [other])
        try checkRoundTrips(request)
        #expect(throws: NDEFPayloadError.self) {
            try HandoverRequestRecord(version: version, collisionResolution: nil, carriers: [], other: [other])
        }
    }

    @Test func `the JSON form has all fields`() throws {
        let request = try HandoverRequestRecord(payload: bytes(Self.full))
        #expect(
            try decodedJSON(request)
                == #"{"carriers":[{"auxiliaryDataReferences":[],"carrierDataReference":"30","powerState":"active"},"#
                + #"{"auxiliaryDataReferences":["78"],"carrierDataReference":"31","powerState":"inactive"}],"#
                + #""collisionResolution":{"randomNumber":4660},"kind":"handoverRequest","version":"1.2"}"#)
        let withOther = try HandoverRequestRecord(payload: bytes("11 D1 01 02 55 00 78"))
        #expect(
            try decodedJSON(withOther)
                == #"{"carriers":[],"kind":"handoverRequest","other":[{"identifier":"","payload":"0078","type":"55","#
                + #""typeNameFormat":"nfcWellKnown"}],"version":"1.1"}"#)
    }

    @Test(arguments: [
        (#"{"kind":"handoverRequest","collisionResolution":{"randomNumber":1}}"#, "15 D1 02 02 63 72 00 01"),
        (#"{"kind":"handoverRequest","version":"1.0","carriers":[],"error":7}"#, "10"),
        (
            #"{"kind":"handoverRequest","version":"1.1","other":[{"decoded":{"kind":"uri","uri":"x"}}]}"#,
            "11 D1 01 02 55 00 78"
        ),
    ])
    func `missing fields have defaults`(_ json: String, _ payload: String) throws {
        let request: HandoverRequestRecord = try content(ofDecoded: json)
        #expect(try request.payload == bytes(payload))
    }

    @Test(arguments: [
        (#"{"kind":"handoverRequest"}"#, "collisionResolution"),
        (#"{"kind":"handoverRequest","version":"1.1","collisionResolution":7}"#, "collisionResolution"),
        (#"{"kind":"handoverRequest","version":"2.0"}"#, "version"),
        (#"{"kind":"handoverRequest","version":1.1}"#, "version"),
        (#"{"kind":"handoverRequest","version":"1.1","carriers":[{}]}"#, "carriers.0.carrierDataReference"),
        (#"{"kind":"handoverRequest","version":"1.1","other":[{"typeNameFormat":"unchanged"}]}"#, "other"),
        (
            #"{"kind":"handoverRequest","version":"1.1","other":[{"typeNameFormat":"nfcWellKnown","type":"6372"}]}"#,
            "other"
        ),
        (#"{"kind":"handoverRequest","version":"1.1","other":[{}]}"#, "other.0.typeNameFormat"),
    ])
    func `an error names the field`(_ json: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: json) == field)
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(HandoverRequestRecord.self, Self.full)
        try checkRandomPayloads(HandoverRequestRecord.self, startingWith: "10 D1 02 08 61 63", seed: 1)
    }

    @Test(.timeLimit(.minutes(20))) func `many records take time in proportion and give each warning once`() throws {
        var input: [UInt8] = [0x10, 0x91, 2, 3, 0x61, 0x63, 0xFF, 0, 0]
        for _ in 0..<60_000 { input += [0x11, 2, 3, 0x61, 0x63, 0xFF, 0, 0] }
        input += [0x51, 2, 3, 0x61, 0x63, 0xFF, 0, 0]
        var warnings: [NDEFWarning.Code] = []
        let request = try HandoverRequestRecord(payload: input, warnings: &warnings)
        #expect(request.carriers.count == 60_002)
        #expect(warnings == [.alternativeCarrierReservedBits, .alternativeCarrierReferenceEmpty])
    }
}

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
    func `other texts are not versions`(_ text: String) {
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
