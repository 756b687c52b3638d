import Testing

@testable import NDEF

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

@Suite("Warnings")
struct WarningTests {
    @Test(arguments: [
        ("D1 01 00 55", []),
        ("D0 00 00", []),
        ("D5 00 00", []),
        ("D7 01 00 78", ["TNF_RESERVED"]),
        ("D7 00 00", ["TNF_RESERVED"]),
        ("D1 00 00", ["TYPE_LENGTH_ZERO_TNF1"]),
        ("D2 00 01 00", ["TYPE_LENGTH_ZERO_TNF2"]),
        ("D3 00 00", ["TYPE_LENGTH_ZERO_TNF3"]),
        ("D4 00 00", ["TYPE_LENGTH_ZERO_TNF4"]),
        ("D9 01 00 00 55", ["IL_WITH_EMPTY_ID"]),
        ("C1 01 00 00 00 00 55", ["LONG_FORM_FOR_SHORT_PAYLOAD"]),
        ("C8 00 00 00 00 00 00", ["IL_WITH_EMPTY_ID", "LONG_FORM_FOR_SHORT_PAYLOAD"]),
        ("94 00 00 52 00 00", ["TYPE_LENGTH_ZERO_TNF4", "TYPE_LENGTH_ZERO_TNF2"]),
        // Of a chunked record only the first chunk counts.
        ("B1 01 00 55 46 00 00 00 00 01 61", []),
        ("A1 01 00 00 00 00 55 56 00 00", ["LONG_FORM_FOR_SHORT_PAYLOAD"]),
        ("B7 00 00 36 00 00 56 00 00", ["TNF_RESERVED"]),
    ])
    func `an oddity is accepted with a warning`(_ digits: String, _ codes: [String]) throws {
        let decoding = try NDEFMessage.decode(bytes(digits))
        #expect(decoding.warnings.map(\.code.rawValue) == codes)
    }

    @Test func `a long form that is needed is not an oddity`() throws {
        let decoding = try NDEFMessage.decode([0xC1, 1, 0, 0, 1, 0, 0x55] + [UInt8](repeating: 0, count: 256))
        #expect(decoding.warnings.isEmpty)
    }

    @Test func `a warning says which record and where`() throws {
        let warning = try #require(try NDEFMessage.decode(bytes("91 01 00 55 57 00 00")).warnings.first)
        #expect(warning.recordIndex == 1)
        #expect(warning.byteOffset == 4)
        #expect(
            warning.message
                == "record 2 at byte 4: the type name format is 7 (reserved); the record is treated as unknown")
        #expect(warning.description == "TNF_RESERVED: " + warning.message)
    }

    @Test func `warnings about payloads are given on request`() throws {
        let message = NDEFMessage(records: [
            try wellKnown("U", "04 61"), try wellKnown("T", "00 61"), try wellKnown("T", "C2 65 6E 31 00"),
        ])
        let warnings = message.payloadWarnings
        #expect(warnings.map(\.recordIndex) == [1, 2, 2])
        #expect(warnings.map(\.code) == [.textLanguageEmpty, .textReservedBit, .textLittleEndianWithoutBOM])
        #expect(warnings.first?.message == "record 2: the text does not name its language")
    }

    @Test(arguments: [
        NDEFWarning.Code.tnfReserved, .typeLengthZeroTNF1, .typeLengthZeroTNF2, .typeLengthZeroTNF3,
        .typeLengthZeroTNF4, .ilWithEmptyID, .longFormForShortPayload, .textLanguageEmpty, .textReservedBit,
        .textLittleEndianWithoutBOM,
    ])
    func `every warning has a sentence`(_ code: NDEFWarning.Code) {
        #expect(code.sentence.contains(" "))
        #expect(NDEFWarning(code, recordIndex: 0, byteOffset: nil).message == "record 1: " + code.sentence)
    }
}

@Suite("Limits")
struct LimitTests {
    @Test(arguments: [
        ("D1 01 04 55 01 02 03 04", 4, true),
        ("D1 01 05 55 01 02 03 04 05", 4, false),
        ("91 01 02 55 01 02 51 01 02 55 03 04", 4, true),
        ("91 01 02 55 01 02 51 01 03 55 03 04 05", 4, false),
        ("B1 01 02 55 01 02 56 00 02 03 04", 4, true),
        ("B1 01 02 55 01 02 56 00 03 03 04 05", 4, false),
        ("D0 00 00", 0, true),
    ])
    func `payloads count together`(_ digits: String, _ limit: Int, _ isAccepted: Bool) throws {
        let limits = NDEFLimits(maximumPayloadLength: limit)
        if isAccepted {
            _ = try NDEFMessage.decode(bytes(digits), limits: limits)
        } else {
            #expect(try decodingError(digits, limits: limits).code == .limitExceeded)
        }
    }

    @Test func `records are counted, chunks are not`() throws {
        let limits = NDEFLimits(maximumRecordCount: 2)
        _ = try NDEFMessage.decode(bytes("90 00 00 50 00 00"), limits: limits)
        _ = try NDEFMessage.decode(bytes("90 00 00 35 00 00 36 00 00 36 00 00 56 00 00"), limits: limits)
        let error = try decodingError("90 00 00 10 00 00 50 00 00", limits: limits)
        #expect(error.code == .limitExceeded)
        #expect(error.message == "record 3 at byte 6: the message has more than 2 records")
    }

    @Test func `a length that is not there is truncated before it is too large`() throws {
        #expect(try decodingError("C5 00 FF FF FF FF").code == .truncatedPayload)
    }

    @Test func `the default holds ten mebibytes and no more`() throws {
        let limit = 10 * 1024 * 1024
        let header: [UInt8] = [0xC5, 0, 0x00, 0xA0, 0x00]
        let accepted = try NDEFMessage.decode(header + [0x00] + [UInt8](repeating: 0, count: limit))
        #expect(accepted.message.records.first?.payload.count == limit)
        let tooLong = header + [0x01] + [UInt8](repeating: 0, count: limit + 1)
        let error = try #require(throws: NDEFError.self) { try NDEFMessage.decode(tooLong) }
        #expect(error.message == "record 1 at byte 0: the payloads exceed 10485760 bytes")
    }

    @Test func `the default holds 65,536 records and no more`() throws {
        func row(_ count: Int) -> [UInt8] {
            (0..<count).flatMap { [UInt8]([$0 == 0 ? 0x90 : $0 == count - 1 ? 0x50 : 0x10, 0, 0]) }
        }
        #expect(try NDEFMessage(decoding: row(65_536)).records.count == 65_536)
        let error = try #require(throws: NDEFError.self) { try NDEFMessage.decode(row(65_537)) }
        #expect(error.code == .limitExceeded)
    }
}

@Suite("Warnings of handover and Bluetooth records")
struct CarrierWarningTests {
    @Test(arguments: [
        NDEFWarning.Code.handoverLocalIdentifier, .handoverMisplacedRecord, .handoverCarrierMissing,
        .alternativeCarrierReservedBits, .alternativeCarrierReferenceEmpty, .collisionResolutionTrailingData,
        .handoverErrorTrailingData, .handoverCarrierReservedBits, .handoverCarrierTypeFormat, .bluetoothDataPadding,
        .bluetoothDataAfterEnd, .bluetoothDataMalformed, .bluetoothDataRepeated, .bluetoothLEAddressMissing,
        .bluetoothLERoleMissing,
    ])
    func `every warning has a sentence`(_ code: NDEFWarning.Code) {
        #expect(code.sentence.contains(" "))
    }
}
