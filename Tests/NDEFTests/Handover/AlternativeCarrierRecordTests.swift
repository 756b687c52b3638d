import NDEF
import Testing

@Suite("Alternative carrier records")
struct AlternativeCarrierRecordTests {
    private static let full = "01 02 62 74 02 01 78 02 79 7A AA BB"

    @Test func `all fields are decoded`() throws {
        let (carrier, warnings) = try decoded(AlternativeCarrierRecord.self, Self.full)
        #expect(carrier.powerState == .active)
        #expect(carrier.carrierDataReference == [0x62, 0x74])
        #expect(carrier.auxiliaryDataReferences == [[0x78], [0x79, 0x7A]])
        #expect(carrier.reserved == [0xAA, 0xBB])
        #expect(warnings.isEmpty)
        #expect(carrier.description == "Alternative carrier \"bt\" (active)")
    }

    @Test(arguments: [
        ("00 01 30 00", AlternativeCarrierRecord.PowerState.inactive, []),
        ("01 01 30 00", .active, []),
        ("02 01 30 00", .activating, []),
        ("03 01 30 00", .unknown, []),
        ("FF 01 30 00", .unknown, ["AC_RESERVED_BITS"]),
        ("04 01 30 00", .inactive, ["AC_RESERVED_BITS"]),
        ("01 00 00", .active, ["AC_REFERENCE_EMPTY"]),
        ("01 01 30 01 00", .active, []),
    ])
    func `the power state is decoded, and what is odd is forgiven`(
        _ payload: String, _ state: AlternativeCarrierRecord.PowerState, _ codes: [String]
    ) throws {
        let (carrier, warnings) = try decoded(AlternativeCarrierRecord.self, payload)
        #expect(carrier.powerState == state)
        #expect(warnings == codes)
        try checkRoundTrips(carrier)
    }

    @Test(arguments: [
        ("", "AC_SHORT"), ("01", "AC_SHORT"), ("01 01", "AC_SHORT"), ("01 01 30", "AC_SHORT"),
        ("01 FF 30 00", "AC_SHORT"),
        ("01 01 30 01", "AC_AUX_SHORT"), ("01 01 30 01 01", "AC_AUX_SHORT"), ("01 01 30 02 01 78", "AC_AUX_SHORT"),
        ("01 01 30 FF 00 00", "AC_AUX_SHORT"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(AlternativeCarrierRecord.self, payload) == code)
    }

    @Test func `the error says which reference is cut`() throws {
        let input = try bytes("01 01 30 02 01 78 03 79")
        let error = try #require(throws: NDEFPayloadError.self) { try AlternativeCarrierRecord(payload: input) }
        #expect(error.message == "the alternative carrier ends within auxiliary reference 2 of 2")
    }

    @Test func `a carrier is encoded`() throws {
        let carrier = try AlternativeCarrierRecord(
            carrierDataReference: [0x62, 0x74], auxiliaryDataReferences: [[0x78], [0x79, 0x7A]], reserved: [0xAA, 0xBB])
        #expect(try carrier.payload == bytes(Self.full))
        #expect(NDEFRecord(carrier).type == [0x61, 0x63])
        #expect(NDEFRecord(carrier).decoded == .alternativeCarrier(carrier))
    }

    @Test func `there may be 255 references of 255 bytes`() throws {
        let long = [UInt8](repeating: 0x61, count: 255)
        try checkRoundTrips(
            AlternativeCarrierRecord(
                carrierDataReference: long, auxiliaryDataReferences: [[UInt8]](repeating: long, count: 255)))
    }

    @Test(arguments: [
        (256, 0, 0, "AC_REFERENCE_TOO_LONG"), (1, 1, 256, "AC_REFERENCE_TOO_LONG"), (1, 256, 1, "AC_AUX_TOO_MANY"),
    ])
    func `more cannot be encoded`(_ length: Int, _ count: Int, _ auxiliaryLength: Int, _ code: String) throws {
        let auxiliary = [UInt8](repeating: 0x61, count: auxiliaryLength)
        let error = try #require(throws: NDEFPayloadError.self) {
            try AlternativeCarrierRecord(
                carrierDataReference: [UInt8](repeating: 0x61, count: length),
                auxiliaryDataReferences: [[UInt8]](repeating: auxiliary, count: count))
        }
        #expect(error.code.rawValue == code)
    }

    @Test func `a reference cannot drive the terminal`() throws {
        let carrier = try AlternativeCarrierRecord(powerState: .inactive, carrierDataReference: [0x1B, 0x22, 0x0A])
        #expect(carrier.description == #"Alternative carrier "\u{1B}\"\u{A}" (inactive)"#)
    }

    @Test func `the JSON form has all fields`() throws {
        #expect(
            try decodedJSON(AlternativeCarrierRecord(payload: bytes(Self.full)))
                == #"{"auxiliaryDataReferences":["78","797A"],"carrierDataReference":"6274","kind":"alternativeCarrier","#
                + #""powerState":"active","reserved":"AABB"}"#)
    }

    @Test(arguments: [
        (#"{"kind":"alternativeCarrier","carrierDataReference":"30"}"#, "01 01 30 00"),
        (#"{"kind":"alternativeCarrier","carrierDataReference":"30","powerState":null}"#, "01 01 30 00"),
        (#"{"kind":"alternativeCarrier","carrierDataReference":"","powerState":"unknown"}"#, "03 00 00"),
        (#"{"kind":"alternativeCarrier","carrierDataReference":"30","powerState":2}"#, "02 01 30 00"),
    ])
    func `missing fields have defaults, and numbers are read for names`(_ json: String, _ payload: String) throws {
        let carrier: AlternativeCarrierRecord = try content(ofDecoded: json)
        #expect(try carrier.payload == bytes(payload))
    }

    @Test(arguments: [
        (#"{"kind":"alternativeCarrier"}"#, "carrierDataReference"),
        (#"{"kind":"alternativeCarrier","carrierDataReference":"bt"}"#, "carrierDataReference"),
        (#"{"kind":"alternativeCarrier","carrierDataReference":"30","powerState":"on"}"#, "powerState"),
        (#"{"kind":"alternativeCarrier","carrierDataReference":"30","powerState":4}"#, "powerState"),
        (#"{"kind":"alternativeCarrier","carrierDataReference":"30","powerState":[]}"#, "powerState"),
        (
            #"{"kind":"alternativeCarrier","carrierDataReference":"30","auxiliaryDataReferences":["3"]}"#,
            "auxiliaryDataReferences"
        ),
        (#"{"kind":"alternativeCarrier","carrierDataReference":"30","reserved":"x"}"#, "reserved"),
    ])
    func `an error names the field`(_ json: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: json) == field)
    }

    @Test func `a reference that is too long is named`() throws {
        let digits = String(repeating: "61", count: 256)
        let start = #"{"kind":"alternativeCarrier","carrierDataReference":""#
        #expect(try rejectedField(ofDecoded: start + digits + #""}"#) == "carrierDataReference")
        let auxiliary = start + #"30","auxiliaryDataReferences":[""# + digits + #""]}"#
        #expect(try rejectedField(ofDecoded: auxiliary) == "auxiliaryDataReferences")
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(AlternativeCarrierRecord.self, Self.full)
        try checkRandomPayloads(AlternativeCarrierRecord.self, startingWith: "01 01 30", seed: 6)
    }
}
