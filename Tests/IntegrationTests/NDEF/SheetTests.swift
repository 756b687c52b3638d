import NDEF
import Testing

@testable import nfcctl

/// What `nfcctl ndef decode` shows people.
@Suite struct `The sheet` {
    static func sheet(_ bytes: [UInt8], isFull: Bool = false) throws -> (lines: [String], isWhole: Bool) {
        var lines: [String] = []
        let isWhole = try MessageSheet(isFull: isFull, put: { lines.append($0) }).show(bytes)
        return (lines, isWhole)
    }

    static func sheet(_ digits: String, isFull: Bool = false) throws -> (lines: [String], isWhole: Bool) {
        try sheet(try HexadecimalNotation.bytes(of: Array(digits.utf8)[...]), isFull: isFull)
    }

    /// A record of short form.
    static func record(_ flags: UInt8, _ type: String, _ payload: [UInt8]) -> [UInt8] {
        [flags, UInt8(type.utf8.count), UInt8(payload.count)] + type.utf8 + payload
    }

    @Test func `of a URI`() throws {
        let (lines, isWhole) = try Self.sheet("D1010C55046578616D706C652E636F6D")
        #expect(isWhole)
        #expect(
            lines == [
                "NDEF message: 1 record, 16 bytes", "",
                "1  URI https://example.com",
                "   at byte 0   MB ME SR · TNF 1 nfcWellKnown · type \"U\" · payload 12 bytes",
                "   uri         https://example.com",
                "   payload     0000  04 65 78 61 6D 70 6C 65  2E 63 6F 6D              .example.com",
            ])
    }

    @Test func `of a text with an identifier, after another record`() throws {
        let (lines, _) = try Self.sheet("95 00 01 AA  59 01 08 02 54 6964 02 656E 48656C6C6F")
        #expect(
            lines == [
                "NDEF message: 2 records, 19 bytes", "",
                "1  Unknown, 1 byte",
                "   at byte 0   MB SR · TNF 5 unknown · payload 1 byte",
                "   payload     0000  AA                                                .", "",
                "2  Text \"Hello\" (en)",
                "   at byte 4   ME SR IL · TNF 1 nfcWellKnown · type \"T\" · id \"id\" · payload 8 bytes",
                "   text        Hello",
                "   language    en",
                "   encoding    utf-8",
                "   payload     0000  02 65 6E 48 65 6C 6C 6F                           .enHello",
            ])
    }

    @Test func `of a chunked record shows the chunks and the record`() throws {
        let (lines, isWhole) = try Self.sheet("B1 01 05 54 02 656E 4865  36 00 03 6C6C6F  56 00 01 21")
        #expect(isWhole)
        #expect(
            lines == [
                "NDEF message: 1 record, 19 bytes", "",
                "1  Text \"Hello!\" (en)",
                "   at byte 0   MB CF SR · TNF 1 nfcWellKnown · type \"T\" · payload 5 bytes",
                "   at byte 9   CF SR · TNF 6 unchanged · payload 3 bytes",
                "   at byte 15  ME SR · TNF 6 unchanged · payload 1 byte",
                "   together    3 chunks, payload 9 bytes",
                "   text        Hello!",
                "   language    en",
                "   encoding    utf-8",
                "   payload     0000  02 65 6E 48 65 6C 6C 6F  21                       .enHello!",
            ])
    }

    @Test func `of very many chunks shows the first`() throws {
        let chunks = [[0xB5, 0, 0]] + Array(repeating: [0x36, 0, 0], count: 50) + [[0x56, 0, 0]]
        let message = chunks.flatMap { $0.map { UInt8($0) } }
        let (lines, _) = try Self.sheet(message)
        #expect(lines.count { $0.contains("at byte ") } == 16)
        #expect(lines.contains("               … 36 more chunks; --full shows them"))
        #expect(try Self.sheet(message, isFull: true).lines.count { $0.contains("at byte ") } == 52)
    }

    @Test func `of a broken message shows what comes before the fault, the fault and the rest`() throws {
        let (lines, isWhole) = try Self.sheet("91 01 02 55 04 61  51 01 0C 54 02 65")
        #expect(!isWhole)
        #expect(
            lines == [
                "NDEF message, broken: 1 record, 12 bytes", "",
                "1  URI https://a",
                "   at byte 0   MB SR · TNF 1 nfcWellKnown · type \"U\" · payload 2 bytes",
                "   uri         https://a",
                "   payload     0000  04 61                                             .a", "",
                "Fault at byte 6: TRUNCATED_PAYLOAD",
                "   error       record 2 at byte 6: payload of 12 bytes runs past the end of the message (2",
                "               bytes left)",
                "   header      ME SR · TNF 1 nfcWellKnown · type 1 byte · payload 12 bytes",
                "   rest        0006  51 01 0C 54 02 65                                 Q..T.e",
            ])
    }

    @Test(arguments: [
        ("", "Fault at byte 0: EMPTY_INPUT"), ("D1", "Fault at byte 0: TRUNCATED_HEADER"),
        ("110100 55", "Fault at byte 0: MB_MISSING"), ("D1010055 00", "Fault at byte 4: TRAILING_DATA"),
        ("91010055", "Fault at byte 4: ME_MISSING"), ("B1010055", "Fault at byte 4: CHUNK_UNTERMINATED"),
        ("B1010055 560100", "Fault at byte 4: CHUNK_TYPE_LENGTH"),
        ("91010055 D1010055", "Fault at byte 4: MB_REPEATED"),
        ("D50100 55", "Fault at byte 0: UNKNOWN_WITH_TYPE"),
    ])
    func `names each fault with its place`(digits: String, line: String) throws {
        let (lines, isWhole) = try Self.sheet(digits)
        #expect(!isWhole)
        #expect(lines.contains(line), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("   error       ") })
    }

    @Test func `of a message that breaks off within a record shows its chunks`() throws {
        let (lines, _) = try Self.sheet("B1 01 05 54 02 656E 4865  36 00 03 6C")
        #expect(lines[2] == "1  Incomplete")
        #expect(lines.contains("   error       the message breaks off before the last chunk of this record"))
        #expect(lines.contains("Fault at byte 9: TRUNCATED_PAYLOAD"))
    }

    @Test func `has warnings at the record they belong to`() throws {
        // IL without an identifier; then a long form, and a text without a language.
        let (lines, _) = try Self.sheet("99 01 01 00 55 00  41 01 00000002 54 00 61")
        #expect(
            lines == [
                "NDEF message: 2 records, 15 bytes", "",
                "1  URI ",
                "   at byte 0   MB SR IL · TNF 1 nfcWellKnown · type \"U\" · id \"\" · payload 1 byte",
                "   warning     the flag IL is set, but the identifier is empty (IL_WITH_EMPTY_ID)",
                "   uri         \"\"",
                "   payload     0000  00                                                .", "",
                "2  Text \"a\"",
                "   at byte 6   ME · TNF 1 nfcWellKnown · type \"T\" · payload 2 bytes",
                "   warning     a payload below 256 bytes has a four-byte length",
                "               (LONG_FORM_FOR_SHORT_PAYLOAD)",
                "   warning     the text does not name its language (TEXT_LANG_EMPTY)",
                "   text        a",
                "   language    \"\"",
                "   encoding    utf-8",
                "   payload     0000  00 61                                             .a",
            ])
    }

    @Test func `says why a payload is not what its type promises`() throws {
        let (lines, isWhole) = try Self.sheet("D1 01 01 55 FF")
        #expect(isWhole)
        #expect(lines[2] == "1  Undecodable nfcWellKnown \"U\"")
        #expect(
            lines.contains("   error       prefix code FF is reserved; the last in use is 23 (URI_RFU_PREFIX)"))
    }

    @Test func `opens a Smart Poster`() throws {
        let inside =
            Self.record(0x91, "U", [0x04] + Array("a.b".utf8)) + Self.record(0x51, "T", Array("\u{2}enTitle".utf8))
        let (lines, _) = try Self.sheet(Self.record(0xD1, "Sp", inside))
        #expect(lines.contains("   at byte 0   MB ME SR · TNF 1 nfcWellKnown · type \"Sp\" · payload 20 bytes"))
        let start = try #require(lines.firstIndex(of: "   inside      a message: 2 records, 20 bytes"))
        #expect(
            Array(lines[(start + 1)...]) == [
                "",
                "   1.1  URI https://a.b",
                "      at byte 0   MB SR · TNF 1 nfcWellKnown · type \"U\" · payload 4 bytes",
                "      uri         https://a.b",
                "      payload     0000  04 61 2E 62                                       .a.b", "",
                "   1.2  Text \"Title\" (en)",
                "      at byte 8   ME SR · TNF 1 nfcWellKnown · type \"T\" · payload 8 bytes",
                "      text        Title",
                "      language    en",
                "      encoding    utf-8",
                "      payload     0000  02 65 6E 54 69 74 6C 65                           .enTitle",
            ])
    }

    @Test(arguments: ["Hr", "Hs", "Hm", "Hi"])
    func `opens a handover record after its version`(type: String) throws {
        let inside = Self.record(0xD1, "T", Array("\u{2}enx".utf8))
        let (lines, _) = try Self.sheet(Self.record(0xD1, type, [0x15] + inside))
        #expect(lines.contains("   1.1  Text \"x\" (en)"))
    }

    @Test func `shows the fault of a message inside`() throws {
        let (lines, isWhole) = try Self.sheet(Self.record(0xD1, "Sp", [0x11, 0x01]))
        #expect(isWhole)
        #expect(lines.contains("   Fault at byte 0: MB_MISSING"))
        #expect(lines.contains("      rest        0000  11 01                                             .."))
    }

    @Test func `opens at most 32 messages inside each other, in few columns`() throws {
        var message = Self.record(0xD1, "U", [0x00])
        for _ in 0..<40 { message = Self.record(0xD1, "Sp", message) }
        let (lines, _) = try Self.sheet(message)
        #expect(lines.count { $0.contains("inside      a message") } == 32)
        #expect(lines.allSatisfy { $0.count <= 100 })
    }

    @Test func `shortens a long payload unless it is to be shown whole`() throws {
        let message: [UInt8] = [0xC2, 0x03, 0x00, 0x00, 0x01, 0x2C] + "a/b".utf8 + [UInt8](repeating: 0x41, count: 300)
        let short = try Self.sheet(message).lines
        #expect(short.count { $0.contains("41 41 41") } == 4)
        #expect(short.last == "               … 236 more bytes; --full shows them")
        let full = try Self.sheet(message, isFull: true).lines
        #expect(full.count { $0.contains("41 41 41") } == 19)
        #expect(full.last == "               0120  41 41 41 41 41 41 41 41  41 41 41 41              AAAAAAAAAAAA")
        #expect((short + full).contains { $0.hasPrefix("   data ") } == false)
    }

    @Test func `wraps a long text, and shortens a very long one`() throws {
        func text(_ words: Int) -> [UInt8] {
            let payload = Array("\u{2}en\(String(repeating: "word ", count: words))end".utf8)
            return [0xC1, 0x01, 0x00, 0x00, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), 0x54] + payload
        }
        let long = try Self.sheet(text(30)).lines
        #expect(long.allSatisfy { $0.count <= 92 })
        #expect(long[2].hasSuffix("…"))
        #expect(
            long.contains("   text        word word word word word word word word word word word word word word word"))
        let veryLong = try Self.sheet(text(1000)).lines
        #expect(veryLong.contains { $0.hasSuffix("more lines; --full shows them") })
        #expect(try Self.sheet(text(1000), isFull: true).lines.count > veryLong.count + 40)
    }

    @Test func `shows the lines of a text as lines, and obeys nothing in it`() throws {
        let card = "BEGIN:VCARD\r\nFN:A \u{1B}[31m\u{202E}B\r\nEND:VCARD\r\n"
        let (lines, _) = try Self.sheet(Self.record(0xD2, "text/x-example", Array(card.utf8)))
        let start = try #require(lines.firstIndex(of: "   text        BEGIN:VCARD"))
        #expect(
            Array(lines[(start + 1)...(start + 2)]) == [
                #"               FN:A \u{1B}[31m\u{202E}B"#, "               END:VCARD",
            ])
    }

    @Test func `escapes types and identifiers, and shows in hexadecimal those that are no text`() throws {
        let (lines, _) = try Self.sheet("DC 03 00 02 611B62 80FF")
        #expect(
            lines[3] == #"   at byte 0   MB ME SR IL · TNF 4 nfcExternal · type "a\u{1B}b" · id 80FF · payload 0 bytes"#
        )
        #expect(lines.joined().unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test func `of any bytes has lines that fit, and escapes everything`() throws {
        var state: UInt64 = 20
        func random() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        for length in 0..<300 {
            var bytes = (0..<length).map { _ in random() }
            if length > 4 {
                bytes.replaceSubrange(0..<4, with: [0x91, 0x01, random() % 20, [0x54, 0x55][length % 2]])
            }
            for line in try Self.sheet(bytes, isFull: length.isMultiple(of: 2)).lines {
                #expect(line.count <= 100)
                #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            }
        }
    }
}
