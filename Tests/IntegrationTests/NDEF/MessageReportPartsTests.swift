import Testing

@testable import nfcctl

/// The parts of the report of a message, and of the options for messages.
@Suite struct `Parts of the message report` {
    private struct Inner: Encodable {
        let name: String
        let flag: Bool
    }

    private struct Outer: Encodable {
        let zebra = "one"
        let apple: Int? = nil
        let number: UInt16 = 7
        let list = [Inner(name: "a", flag: true), Inner(name: "b\nc", flag: false)]
        let texts = ["x", "y"]
        let single = [3]
        let nothing: [String] = []
        let digits = String(repeating: "AB", count: 40)
    }

    @Test func `nested fields are formatted in their order`() throws {
        let lines = FieldTable(isFull: false).lines(try FieldNode(Outer()), width: 60)
        #expect(
            lines == [
                "zebra    one",
                "number   7",
                "list     1  name  a",
                "            flag  yes",
                "         2  name  b",
                "                  c",
                "            flag  no",
                "texts    1  x",
                "         2  y",
                "single   3",
                "nothing  none",
                "digits   \(String(repeating: "AB", count: 16))… (40 bytes)",
            ])
    }

    @Test func `every kind of container can be formatted`() throws {
        struct Odd: Encodable {
            enum Key: String, CodingKey { case none, object, list, base, dotted }

            func encode(to encoder: any Encoder) throws {
                var fields = encoder.container(keyedBy: Key.self)
                try fields.encodeNil(forKey: .none)
                var object = fields.nestedContainer(keyedBy: Key.self, forKey: .object)
                try object.encode(1.5, forKey: .dotted)
                var list = fields.nestedUnkeyedContainer(forKey: .list)
                try list.encodeNil()
                var nested = list.nestedUnkeyedContainer()
                try nested.encode(contentsOf: [1, 2])
                var base = fields.superEncoder(forKey: .base).singleValueContainer()
                try base.encode("b")
            }
        }
        let lines = FieldTable(isFull: true).lines(try FieldNode(Odd()), width: 60)
        #expect(
            lines == [
                "none    none", "object  dotted  1.5", "list    1  none", "        2  1  1", "           2  2",
                "base    b",
            ])
    }

    @Test(arguments: [
        ("", 5, [""]), ("abc", 5, ["abc"]), ("ab cd ef", 5, ["ab cd", "ef"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a bcdefgh", 4, ["a", "bcde", "fgh"]), ("a  b", 9, ["a  b"]), ("日本語", 4, ["日本", "語"]),
        ("e\u{301}e\u{301}", 1, ["e\u{301}", "e\u{301}"]),
    ])
    func `text is wrapped at spaces, or within long words`(text: String, width: Int, lines: [String]) {
        #expect(TextLines.wrap(text, to: width) == lines)
    }

    @Test(arguments: [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本", 3, "…"), ("", 1, "")])
    func `text is truncated to one line`(text: String, width: Int, line: String) {
        #expect(TextLines.cut(text, to: width) == line)
    }

    @Test func `a hex dump has offsets, sixteen bytes per line and characters`() {
        let bytes = [UInt8](0x1A..<0x2C)
        #expect(
            HexDump.lines(bytes[...], from: 0xFFF0, isFull: false) == [
                "0FFF0  1A 1B 1C 1D 1E 1F 20 21  22 23 24 25 26 27 28 29  ...... !\"#$%&'()",
                "10000  2A 2B                                             *+",
            ])
        #expect(HexDump.lines([], isFull: false).isEmpty)
    }

    @Test(arguments: [64, 80, 81])
    func `a hex dump is only truncated if that saves lines`(count: Int) {
        let lines = HexDump.lines([UInt8](repeating: 0, count: count)[...], isFull: false)
        #expect(lines.count == (count == 64 ? 4 : 5))
        #expect((lines.last == "… 17 more bytes; --full shows them") == (count == 81))
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 conforms to RFC 4648`(plain: String, encoded: String) throws {
        #expect(Base64Notation.text(of: Array(plain.utf8)) == encoded)
        #expect(try Base64Notation.bytes(of: Array(encoded.utf8)[...]) == Array(plain.utf8))
        #expect(try Base64Notation.bytes(of: Array(encoded.filter { $0 != "=" }.utf8)[...]) == Array(plain.utf8))
    }

    @Test func `base64 accepts both alphabets, and preserves every byte`() throws {
        let bytes = (0..<256).map { UInt8($0) } + [0xFB, 0xFF, 0xBF]
        let text = Base64Notation.text(of: bytes)
        #expect(text.contains("+") && text.contains("/"))
        let safe = text.replacing("+", with: "-").replacing("/", with: "_")
        for text in [text, safe] { #expect(try Base64Notation.bytes(of: Array(text.utf8)[...]) == bytes) }
    }

    @Test(arguments: [
        ("89504E470D0A1A0A00", "image/png"), ("FFD8FFE0", "image/jpeg"), ("474946383761", "image/gif"),
        ("474946383961", "image/gif"), ("524946460000000057454250", "image/webp"), ("3C73766720", "image/svg+xml"),
        ("EFBBBF0A3C3F786D6C3F3E3C21 2D2D2D2D3E3C737667", "image/svg+xml"), ("5249464600000000574156", nil), ("", nil),
        ("3C68746D6C3E3C737667", nil), ("737667", nil),
    ])
    func `the media type of an image is detected by its content`(digits: String, type: String?) throws {
        #expect(ImageType.of(try HexadecimalNotation.bytes(of: Array(digits.utf8)[...])) == type)
    }
}
