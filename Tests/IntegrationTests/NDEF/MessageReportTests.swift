import NDEF
import Testing

@testable import nfcctl

/// The text output of `nfcctl ndef decode`.
@Suite struct `The message report` {
    static func report(_ bytes: [UInt8], isFull: Bool = false) throws -> (lines: [String], isValid: Bool) {
        var lines: [String] = []
        let isValid = try MessageReport(isFull: isFull, put: { lines.append($0) }).show(bytes)
        return (lines, isValid)
    }

    static func report(_ digits: String, isFull: Bool = false) throws -> (lines: [String], isValid: Bool) {
        try report(try HexadecimalNotation.bytes(of: Array(digits.utf8)[...]), isFull: isFull)
    }

    /// A short record.
    static func record(_ flags: UInt8, _ type: String, _ payload: [UInt8]) -> [UInt8] {
        [flags, UInt8(type.utf8.count), UInt8(payload.count)] + type.utf8 + payload
    }

    @Test func `shows a URI`() throws {
        let (lines, isValid) = try Self.report("D1010C55046578616D706C652E636F6D")
        #expect(isValid)
        #expect(
            lines == [
                "NDEF message: 1 record, 16 bytes", "",
                "1  URI https://example.com",
                "   at byte 0   MB ME SR · TNF 1 nfcWellKnown · type \"U\" · payload 12 bytes",
                "   uri         https://example.com",
                "   payload     0000  04 65 78 61 6D 70 6C 65  2E 63 6F 6D              .example.com",
            ])
    }

    @Test func `shows a text with an identifier, after another record`() throws {
        let (lines, _) = try Self.report("95 00 01 AA  59 01 08 02 54 6964 02 656E 48656C6C6F")
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

    @Test func `shows the chunks of a record, and the record`() throws {
        let (lines, isValid) = try Self.report("B1 01 05 54 02 656E 4865  36 00 03 6C6C6F  56 00 01 21")
        #expect(isValid)
        #expect(
            lines == [
                "NDEF message: 1 record, 19 bytes", "",
                "1  Text \"Hello!\" (en)",
                "   at byte 0   MB CF SR · TNF 1 nfcWellKnown · type \"T\" · payload 5 bytes",
                "   at byte 9   CF SR · TNF 6 unchanged · payload 3 bytes",
                "   at byte 15  ME SR · TNF 6 unchanged · payload 1 byte",
                "   total       3 chunks, payload 9 bytes",
                "   text        Hello!",
                "   language    en",
                "   encoding    utf-8",
                "   payload     0000  02 65 6E 48 65 6C 6C 6F  21                       .enHello!",
            ])
    }

    @Test func `truncates a long list of chunks`() throws {
        let chunks = [[0xB5, 0, 0]] + Array(repeating: [0x36, 0, 0], count: 50) + [[0x56, 0, 0]]
        let message = chunks.flatMap { $0.map { UInt8($0) } }
        let (lines, _) = try Self.report(message)
        #expect(lines.count { $0.contains("at byte ") } == 16)
        #expect(lines.contains("               … 36 more chunks; --full shows them"))
        #expect(try Self.report(message, isFull: true).lines.count { $0.contains("at byte ") } == 52)
    }

    @Test func `shows the valid part of an invalid message, the error and the rest`() throws {
        let (lines, isValid) = try Self.report("91 01 02 55 04 61  51 01 0C 54 02 65")
        #expect(!isValid)
        #expect(
            lines == [
                "NDEF message, invalid: 1 record, 12 bytes", "",
                "1  URI https://a",
                "   at byte 0   MB SR · TNF 1 nfcWellKnown · type \"U\" · payload 2 bytes",
                "   uri         https://a",
                "   payload     0000  04 61                                             .a", "",
                "Error at byte 6: TRUNCATED_PAYLOAD",
                "   error       record 2 at byte 6: payload of 12 bytes runs past the end of the message (2",
                "               bytes left)",
                "   header      ME SR · TNF 1 nfcWellKnown · type 1 byte · payload 12 bytes",
                "   rest        0006  51 01 0C 54 02 65                                 Q..T.e",
            ])
    }

    @Test(arguments: [
        ("", "Error at byte 0: EMPTY_INPUT"), ("D1", "Error at byte 0: TRUNCATED_HEADER"),
        ("110100 55", "Error at byte 0: MB_MISSING"), ("D1010055 00", "Error at byte 4: TRAILING_DATA"),
        ("91010055", "Error at byte 4: ME_MISSING"), ("B1010055", "Error at byte 4: CHUNK_UNTERMINATED"),
        ("B1010055 560100", "Error at byte 4: CHUNK_TYPE_LENGTH"),
        ("91010055 D1010055", "Error at byte 4: MB_REPEATED"),
        ("D50100 55", "Error at byte 0: UNKNOWN_WITH_TYPE"),
    ])
    func `shows each error with its position`(digits: String, line: String) throws {
        let (lines, isValid) = try Self.report(digits)
        #expect(!isValid)
        #expect(lines.contains(line), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("   error       ") })
    }

    @Test func `shows the chunks of a truncated record`() throws {
        let (lines, _) = try Self.report("B1 01 05 54 02 656E 4865  36 00 03 6C")
        #expect(lines[2] == "1  Incomplete")
        #expect(lines.contains("   error       the message ends before the last chunk of this record"))
        #expect(lines.contains("Error at byte 9: TRUNCATED_PAYLOAD"))
    }

    @Test func `shows warnings with their records`() throws {
        // IL without an identifier; then a long form, and a text without a language.
        let (lines, _) = try Self.report("99 01 01 00 55 00  41 01 00000002 54 00 61")
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

    @Test func `shows why a payload cannot be decoded`() throws {
        let (lines, isValid) = try Self.report("D1 01 01 55 FF")
        #expect(isValid)
        #expect(lines[2] == "1  Undecodable nfcWellKnown \"U\"")
        #expect(
            lines.contains("   error       prefix code FF is reserved; the last in use is 23 (URI_RFU_PREFIX)"))
    }

    @Test func `shows the message inside a Smart Poster`() throws {
        let nested =
            Self.record(0x91, "U", [0x04] + Array("a.b".utf8)) + Self.record(0x51, "T", Array("\u{2}enTitle".utf8))
        let (lines, _) = try Self.report(Self.record(0xD1, "Sp", nested))
        #expect(lines.contains("   at byte 0   MB ME SR · TNF 1 nfcWellKnown · type \"Sp\" · payload 20 bytes"))
        let start = try #require(lines.firstIndex(of: "   contains    a message: 2 records, 20 bytes"))
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
    func `shows the message inside a handover record`(type: String) throws {
        let nested = Self.record(0xD1, "T", Array("\u{2}enx".utf8))
        let (lines, _) = try Self.report(Self.record(0xD1, type, [0x15] + nested))
        #expect(lines.contains("   1.1  Text \"x\" (en)"))
    }

    @Test func `shows the error in a nested message`() throws {
        let (lines, isValid) = try Self.report(Self.record(0xD1, "Sp", [0x11, 0x01]))
        #expect(isValid)
        #expect(lines.contains("   Error at byte 0: MB_MISSING"))
        #expect(lines.contains("      rest        0000  11 01                                             .."))
    }

    @Test func `shows at most 32 levels of nested messages, with limited indentation`() throws {
        var message = Self.record(0xD1, "U", [0x00])
        for _ in 0..<40 { message = Self.record(0xD1, "Sp", message) }
        let (lines, _) = try Self.report(message)
        #expect(lines.count { $0.contains("contains    a message") } == 32)
        #expect(lines.allSatisfy { $0.count <= 100 })
    }

    @Test func `truncates a long payload, unless the full output is requested`() throws {
        let message: [UInt8] = [0xC2, 0x03, 0x00, 0x00, 0x01, 0x2C] + "a/b".utf8 + [UInt8](repeating: 0x41, count: 300)
        let short = try Self.report(message).lines
        #expect(short.count { $0.contains("41 41 41") } == 4)
        #expect(short.last == "               … 236 more bytes; --full shows them")
        let full = try Self.report(message, isFull: true).lines
        #expect(full.count { $0.contains("41 41 41") } == 19)
        #expect(full.last == "               0120  41 41 41 41 41 41 41 41  41 41 41 41              AAAAAAAAAAAA")
        #expect((short + full).contains { $0.hasPrefix("   data ") } == false)
    }

    @Test func `wraps a long text, and truncates a very long one`() throws {
        func text(_ words: Int) -> [UInt8] {
            let payload = Array("\u{2}en\(String(repeating: "word ", count: words))end".utf8)
            return [0xC1, 0x01, 0x00, 0x00, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), 0x54] + payload
        }
        let long = try Self.report(text(30)).lines
        #expect(long.allSatisfy { $0.count <= 92 })
        #expect(long[2].hasSuffix("…"))
        #expect(
            long.contains("   text        word word word word word word word word word word word word word word word"))
        let veryLong = try Self.report(text(1000)).lines
        #expect(veryLong.contains { $0.hasSuffix("more lines; --full shows them") })
        #expect(try Self.report(text(1000), isFull: true).lines.count > veryLong.count + 40)
    }

    @Test func `shows the lines of a text, and escapes control characters`() throws {
        let card = "BEGIN:VCARD\r\nFN:A \u{1B}[31m\u{202E}B\r\nEND:VCARD\r\n"
        let (lines, _) = try Self.report(Self.record(0xD2, "text/x-example", Array(card.utf8)))
        let start = try #require(lines.firstIndex(of: "   text        BEGIN:VCARD"))
        #expect(
            Array(lines[(start + 1)...(start + 2)]) == [
                #"               FN:A \u{1B}[31m\u{202E}B"#, "               END:VCARD",
            ])
    }

    @Test func `escapes types and identifiers, and shows binary ones in hexadecimal`() throws {
        let (lines, _) = try Self.report("DC 03 00 02 611B62 80FF")
        #expect(
            lines[3] == #"   at byte 0   MB ME SR IL · TNF 4 nfcExternal · type "a\u{1B}b" · id 80FF · payload 0 bytes"#
        )
        #expect(lines.joined().unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test func `fits the width and escapes control characters for any input`() throws {
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
            for line in try Self.report(bytes, isFull: length.isMultiple(of: 2)).lines {
                #expect(line.count <= 100)
                #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            }
        }
    }
}
