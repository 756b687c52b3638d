import Testing

@testable import NDEF

@Suite("What a record says")
struct DecodedPayloadTests {
    @Test(arguments: [
        (TypeNameFormat.empty, "", DecodedPayload.empty(EmptyRecord())),
        (.media, "image/png", .media(MediaRecord(type: "image/png", data: []))),
        (.absoluteURI, "https://a.b/c", .absoluteURI(AbsoluteURIRecord("https://a.b/c"))),
        (.nfcExternal, "example.com:lock", .external(ExternalRecord(type: "example.com:lock", data: []))),
        (.unknown, "", .unknown(UnknownRecord(data: []))),
        (.unchanged, "", .undecoded),
        (.reserved, "x", .unknown(UnknownRecord(data: []))),
        (.nfcWellKnown, "Zz", .undecoded),
        (.nfcWellKnown, "", .undecoded),
        // Well-known types are compared with case, and other formats have types of their own.
        (.nfcWellKnown, "u", .undecoded),
        (.nfcWellKnown, "sp", .undecoded),
        (.media, "U", .media(MediaRecord(type: "U", data: []))),
        (.nfcExternal, "T", .external(ExternalRecord(type: "T", data: []))),
    ])
    func `type name format and type decide`(_ format: TypeNameFormat, _ type: String, _ decoded: DecodedPayload) {
        #expect(NDEFRecord(typeNameFormat: format, type: Array(type.utf8)).decoded == decoded)
    }

    @Test func `a type that is not UTF-8 is shown with replacement characters`() {
        #expect(
            NDEFRecord(typeNameFormat: .media, type: [0x61, 0xFF]).decoded
                == .media(MediaRecord(type: "a\u{FFFD}", data: [])))
    }

    @Test func `a payload that is not of its form says why`() throws {
        let record = try wellKnown("U", "24 61")
        guard case .failed(let error) = record.decoded else {
            Issue.record("decoded to \(record.decoded)")
            return
        }
        #expect(error.code == .uriReservedPrefix)
        #expect(error.message == "prefix code 24 is reserved; the last in use is 23")
        #expect(try record.payload == bytes("24 61"))
    }

    @Test func `typed payloads become records of their type`() throws {
        #expect(NDEFRecord(try URIRecord("tel:1")) == (try wellKnown("U", "05 31")))
        #expect(NDEFRecord(try TextRecord("a"), identifier: [1]).identifier == [1])
    }

    @Test func `no two forms share a name or a type`() {
        let kinds = DecodedForm.forms.map { $0.kind }
        #expect(Set(kinds).count == kinds.count)
        let forms = PayloadRegistry.all
        let types = forms.flatMap(\.recordTypes)
        #expect(Set(types).count == types.count)
        #expect(forms.allSatisfy { !$0.recordTypes.isEmpty })
    }
}

@Suite("Record types")
struct RecordTypeTests {
    @Test(arguments: [
        (NDEFRecordType.media("text/vcard"), NDEFRecordType.media("Text/vCard"), true),
        (.media("text/vcard"), .media("text/vcard;charset=utf-8"), true),
        (.media("text/vcard"), .media("text/vcard ; charset=\"UTF-8\""), true),
        (.media("text/vcard"), .media("text/vcards"), false),
        (.media(""), .media("; x"), true),
        (.external("android.com:pkg"), .external("Android.COM:PKG"), true),
        (.external("a:b;c"), .external("a:b"), false),
        (.external("a@"), .external("a`"), false),
        (.wellKnown("U"), .wellKnown("u"), false),
        (.wellKnown("a:b"), .external("a:b"), false),
        (.media("\u{C9}"), .media("\u{E9}"), false),
    ])
    func `types are compared as their format asks`(_ one: NDEFRecordType, _ other: NDEFRecordType, _ areEqual: Bool) {
        #expect((one == other) == areEqual)
    }
}

@Suite("Type name formats")
struct TypeNameFormatTests {
    @Test(
        arguments: [
            (0, "empty"), (1, "nfcWellKnown"), (2, "media"), (3, "absoluteURI"), (4, "nfcExternal"), (5, "unknown"),
            (6, "unchanged"), (7, "reserved"),
        ] as [(UInt8, String)])
    func `each value of the field has a name`(_ value: UInt8, _ name: String) throws {
        let format = try #require(TypeNameFormat(rawValue: value))
        #expect(format.description == name)
        #expect(TypeNameFormat(name: name) == format)
    }

    @Test(arguments: ["", "Media", "nfc", "8"])
    func `other names are unknown`(_ name: String) {
        #expect(TypeNameFormat(name: name) == nil)
    }
}
