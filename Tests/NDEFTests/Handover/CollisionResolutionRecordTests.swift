import NDEF
import Testing

@Suite("Collision resolution records")
struct CollisionResolutionRecordTests {
    @Test(
        arguments: [
            ("12 34", 0x1234, "", []), ("00 00", 0, "", []), ("FF FF", 0xFFFF, "", []),
            ("12 34 56", 0x1234, "56", ["CR_TRAILING_DATA"]),
        ] as [(String, UInt16, String, [String])])
    func `a payload is decoded and encoded`(
        _ payload: String, _ number: UInt16, _ reserved: String, _ codes: [String]
    ) throws {
        let (resolution, warnings) = try decoded(CollisionResolutionRecord.self, payload)
        #expect(resolution.randomNumber == number)
        #expect(try resolution.reserved == bytes(reserved))
        #expect(warnings == codes)
        #expect(try CollisionResolutionRecord(number, reserved: bytes(reserved)).payload == bytes(payload))
        try checkRoundTrips(resolution)
    }

    @Test(arguments: ["", "12"])
    func `a number that is not whole is refused`(_ payload: String) throws {
        #expect(try payloadErrorCode(CollisionResolutionRecord.self, payload) == "CR_SHORT")
    }

    @Test func `a record is of type cr`() {
        let resolution = CollisionResolutionRecord(4660)
        #expect(NDEFRecord(resolution).type == [0x63, 0x72])
        #expect(NDEFRecord(resolution).decoded == .collisionResolution(resolution))
        #expect(resolution.description == "Collision resolution 4660")
    }

    @Test func `the JSON form has all fields`() throws {
        #expect(
            try decodedJSON(CollisionResolutionRecord(7)) == #"{"kind":"collisionResolution","randomNumber":7}"#)
        #expect(
            try decodedJSON(CollisionResolutionRecord(7, reserved: [0xAB]))
                == #"{"kind":"collisionResolution","randomNumber":7,"reserved":"AB"}"#)
    }

    @Test(arguments: [
        (#"{"kind":"collisionResolution"}"#, "randomNumber"),
        (#"{"kind":"collisionResolution","randomNumber":65536}"#, "randomNumber"),
        (#"{"kind":"collisionResolution","randomNumber":-1}"#, "randomNumber"),
        (#"{"kind":"collisionResolution","randomNumber":1,"reserved":1}"#, "reserved"),
    ])
    func `an error names the field`(_ json: String, _ field: String) throws {
        #expect(try rejectedField(ofDecoded: json) == field)
    }

    @Test func `nothing stops the program`() throws {
        try checkDamage(CollisionResolutionRecord.self, "12 34 56")
    }
}
