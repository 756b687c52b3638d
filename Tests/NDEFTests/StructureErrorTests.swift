import NDEF
import Testing

@Suite("Structural errors of a message")
struct StructureErrorTests {
    @Test(arguments: [
        // Nothing at all.
        ("", "EMPTY_INPUT"),
        // MB: missing, even where the header is cut; repeated, unless the header is cut.
        ("50 00 00", "MB_MISSING"),
        ("00", "MB_MISSING"),
        ("51 01", "MB_MISSING"),
        ("77 01 05 41", "MB_MISSING"),
        ("90 00 00 D0 00 00", "MB_REPEATED"),
        ("91 01 00 55 D1 01 FF 55", "MB_REPEATED"),
        ("B1 01 01 55 00 D6 00 01 41", "MB_REPEATED"),
        ("90 00 00 D0 00", "TRUNCATED_HEADER"),
        // ME: missing, or not at the end.
        ("90 00 00", "ME_MISSING"),
        ("91 01 01 55 00 11 01 01 55 00", "ME_MISSING"),
        ("D0 00 00 00", "TRAILING_DATA"),
        ("D1 01 01 55 00 FE", "TRAILING_DATA"),
        ("D0 00 00 D0 00 00", "TRAILING_DATA"),
        // A field that runs past the end.
        ("D1", "TRUNCATED_HEADER"),
        ("D1 01", "TRUNCATED_HEADER"),
        ("D9 01 00", "TRUNCATED_HEADER"),
        ("C1 01 00 00 00", "TRUNCATED_HEADER"),
        ("C9 01 00 00 00 00", "TRUNCATED_HEADER"),
        ("91 01 00 55 51 01", "TRUNCATED_HEADER"),
        ("D1 01 00", "TRUNCATED_TYPE"),
        ("D2 04 01 61 2F 62", "TRUNCATED_TYPE"),
        ("D9 01 00 01 55", "TRUNCATED_ID"),
        ("D9 01 00 04 55 61 62 63", "TRUNCATED_ID"),
        ("D1 01 01 55", "TRUNCATED_PAYLOAD"),
        ("D1 01 04 55 01 02 03", "TRUNCATED_PAYLOAD"),
        ("C1 01 00 00 01 00 55 00", "TRUNCATED_PAYLOAD"),
        // The long length is big-endian: 1 byte here, not 16 MiB; and 16 MiB here, not 1 byte.
        ("C1 01 00 00 00 01 55", "TRUNCATED_PAYLOAD"),
        ("C1 01 01 00 00 00 55 00", "TRUNCATED_PAYLOAD"),
        ("C5 00 FF FF FF FF", "TRUNCATED_PAYLOAD"),
        ("C1 01 80 00 00 00 55 00", "TRUNCATED_PAYLOAD"),
        // What the type name format forbids.
        ("D6 00 00", "UNCHANGED_WITHOUT_CHUNK"),
        ("91 01 00 55 56 00 01 41", "UNCHANGED_WITHOUT_CHUNK"),
        ("B6 00 01 41 56 00 01 42", "UNCHANGED_WITHOUT_CHUNK"),
        ("D0 01 00 55", "EMPTY_RECORD_NOT_EMPTY"),
        ("D8 00 00 01 61", "EMPTY_RECORD_NOT_EMPTY"),
        ("D0 00 01 61", "EMPTY_RECORD_NOT_EMPTY"),
        ("D0 01 03 55", "TRUNCATED_PAYLOAD"),
        ("D5 01 00 55", "UNKNOWN_WITH_TYPE"),
        ("91 01 00 55 55 02 01 61 62 00", "UNKNOWN_WITH_TYPE"),
    ])
    func `a fault rejects the message`(_ digits: String, _ code: String) throws {
        #expect(try decodingError(digits).code.rawValue == code)
    }

    @Test(arguments: [
        ("F1 01 00 55", "CF_WITH_ME"),
        ("F1 01", "CF_WITH_ME"),
        ("F1 01 FF 55", "CF_WITH_ME"),
        ("B1 01 01 55 00 76 00 01 00", "CF_WITH_ME"),
        ("B1 01 01 55 00 51 00 01 00", "CHUNK_TNF_NOT_UNCHANGED"),
        ("B1 01 01 55 00 55", "CHUNK_TNF_NOT_UNCHANGED"),
        ("B1 01 01 55 00 57 00 00", "CHUNK_TNF_NOT_UNCHANGED"),
        ("B1 01 01 55 00 56 01 01 55 00", "CHUNK_TYPE_LENGTH"),
        ("B1 01 01 55 00 36 01 FF", "CHUNK_TYPE_LENGTH"),
        ("B1 01 01 55 00 5E 00 01 01 61 00", "CHUNK_IL"),
        ("B1 01 01 55 00 5E 00 01 00 00", "CHUNK_IL"),
        ("B1 01 01 55 00", "CHUNK_UNTERMINATED"),
        ("B1 01 01 55 00 36 00 01 00", "CHUNK_UNTERMINATED"),
        ("B1 01 01 55 00 36", "TRUNCATED_HEADER"),
        ("B1 01 01 55 00 56 00 02 00", "TRUNCATED_PAYLOAD"),
        ("B1 01 01 55 00 16 00 01 00", "ME_MISSING"),
        ("B1 01 01 55 00 56 00 00 00", "TRAILING_DATA"),
        ("B0 01 00 55 56 00 00", "EMPTY_RECORD_NOT_EMPTY"),
        ("B0 00 00 56 00 01 61", "EMPTY_RECORD_NOT_EMPTY"),
        ("B5 01 01 55 00 56 00 00", "UNKNOWN_WITH_TYPE"),
    ])
    func `a fault in a chunk rejects the message`(_ digits: String, _ code: String) throws {
        #expect(try decodingError(digits).code.rawValue == code)
    }

    @Test func `an error says which record, where and why`() throws {
        let error = try decodingError("91 01 0C 55 01 6E 66 63 2E 65 78 61 6D 70 6C 65 41 01 00 00 01 2C 55 00 00")
        #expect(error.code == .truncatedPayload)
        #expect(error.recordIndex == 1)
        #expect(error.byteOffset == 16)
        #expect(
            error.message
                == "record 2 at byte 16: payload of 300 bytes runs past the end of the message (2 bytes left)")
        #expect(error.description == "TRUNCATED_PAYLOAD: " + error.message)
    }

    @Test(
        arguments: [
            ("", nil, 0), ("90 00 00", nil, 3), ("D0 00 00 AA", nil, 3), ("B1 00 00 36 00 00", 0, 6),
            ("B1 00 00 36 00 00 66", 0, 6), ("90 00 00 10 00 00 36", 2, 6),
        ] as [(String, Int?, Int)])
    func `an error names the physical record that is at fault`(_ digits: String, _ record: Int?, _ offset: Int) throws {
        let error = try decodingError(digits)
        #expect(error.recordIndex == record)
        #expect(error.byteOffset == offset)
    }
}
