import NDEF
import Testing

@Suite("Handover carrier records")
struct HandoverCarrierRecordTests {
    private static let full = "02 03 61 2F 62 01 02"

    @Test(arguments: [
        (full, TypeNameFormat.media, "61 2F 62", "01 02", []),
        ("01 01 55", .nfcWellKnown, "55", "", []),
        ("04 03 61 3A 62 00", .nfcExternal, "61 3A 62", "00", []),
        ("03 00", .absoluteURI, "", "", []),
        ("0A 01 78", .media, "78", "", ["HC_RESERVED_BITS"]),
        ("00 00", .empty, "", "", ["HC_TYPE_FORMAT"]),
        ("05 00 01", .unknown, "", "01", ["HC_TYPE_FORMAT"]),
        ("06 01 78", .unchanged, "78", "", ["HC_TYPE_FORMAT"]),
        ("FF 01 80 FF", .reserved, "80", "FF", ["HC_RESERVED_BITS", "HC_TYPE_FORMAT"]),
    ])
    func `a payload is decoded`(
        _ payload: String, _ format: TypeNameFormat, _ type: String, _ data: String, _ codes: [String]
    ) throws {
        let (carrier, warnings) = try decoded(HandoverCarrierRecord.self, payload)
        #expect(carrier.carrierTypeFormat == format)
        #expect(try carrier.carrierType == bytes(type))
        #expect(try carrier.carrierData == bytes(data))
        #expect(warnings == codes)
        try checkRoundTrips(carrier)
    }

    @Test(arguments: [
        ("", "HC_SHORT"), ("02", "HC_SHORT"), ("02 01", "HC_TYPE_OVERRUN"), ("02 FF 61 62", "HC_TYPE_OVERRUN"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        #expect(try payloadErrorCode(HandoverCarrierRecord.self, payload) == code)
    }

    @Test func `the errors say what is missing`() throws {
        let short = try #require(throws: NDEFPayloadError.self) { try HandoverCarrierRecord(payload: [2]) }
        #expect(short.message == "the handover carrier has 1 byte, but at least 2 are needed")
        let overrun = try #require(throws: NDEFPayloadError.self) { try HandoverCarrierRecord(payload: [2, 3, 1]) }
        #expect(overrun.message == "carrier type of 3 bytes runs past the end of the payload (1 byte left)")
    }

    @Test func `a carrier is encoded`() throws {
        let carrier = try HandoverCarrierRecord(
            carrierTypeFormat: .media, carrierType: Array("a/b".utf8), carrierData: [1, 2])
        #expect(try carrier.payload == bytes(Self.full))
        #expect(NDEFRecord(carrier).type == [0x48, 0x63])
        #expect(NDEFRecord(carrier).decoded == .handoverCarrier(carrier))
        #expect(carrier.description == "Handover carrier a/b")
        let untyped = try HandoverCarrierRecord(carrierTypeFormat: .media, carrierType: [])
        #expect(untyped.description == "Handover carrier")
    }

    @Test func `a type may have 255 bytes`() throws {
        let long = [UInt8](repeating: 0x61, count: 255)
        let carrier = try HandoverCarrierRecord(carrierTypeFormat: .media, carrierType: long)
        #expect(carrier.payload == [2, 255] + long)
        let error = try #require(throws: NDEFPayloadError.self) {
            try HandoverCarrierRecord(carrierTypeFormat: .media, carrierType: long + [0x61])
        }
        #expect(error.code.rawValue == "HC_TYPE_TOO_LONG")
    }

    @Test func `a type cannot drive the terminal`() throws {
        let carrier = try HandoverCarrierRecord(carrierTypeFormat: .media, carrierType: [0x1B, 0x5B, 0xFF, 0x0A])
        #expect(carrier.description == "Handover carrier \\u{1B}[\u{FFFD}\\u{A}")
    }

    @Test func `the JSON form has all fields`() throws {
        #expect(
            try decodedJSON(HandoverCarrierRecord(payload: bytes(Self.full)))
                == #"{"carrierData":"0102","carrierType":"612F62","carrierTypeFormat":"media","kind":"handoverCarrier"}"#
        )
        let carrier: HandoverCarrierRecord = try content(
            ofDecoded: #"{"kind":"handoverCarrier","carrierTypeFormat":"nfcExternal","carrierType":"613a62"}"#)
        #expect(try carrier.payload == bytes("04 03 61 3A 62"))
    }

    @Test(arguments: [
        (#"{"kind":"handoverCarrier","carrierType":"55"}"#, "carrierTypeFormat"),
        (#"{"kind":"handoverCarrier","carrierTypeFormat":2,"carrierType":"55"}"#, "carrierTypeFormat"),
        (#"{"kind":"handoverCarrier","carrierTypeFormat":"media"}"#, "carrierType"),
        (#"{"kind":"handoverCarrier","carrierTypeFormat":"media","carrierType":"a/b"}"#, "carrierType"),
        (
            #"{"kind":"handoverCarrier","carrierTypeFormat":"media","carrierType":"55","carrierData":"0"}"#,
            "carrierData"
        ),
    ])
    func `an error names the field`(_ json: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: json) == field)
    }

    @Test func `a type that is too long is named`() throws {
        let digits = String(repeating: "61", count: 256)
        let json = #"{"kind":"handoverCarrier","carrierTypeFormat":"media","carrierType":""# + digits + #""}"#
        #expect(try rejectedField(ofDecoded: json) == "carrierType")
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(HandoverCarrierRecord.self, Self.full)
        try checkRandomPayloads(HandoverCarrierRecord.self, seed: 5)
    }
}
