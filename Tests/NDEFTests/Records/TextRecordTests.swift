import NDEF
import Testing

@Suite("Text records")
struct TextRecordTests {
    @Test(arguments: [
        // UTF-8.
        ("02 65 6E 68 69", "hi", "en", TextRecord.Encoding.utf8),
        ("05 70 74 2D 42 52 6F 6C C3 A1", "olá", "pt-BR", .utf8),
        ("02 65 6E", "", "en", .utf8),
        ("02 65 6E F0 9F 94 91", "🔑", "en", .utf8),
        // UTF-16: no mark, big-endian mark, little-endian mark.
        ("82 65 6E 00 68 00 69", "hi", "en", .utf16),
        ("82 65 6E FE FF 00 68 00 69", "hi", "en", .utf16),
        ("82 65 6E FF FE 68 00 69 00", "hi", "en", .utf16),
        ("82 65 6E D8 3D DD 11", "🔑", "en", .utf16),
        ("82 65 6E FF FE 3D D8 11 DD", "🔑", "en", .utf16),
        ("82 65 6E", "", "en", .utf16),
        ("82 65 6E FE FF", "", "en", .utf16),
        // The second mark is text.
        ("82 65 6E FE FF FE FF 00 68", "\u{FEFF}h", "en", .utf16),
    ])
    func `a payload is decoded`(
        _ payload: String, _ text: String, _ language: String, _ encoding: TextRecord.Encoding
    ) throws {
        var warnings: [NDEFWarning.Code] = []
        let record = try TextRecord(payload: bytes(payload), warnings: &warnings)
        #expect(record.text == text)
        #expect(record.language == language)
        #expect(record.encoding == encoding)
        #expect(warnings.isEmpty)
    }

    @Test(arguments: [
        ("00", "", ["TEXT_LANG_EMPTY"]),
        ("00 68 69", "hi", ["TEXT_LANG_EMPTY"]),
        ("42 65 6E 68 69", "hi", ["TEXT_RESERVED_BIT"]),
        ("80 00 68", "h", ["TEXT_LANG_EMPTY"]),
        // Little-endian without a mark: U+3100 and U+0A00 are unassigned, DC00 alone is not a character.
        ("82 65 6E 41 00 31 00", "A1", ["TEXT_LITTLE_ENDIAN_WITHOUT_BOM"]),
        ("82 65 6E 68 00 69 00 0A 00", "hi\n", ["TEXT_LITTLE_ENDIAN_WITHOUT_BOM"]),
        ("82 65 6E DC 00", "Ü", ["TEXT_LITTLE_ENDIAN_WITHOUT_BOM"]),
        // Both orders make sense, so it is big-endian.
        ("82 65 6E 68 00 69 00", "栀椀", []),
        // Neither does, so it is big-endian as well.
        ("82 65 6E 0A 00 00 00", "\u{0A00}\u{0000}", []),
    ])
    func `an oddity is forgiven with a warning`(_ payload: String, _ text: String, _ codes: [String]) throws {
        var warnings: [NDEFWarning.Code] = []
        let record = try TextRecord(payload: bytes(payload), warnings: &warnings)
        #expect(record.text == text)
        #expect(warnings.map(\.rawValue) == codes)
    }

    @Test(arguments: [
        ("", "TEXT_EMPTY"),
        ("01", "TEXT_LANG_OVERRUN"),
        ("3F 65 6E", "TEXT_LANG_OVERRUN"),
        ("83 65 6E", "TEXT_LANG_OVERRUN"),
        ("01 80", "TEXT_LANG_NOT_ASCII"),
        ("02 65 FF 68", "TEXT_LANG_NOT_ASCII"),
        ("02 65 6E 80", "TEXT_BAD_ENCODING"),
        ("02 65 6E C3", "TEXT_BAD_ENCODING"),
        ("02 65 6E C0 80", "TEXT_BAD_ENCODING"),
        ("02 65 6E ED A0 80", "TEXT_BAD_ENCODING"),
        ("82 65 6E 00", "TEXT_BAD_ENCODING"),
        ("82 65 6E FE FF 00", "TEXT_BAD_ENCODING"),
        ("82 65 6E D8 3D 00 00", "TEXT_BAD_ENCODING"),
        ("82 65 6E D8 00 00 D8", "TEXT_BAD_ENCODING"),
        ("82 65 6E FE FF DC 00", "TEXT_BAD_ENCODING"),
        ("82 65 6E FF FE 00 DC", "TEXT_BAD_ENCODING"),
    ])
    func `a payload of another form is refused`(_ payload: String, _ code: String) throws {
        let input = try bytes(payload)
        let error = try #require(throws: NDEFPayloadError.self) { try TextRecord(payload: input) }
        #expect(error.code.rawValue == code)
    }

    @Test func `the language length has six bits`() throws {
        let language = String(repeating: "a", count: 63)
        let record = try TextRecord("x", language: language, encoding: .utf16)
        #expect(record.payload == [0xBF] + language.utf8 + [0x00, 0x78])
        #expect(try TextRecord(payload: record.payload) == record)
    }

    @Test(arguments: [
        ("hi", "en", TextRecord.Encoding.utf8, "02 65 6E 68 69"),
        ("hi", "", .utf8, "00 68 69"),
        ("é🔑", "fr", .utf8, "02 66 72 C3 A9 F0 9F 94 91"),
        ("hi", "en", .utf16, "82 65 6E 00 68 00 69"),
        ("🔑", "en", .utf16, "82 65 6E D8 3D DD 11"),
        ("", "en", .utf16, "82 65 6E"),
        // A mark only where the text would be read differently without.
        ("\u{FEFF}h", "en", .utf16, "82 65 6E FE FF FE FF 00 68"),
        ("\u{E000}", "en", .utf16, "82 65 6E FE FF E0 00"),
        ("\u{FFFE}", "en", .utf16, "82 65 6E FE FF FF FE"),
    ])
    func `a text is encoded`(
        _ text: String, _ language: String, _ encoding: TextRecord.Encoding, _ payload: String
    ) throws {
        #expect(try TextRecord(text, language: language, encoding: encoding).payload == bytes(payload))
    }

    @Test(arguments: [
        ("日本", "TEXT_LANG_NOT_ASCII"), (String(repeating: "a", count: 64), "TEXT_LANG_TOO_LONG"),
    ])
    func `a language that cannot be encoded is refused`(_ language: String, _ code: String) throws {
        let error = try #require(throws: NDEFPayloadError.self) { try NDEFRecord.text("x", language: language) }
        #expect(error.code.rawValue == code)
    }

    @Test func `a record is made in one call`() throws {
        let record = try NDEFRecord.text("hi", language: "de", identifier: [1])
        #expect(
            record
                == NDEFRecord(
                    typeNameFormat: .nfcWellKnown, type: [0x54], identifier: [1], payload: try bytes("02 64 65 68 69")))
        #expect(try NDEFRecord.text("hi").decoded == .text(TextRecord("hi")))
    }
}
