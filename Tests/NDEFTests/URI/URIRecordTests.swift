import Testing

@testable import NDEF

@Suite("URI records")
struct URIRecordTests {
    @Test(
        arguments: [
            (0x00, ""), (0x01, "http://www."), (0x02, "https://www."), (0x03, "http://"), (0x04, "https://"),
            (0x05, "tel:"),
            (0x06, "mailto:"), (0x07, "ftp://anonymous:anonymous@"), (0x08, "ftp://ftp."), (0x09, "ftps://"),
            (0x0A, "sftp://"), (0x0B, "smb://"), (0x0C, "nfs://"), (0x0D, "ftp://"), (0x0E, "dav://"), (0x0F, "news:"),
            (0x10, "telnet://"), (0x11, "imap:"), (0x12, "rtsp://"), (0x13, "urn:"), (0x14, "pop:"), (0x15, "sip:"),
            (0x16, "sips:"), (0x17, "tftp:"), (0x18, "btspp://"), (0x19, "btl2cap://"), (0x1A, "btgoep://"),
            (0x1B, "tcpobex://"), (0x1C, "irdaobex://"), (0x1D, "file://"), (0x1E, "urn:epc:id:"),
            (0x1F, "urn:epc:tag:"),
            (0x20, "urn:epc:pat:"), (0x21, "urn:epc:raw:"), (0x22, "urn:epc:"), (0x23, "urn:nfc:"),
        ] as [(UInt8, String)])
    func `a prefix code stands for a prefix, both ways`(_ code: UInt8, _ prefix: String) throws {
        let payload = [code] + Array("x".utf8)
        #expect(try URIRecord(payload: payload).uri == prefix + "x")
        #expect(try URIRecord(prefix + "x").payload == payload)
    }

    @Test func `there are 36 prefixes`() {
        #expect(URIPrefix.all.count == 36)
    }

    @Test(
        arguments: [
            ("https://www.example.com", 0x02, "example.com"),
            ("https://wwwexample.com", 0x04, "wwwexample.com"),
            ("http://www.", 0x01, ""),
            ("ftp://ftp.example.com", 0x08, "example.com"),
            ("ftp://example.com", 0x0D, "example.com"),
            ("urn:epc:id:1", 0x1E, "1"),
            ("urn:epc:idx", 0x22, "idx"),
            ("urn:nfx", 0x13, "nfx"),
            ("sips:a", 0x16, "a"),
            ("HTTPS://example.com", 0x00, "HTTPS://example.com"),
            ("example", 0x00, "example"),
            ("", 0x00, ""),
            ("tel:\u{301}1", 0x05, "\u{301}1"),
        ] as [(String, UInt8, String)])
    func `the longest prefix is abbreviated`(_ uri: String, _ code: UInt8, _ rest: String) throws {
        #expect(try URIRecord(uri).payload == [code] + rest.utf8)
    }

    @Test(arguments: [
        ("04 65 78 61 6D 70 6C 65 2E 63 6F 6D", "https://example.com"),
        ("05 2B 31", "tel:+1"),
        ("00", ""),
        ("04", "https://"),
        ("00 C3 A9", "é"),
        ("00 7F 20", "\u{7F} "),
    ])
    func `a payload is decoded`(_ payload: String, _ uri: String) throws {
        #expect(try URIRecord(payload: bytes(payload)).uri == uri)
    }

    @Test(arguments: [
        ("", "URI_EMPTY"),
        ("24", "URI_RFU_PREFIX"),
        ("24 61", "URI_RFU_PREFIX"),
        ("80 61", "URI_RFU_PREFIX"),
        ("FF 00 FF", "URI_RFU_PREFIX"),
        ("04 FF", "URI_NOT_UTF8"),
        ("04 61 C3", "URI_NOT_UTF8"),
        ("04 00 FF", "URI_NOT_UTF8"),
        ("04 00", "URI_CONTROL_CHARS"),
        ("04 61 0A 62", "URI_CONTROL_CHARS"),
        ("04 61 1F", "URI_CONTROL_CHARS"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        let input = try bytes(payload)
        let error = try #require(throws: NDEFPayloadError.self) { try URIRecord(payload: input) }
        #expect(error.code.rawValue == code)
    }

    @Test func `a URI with control characters is not written`() throws {
        let error = try #require(throws: NDEFPayloadError.self) { try NDEFRecord.uri("https://a\r\nb") }
        #expect(error.code == .uriControlCharacters)
        #expect(error.description == "URI_CONTROL_CHARS: the URI contains control characters")
    }

    @Test func `a record is made in one call`() throws {
        let record = try NDEFRecord.uri("https://a.b", identifier: [7])
        #expect(
            record
                == NDEFRecord(
                    typeNameFormat: .nfcWellKnown, type: [0x55], identifier: [7], payload: try bytes("04 61 2E 62")))
        #expect(try record.decoded == .uri(URIRecord("https://a.b")))
    }
}
