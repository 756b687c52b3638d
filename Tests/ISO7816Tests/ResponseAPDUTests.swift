import ISO7816
import Testing

@Suite struct `A response APDU` {
    static let rows: [(bytes: String, data: String, statusWord: UInt16)] = [
        ("9000", "", 0x9000),
        ("6A82", "", 0x6A82),
        ("04A1B2C3D4E5F69000", "04A1B2C3D4E5F6", 0x9000),
        ("90009000", "9000", 0x9000),
        ("009000 6282", "009000", 0x6282),
    ]

    @Test(arguments: rows)
    func `the last two bytes are the status word`(bytes: String, data: String, statusWord: UInt16) throws {
        let response = try ResponseAPDU(bytes: hex(bytes))
        #expect(response.data == hex(data))
        #expect(response.statusWord.rawValue == statusWord)
        #expect(response.bytes == hex(bytes))
    }

    @Test(arguments: ["", "90", "00"])
    func `fewer than two bytes are an error that keeps them`(bytes: String) {
        let error = ResponseAPDUError.statusWordMissing(hex(bytes))
        #expect(throws: error) { try ResponseAPDU(bytes: hex(bytes)) }
        #expect(error.description.contains(bytes.isEmpty ? "empty" : bytes))
    }

    @Test func `it can be put together from its parts`() {
        let response = ResponseAPDU(data: [1, 2], statusWord: .success)
        #expect(response.bytes == [1, 2, 0x90, 0x00])
        #expect(ResponseAPDU(statusWord: .fileNotFound).data.isEmpty)
    }
}
