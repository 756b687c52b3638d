import NDEF
import Testing

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

    @Test func `records stand before and after a chunked one`() throws {
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

    @Test(.timeLimit(.minutes(5))) func `many chunks take time in proportion`() throws {
        let count = 200_000
        var input: [UInt8] = [0xB5, 0, 1, 7]
        for _ in 0..<count { input += [0x36, 0, 1, 7] }
        input += [0x56, 0, 0]
        #expect(try NDEFMessage(decoding: input).records.first?.payload.count == count + 1)
    }
}
