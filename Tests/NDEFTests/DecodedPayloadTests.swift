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
        // Well-known types are compared with case, and other formats have their own types.
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

@Suite("Media records")
struct MediaRecordTests {
    @Test(arguments: [
        ("text/plain", "hi", true),
        ("Text/HTML; charset=UTF-8", "hi", true),
        ("text/plain;charset=\"utf-8\"", "hi", true),
        ("text/plain;charset=us-ascii;x=1", "hi", true),
        ("application/json", "{}", true),
        ("application/ld+json", "{}", true),
        ("application/atom+xml", "<a/>", true),
        ("text/plain;charset=utf-16", "hi", false),
        ("text/plain;charset=iso-8859-1", "hi", false),
        ("image/png", "hi", false),
        ("texts/plain", "hi", false),
        ("", "hi", false),
    ])
    func `the type says whether the data is text`(_ type: String, _ text: String, _ isText: Bool) {
        #expect(MediaRecord(type: type, data: Array(text.utf8)).text == (isText ? text : nil))
    }

    @Test func `data that is not UTF-8 is not text`() {
        #expect(MediaRecord(type: "text/plain", data: [0xC3]).text == nil)
    }

    @Test func `a record is made of type and data`() throws {
        let record = NDEFRecord(MediaRecord(type: "a/b", data: [1]), identifier: [2])
        #expect(record == NDEFRecord(typeNameFormat: .media, type: try bytes("612F62"), identifier: [2], payload: [1]))
        #expect(record.decoded == .media(MediaRecord(type: "a/b", data: [1])))
    }
}

@Suite("A record on one line")
struct DescriptionTests {
    @Test(arguments: [
        ("D1 01 0C 55 04 65 78 61 6D 70 6C 65 2E 63 6F 6D", "URI https://example.com"),
        ("D1 01 08 54 02 65 6E 68 65 6C 6C 6F", "Text \"hello\" (en)"),
        ("D1 01 03 54 00 68 69", "Text \"hi\""),
        ("D0 00 00", "Empty"),
        ("D2 03 02 61 2F 62 00 00", "Media a/b, 2 bytes"),
        ("D3 03 00 75 3A 78", "Absolute URI u:x, 0 bytes"),
        ("D4 03 01 61 3A 62 00", "External a:b, 1 byte"),
        ("D5 00 01 00", "Unknown, 1 byte"),
        ("D7 01 02 78 00 00", "Unknown, 2 bytes"),
        ("D1 02 01 5A 7A 00", "Well-known Zz, 1 byte"),
        ("D1 00 01 00", "Well-known, 1 byte"),
        (
            "D1 01 01 55 24",
            "Well-known U, 1 byte: Undecodable (URI_RFU_PREFIX: prefix code 24 is reserved; the last in use is 23)"
        ),
    ])
    func `describes the content of the record`(_ digits: String, _ line: String) throws {
        #expect(try NDEFMessage(decoding: bytes(digits)).records.map(\.description) == [line])
    }

    @Test(arguments: [
        ("plain text, ünïcödé, 👩‍👩‍👧", "plain text, ünïcödé, 👩‍👩‍👧"),
        ("a\nb\tc\r", #"a\u{A}b\u{9}c\u{D}"#),
        ("\u{1B}[2J", #"\u{1B}[2J"#),
        ("\u{7F}\u{9B}1m", #"\u{7F}\u{9B}1m"#),
        ("\u{0}", #"\u{0}"#),
        ("a\u{2028}b\u{2029}", #"a\u{2028}b\u{2029}"#),
        ("\u{202E}cod.exe\u{2066}", #"\u{202E}cod.exe\u{2066}"#),
        (#"say "hi" \u{1B}"#, #"say \"hi\" \\u{1B}"#),
        ("", ""),
    ])
    func `a tag cannot drive the terminal`(_ text: String, _ shown: String) throws {
        #expect(text.escaped == shown)
        #expect(try NDEFRecord.text(text, language: "").description == "Text \"\(shown)\"")
        let media = NDEFRecord(typeNameFormat: .media, type: Array(text.utf8))
        #expect(media.description == "Media \(shown), 0 bytes")
    }

    @Test func `a language is escaped as well`() throws {
        #expect(try NDEFRecord.text("x", language: "e\u{1B}").description == #"Text "x" (e\u{1B})"#)
    }

    @Test func `decoded payloads describe themselves without a length`() throws {
        #expect(DecodedPayload.media(MediaRecord(type: "a/b", data: [1])).description == "Media a/b")
        #expect(DecodedPayload.undecoded.description == "Undecoded")
        #expect(try DecodedPayload.uri(URIRecord("a:b")).description == "URI a:b")
    }
}

@Suite("Hexadecimal digits")
struct HexTests {
    @Test(
        arguments: [
            ([], ""), ([0x00], "00"), ([0x0F, 0xF0], "0FF0"),
            ([0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF], "0123456789ABCDEF"),
        ] as [([UInt8], String)])
    func `bytes are written in upper case and read in either`(_ bytes: [UInt8], _ digits: String) {
        #expect(bytes.hexadecimal == digits)
        #expect([UInt8](hexadecimal: digits) == bytes)
        #expect([UInt8](hexadecimal: digits.lowercased()) == bytes)
    }

    @Test func `every byte survives`() {
        let all = (0...255).map { UInt8($0) }
        #expect([UInt8](hexadecimal: all.hexadecimal) == all)
    }

    @Test(arguments: [
        "0", "000", "0G", "G0", "00 11", "0x00", " 00", "é", "００", "/0", ":0", "@0", "`0", "g0", "0\u{0}",
    ])
    func `anything else is refused`(_ digits: String) {
        #expect([UInt8](hexadecimal: digits) == nil)
    }
}
