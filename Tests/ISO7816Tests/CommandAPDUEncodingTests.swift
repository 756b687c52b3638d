import ISO7816
import Testing

@Suite struct `Encoding a command APDU` {
    struct Row: Sendable, CustomTestStringConvertible {
        var data: Int
        var ne: Int?
        var expected: String
        var form: CommandAPDU.Form
        var testDescription: String { "Nc \(data), Ne \(ne.map(String.init) ?? "none")" }
    }

    static let small: [Row] = [
        Row(data: 0, ne: nil, expected: "00A40400", form: .short),
        Row(data: 0, ne: 1, expected: "00A4040001", form: .short),
        Row(data: 0, ne: 15, expected: "00A404000F", form: .short),
        Row(data: 0, ne: 255, expected: "00A40400FF", form: .short),
        Row(data: 0, ne: 256, expected: "00A4040000", form: .short),
        Row(data: 0, ne: 257, expected: "00A40400000101", form: .extended),
        Row(data: 0, ne: 65_535, expected: "00A4040000FFFF", form: .extended),
        Row(data: 0, ne: 65_536, expected: "00A40400000000", form: .extended),
        Row(data: 1, ne: nil, expected: "00A4040001 AA", form: .short),
        Row(data: 2, ne: 1, expected: "00A4040002 AAAA 01", form: .short),
        Row(data: 2, ne: 256, expected: "00A4040002 AAAA 00", form: .short),
        Row(data: 2, ne: 257, expected: "00A40400000002 AAAA 0101", form: .extended),
        Row(data: 2, ne: 65_536, expected: "00A40400000002 AAAA 0000", form: .extended),
    ]

    @Test(arguments: small)
    func `lengths are written as ISO 7816-4 says`(row: Row) throws {
        let data = [UInt8](repeating: 0xAA, count: row.data)
        let command = try CommandAPDU(cla: 0x00, ins: 0xA4, p1: 0x04, p2: 0x00, data: data, expectedLength: row.ne)
        #expect(command.bytes == hex(row.expected))
        #expect(command.form == row.form)
    }

    static let large: [(data: Int, ne: Int?, head: String, tail: String)] = [
        (255, nil, "00D60000 FF", ""),
        (255, 256, "00D60000 FF", "00"),
        (256, nil, "00D60000 000100", ""),
        (256, 1, "00D60000 000100", "0001"),
        (256, 256, "00D60000 000100", "0100"),
        (65_535, 65_536, "00D60000 00FFFF", "0000"),
    ]

    @Test(arguments: large)
    func `more than 255 bytes of data take the extended form`(
        row: (data: Int, ne: Int?, head: String, tail: String)
    ) throws {
        let data = [UInt8](repeating: 0x5A, count: row.data)
        let command = try CommandAPDU(cla: 0x00, ins: 0xD6, p1: 0, p2: 0, data: data, expectedLength: row.ne)
        #expect(command.bytes == hex(row.head) + data + hex(row.tail))
    }

    @Test(arguments: [0, -1, Int.min, 65_537, Int.max])
    func `an expected length outside 1 to 65536 is refused`(length: Int) {
        #expect(throws: CommandAPDUError.expectedLengthOutOfRange(length)) {
            try CommandAPDU(cla: 0, ins: 0, p1: 0, p2: 0, expectedLength: length)
        }
    }

    @Test func `more than 65535 bytes of data are refused`() {
        #expect(throws: CommandAPDUError.dataTooLong(65_536)) {
            try CommandAPDU(cla: 0, ins: 0, p1: 0, p2: 0, data: Array(repeating: 0, count: 65_536))
        }
    }

    @Test(arguments: [(UInt8(0), "FFCA000000", 256), (UInt8(7), "FFCA000007", 7), (UInt8(255), "FFCA0000FF", 255)])
    func `a raw Le byte is sent as it is`(le: UInt8, expected: String, length: Int) {
        let command = CommandAPDU(cla: 0xFF, ins: 0xCA, p1: 0, p2: 0, le: le)
        #expect(command.bytes == hex(expected))
        #expect(command.expectedLength == length)
    }

    @Test func `the description is hexadecimal`() throws {
        let command = try CommandAPDU(cla: 0x00, ins: 0xB0, p1: 0x00, p2: 0x0F, expectedLength: 15)
        #expect(command.description == "00B0000F0F")
    }
}
