import Testing

@testable import NDEF

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
