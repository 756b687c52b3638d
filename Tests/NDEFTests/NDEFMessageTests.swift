import Testing

@testable import NDEF

@Suite("Decoding a message")
struct DecodingTests {
    @Test(arguments: [
        ("D0 00 00", TypeNameFormat.empty, "", "", ""),
        ("D1 01 02 55 04 61", .nfcWellKnown, "55", "", "0461"),
        ("D9 01 02 03 55 61 62 63 04 61", .nfcWellKnown, "55", "616263", "0461"),
        ("D2 03 01 61 2F 62 FF", .media, "612F62", "", "FF"),
        ("D3 04 00 75 3A 78 79", .absoluteURI, "753A7879", "", ""),
        ("DC 03 01 01 61 3A 62 69 00", .nfcExternal, "613A62", "69", "00"),
        ("D5 00 02 01 02", .unknown, "", "", "0102"),
        ("D7 01 01 78 79", .reserved, "78", "", "79"),
        ("C1 01 00 00 00 02 55 04 61", .nfcWellKnown, "55", "", "0461"),
        ("C9 01 00 00 00 02 01 55 69 04 61", .nfcWellKnown, "55", "69", "0461"),
    ])
    func `the fields of a record are found`(
        _ digits: String, _ format: TypeNameFormat, _ type: String, _ identifier: String, _ payload: String
    ) throws {
        let record = NDEFRecord(
            typeNameFormat: format, type: try bytes(type), identifier: try bytes(identifier),
            payload: try bytes(payload))
        #expect(try NDEFMessage(decoding: bytes(digits)).records == [record])
    }

    @Test func `records keep their order`() throws {
        let message = try NDEFMessage(decoding: bytes("91 01 01 54 00 11 01 01 55 01 51 01 01 56 02"))
        #expect(message.records.map(\.type) == [[0x54], [0x55], [0x56]])
        #expect(message.records.map(\.payload) == [[0], [1], [2]])
    }

    @Test func `an identifier does not leak into the next record`() throws {
        let message = try NDEFMessage(decoding: bytes("99 01 01 02 54 69 64 00 51 01 01 55 01"))
        #expect(message.records.map(\.identifier) == [[0x69, 0x64], []])
    }

    @Test(arguments: [255, 256, 257, 65_535, 65_536, 70_000])
    func `a long payload is read whole`(_ length: Int) throws {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let lengthField = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
        let decoding = try NDEFMessage.decode([0xC2, 1] + lengthField + [0x78] + payload)
        #expect(decoding.message.records.map(\.payload) == [payload])
    }

    @Test func `bytes can be given as a span of a larger buffer`() throws {
        let area = try bytes("03 04 D1 01 00 55 FE")
        let decoding = try NDEFMessage.decode(area.span.extracting(2..<6))
        #expect(decoding.message.records == [NDEFRecord(typeNameFormat: .nfcWellKnown, type: [0x55])])
    }
}

@Suite("Chunks")
struct ChunkTests {
    @Test(arguments: [
        // Two, three, with empty chunks, with a long last chunk.
        ("B1 01 01 55 04 56 00 01 61", "55", "0461"),
        ("B1 01 01 55 04 36 00 01 61 56 00 02 62 63", "55", "04616263"),
        ("B1 01 00 55 36 00 00 36 00 01 04 56 00 00", "55", "04"),
        ("A1 01 00 00 00 01 55 04 46 00 00 00 00 01 61", "55", "0461"),
        ("B5 00 01 01 56 00 01 02", "", "0102"),
    ])
    func `chunks are put together`(_ digits: String, _ type: String, _ payload: String) throws {
        let records = try NDEFMessage(decoding: bytes(digits)).records
        #expect(records.map(\.type) == [try bytes(type)])
        #expect(records.map(\.payload) == [try bytes(payload)])
    }

    @Test func `type, identifier and format are those of the first chunk`() throws {
        let records = try NDEFMessage(decoding: bytes("BC 03 01 02 61 3A 62 69 64 01 56 00 01 02")).records
        let record = NDEFRecord(
            typeNameFormat: .nfcExternal, type: Array("a:b".utf8), identifier: Array("id".utf8), payload: [1, 2])
        #expect(records == [record])
    }

    @Test func `records precede and follow a chunked one`() throws {
        let message = try NDEFMessage(decoding: bytes("91 01 01 41 00 31 01 01 42 01 16 00 01 02 51 01 01 43 03"))
        #expect(message.records.map(\.payload) == [[0], [1, 2], [3]])
    }

    @Test func `two chunked records follow each other`() throws {
        let message = try NDEFMessage(decoding: bytes("B1 01 01 41 00 16 00 01 01 31 01 01 42 02 56 00 01 03"))
        #expect(message.records.map(\.payload) == [[0, 1], [2, 3]])
    }

    @Test func `a chunked empty record is empty`() throws {
        #expect(try NDEFMessage(decoding: bytes("B0 00 00 56 00 00")).records == [NDEFRecord(typeNameFormat: .empty)])
    }

    @Test(.timeLimit(.minutes(20))) func `many chunks take time in proportion`() throws {
        let count = 200_000
        var input: [UInt8] = [0xB5, 0, 1, 7]
        for _ in 0..<count { input += [0x36, 0, 1, 7] }
        input += [0x56, 0, 0]
        #expect(try NDEFMessage(decoding: input).records.first?.payload.count == count + 1)
    }
}

@Suite("Encoding a message")
struct EncodingTests {
    @Test(arguments: [
        // What is read, and its canonical form.
        ("D0 00 00", "D0 00 00"),
        ("C0 00 00 00 00 00", "D0 00 00"),
        ("D8 00 00 00", "D0 00 00"),
        ("C9 01 00 00 00 02 01 55 69 04 61", "D9 01 02 01 55 69 04 61"),
        ("B1 01 01 55 04 56 00 01 61", "D1 01 02 55 04 61"),
        ("91 01 01 54 00 11 01 01 55 01 51 01 01 56 02", "91 01 01 54 00 11 01 01 55 01 51 01 01 56 02"),
        ("D7 01 01 78 79", "D7 01 01 78 79"),
        ("D5 00 02 01 02", "D5 00 02 01 02"),
        ("D1 00 01 00", "D1 00 01 00"),
    ])
    func `a message is written in its shortest form`(_ digits: String, _ canonical: String) throws {
        let message = try NDEFMessage(decoding: bytes(digits))
        #expect(try message.encoded() == bytes(canonical))
        #expect(message.encodedLength == (try bytes(canonical).count))
    }

    @Test(arguments: [
        (0, "D5 00 00"), (1, "D5 00 01"), (255, "D5 00 FF"), (256, "C5 00 00 00 01 00"), (65_536, "C5 00 00 01 00 00"),
    ])
    func `a payload of 256 bytes needs the long form`(_ length: Int, _ header: String) throws {
        let payload = [UInt8](repeating: 0xAB, count: length)
        let message = NDEFMessage(records: [NDEFRecord(typeNameFormat: .unknown, payload: payload)])
        #expect(try message.encoded() == bytes(header) + payload)
        #expect(message.encodedLength == (try bytes(header).count) + length)
    }

    @Test func `type and identifier may have 255 bytes`() throws {
        let long = [UInt8](repeating: 0x61, count: 255)
        let message = NDEFMessage(records: [NDEFRecord(typeNameFormat: .media, type: long, identifier: long)])
        #expect(try message.encoded() == [0xDA, 255, 0, 255] + long + long)
        #expect(try NDEFMessage(decoding: message.encoded()) == message)
    }

    @Test func `a message without records has no bytes`() throws {
        #expect(try NDEFMessage().encoded().isEmpty)
        #expect(NDEFMessage().encodedLength == 0)
    }
}

@Suite("What cannot be encoded")
struct EncodingErrorTests {
    private static let long = [UInt8](repeating: 0x61, count: 256)

    @Test(arguments: [
        (NDEFRecord(typeNameFormat: .media, type: long), "TYPE_TOO_LONG"),
        (NDEFRecord(typeNameFormat: .unknown, identifier: long), "ID_TOO_LONG"),
        (NDEFRecord(typeNameFormat: .empty, type: [1]), "EMPTY_RECORD_NOT_EMPTY"),
        (NDEFRecord(typeNameFormat: .empty, identifier: [1]), "EMPTY_RECORD_NOT_EMPTY"),
        (NDEFRecord(typeNameFormat: .empty, payload: [1]), "EMPTY_RECORD_NOT_EMPTY"),
        (NDEFRecord(typeNameFormat: .unknown, type: [1]), "UNKNOWN_WITH_TYPE"),
        (NDEFRecord(typeNameFormat: .unchanged), "UNCHANGED_WITHOUT_CHUNK"),
        (NDEFRecord(typeNameFormat: .unchanged, payload: [1]), "UNCHANGED_WITHOUT_CHUNK"),
    ])
    func `a record that no reader would accept is refused`(_ record: NDEFRecord, _ code: String) throws {
        let error = try encodingError(NDEFRecord(typeNameFormat: .empty), record)
        #expect(error.code.rawValue == code)
        #expect(error.recordIndex == 1)
        #expect(error.byteOffset == nil)
    }

    @Test func `the error has a sentence`() throws {
        let error = try encodingError(NDEFRecord(typeNameFormat: .media, type: Self.long))
        #expect(error.message == "record 1: type of 256 bytes is longer than the 255 bytes that can be encoded")
    }

    @Test func `a payload of 4 GiB is too long`() throws {
        try NDEFRecord.checkLengths(type: 0, identifier: 0, payload: Int(UInt32.max), at: 0)
        let error = try #require(throws: NDEFError.self) {
            try NDEFRecord.checkLengths(type: 0, identifier: 0, payload: Int(UInt32.max) + 1, at: 2)
        }
        #expect(error.code == .payloadTooLong)
        #expect(error.recordIndex == 2)
    }
}
