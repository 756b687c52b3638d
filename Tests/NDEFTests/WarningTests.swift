import Testing

@testable import NDEF

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

    @Test func `a long form that is needed is no oddity`() throws {
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

    @Test func `remarks about payloads are told on request`() throws {
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
