import NDEF
import Testing

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
    func `tells what the record says`(_ digits: String, _ line: String) throws {
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
