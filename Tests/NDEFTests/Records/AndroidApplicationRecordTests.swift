import NDEF
import Testing

@Suite("Android application records")
struct AndroidApplicationRecordTests {
    @Test func `the payload is the package name, both ways`() throws {
        let payload = try bytes("63 6F 6D 2E 65 78 61 6D 70 6C 65")
        var warnings: [NDEFWarning.Code] = []
        let application = try AndroidApplicationRecord(payload: payload, warnings: &warnings)
        #expect(application.package == "com.example")
        #expect(try AndroidApplicationRecord("com.example").payload == payload)
        #expect(warnings.isEmpty)
        try checkRoundTrips(application)
    }

    @Test(arguments: [
        ("", "AAR_EMPTY"), ("FF", "AAR_NOT_UTF8"), ("63 6F 6D C3", "AAR_NOT_UTF8"), ("ED A0 80", "AAR_NOT_UTF8"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        let input = try bytes(payload)
        let error = try #require(throws: NDEFPayloadError.self) { try AndroidApplicationRecord(payload: input) }
        #expect(error.code.rawValue == code)
    }

    @Test func `an application without a name is not written`() throws {
        let error = try #require(throws: NDEFPayloadError.self) { try NDEFRecord.androidApplication("") }
        #expect(error.code == .applicationEmpty)
        #expect(try rejectedField(ofDecoded: #"{"kind":"androidApplication","package":""}"#) == "package")
        #expect(try rejectedField(ofDecoded: #"{"kind":"androidApplication"}"#) == "package")
    }

    @Test(arguments: ["android.com:pkg", "Android.com:PKG"])
    func `its type is compared without case`(_ type: String) throws {
        let record = NDEFRecord(typeNameFormat: .nfcExternal, type: Array(type.utf8), payload: [0x61])
        #expect(try record.decoded == .androidApplication(AndroidApplicationRecord("a")))
    }

    @Test func `a record is made in one call`() throws {
        let record = try NDEFRecord.androidApplication("a.b", identifier: [1])
        #expect(
            record
                == NDEFRecord(
                    typeNameFormat: .nfcExternal, type: Array("android.com:pkg".utf8), identifier: [1],
                    payload: [0x61, 0x2E, 0x62]))
        #expect(try decodedJSON(AndroidApplicationRecord("a.b")) == #"{"kind":"androidApplication","package":"a.b"}"#)
    }

    @Test func `a package name cannot drive the terminal`() throws {
        #expect(try AndroidApplicationRecord("a\u{1B}\n").description == #"Android application a\u{1B}\u{A}"#)
    }

    @Test func `no payload stops the program`() throws {
        try checkDamage(AndroidApplicationRecord.self, Array("com.exämple.äpp".utf8))
    }
}
