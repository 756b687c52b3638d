import ISO7816
import Testing
import TestSupport

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
    func `lengths are encoded as ISO 7816-4 requires`(row: Row) throws {
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
    func `a raw Le byte is sent unchanged`(le: UInt8, expected: String, length: Int) {
        let command = CommandAPDU(cla: 0xFF, ins: 0xCA, p1: 0, p2: 0, le: le)
        #expect(command.bytes == hex(expected))
        #expect(command.expectedLength == length)
    }

    @Test func `the description is hexadecimal`() throws {
        let command = try CommandAPDU(cla: 0x00, ins: 0xB0, p1: 0x00, p2: 0x0F, expectedLength: 15)
        #expect(command.description == "00B0000F0F")
    }
}

@Suite struct `Parsing a command APDU` {
    struct Row: Sendable, CustomTestStringConvertible {
        var bytes: String
        var data: String
        var ne: Int?
        var form: CommandAPDU.Form
        var testDescription: String { bytes }
    }

    static let rows: [Row] = [
        // 1
        Row(bytes: "00010203", data: "", ne: nil, form: .short),
        // 2S
        Row(bytes: "0001020301", data: "", ne: 1, form: .short),
        Row(bytes: "00010203FF", data: "", ne: 255, form: .short),
        Row(bytes: "0001020300", data: "", ne: 256, form: .short),
        // 3S
        Row(bytes: "0001020301AA", data: "AA", ne: nil, form: .short),
        Row(bytes: "0001020303 000000", data: "000000", ne: nil, form: .short),
        // 4S
        Row(bytes: "0001020301 AA 02", data: "AA", ne: 2, form: .short),
        Row(bytes: "0001020302 AABB 00", data: "AABB", ne: 256, form: .short),
        // 2E
        Row(bytes: "00010203 00 0000", data: "", ne: 65_536, form: .extended),
        Row(bytes: "00010203 00 0001", data: "", ne: 1, form: .extended),
        Row(bytes: "00010203 00 FFFF", data: "", ne: 65_535, form: .extended),
        // 3E
        Row(bytes: "00010203 00 0001 AA", data: "AA", ne: nil, form: .extended),
        // 4E
        Row(bytes: "00010203 00 0001 AA 0000", data: "AA", ne: 65_536, form: .extended),
        Row(bytes: "00010203 00 0002 AABB 0100", data: "AABB", ne: 256, form: .extended),
    ]

    @Test(arguments: rows)
    func `all seven forms are read and written back unchanged`(row: Row) throws {
        let command = try CommandAPDU(parsing: hex(row.bytes))
        #expect(command.cla == 0 && command.ins == 1 && command.p1 == 2 && command.p2 == 3)
        #expect(command.data == hex(row.data))
        #expect(command.expectedLength == row.ne)
        #expect(command.form == row.form)
        #expect(command.bytes == hex(row.bytes))
    }

    @Test(arguments: [255, 256, 65_535])
    func `long data is read whole`(count: Int) throws {
        let data = [UInt8](repeating: 0x33, count: count)
        let command = try CommandAPDU(cla: 1, ins: 2, p1: 3, p2: 4, data: data, expectedLength: 256)
        #expect(try CommandAPDU(parsing: command.bytes) == command)
    }

    static let malformed: [(bytes: String, error: CommandAPDUError)] = [
        ("", .headerTruncated(0)),
        ("000102", .headerTruncated(3)),
        ("00010203 00 01", .lengthFieldTruncated),
        ("00010203 00 0000 AA", .emptyDataField),
        ("00010203 00 0000 AABB", .emptyDataField),
        ("00010203 02 AA", .inconsistentLength(declared: 2, following: 1)),
        ("00010203 02 AABB 0000", .inconsistentLength(declared: 2, following: 4)),
        ("00010203 FF AA", .inconsistentLength(declared: 255, following: 1)),
        ("00010203 00 0002 AA", .inconsistentLength(declared: 2, following: 1)),
        ("00010203 00 0001 AA 00", .inconsistentLength(declared: 1, following: 2)),
        ("00010203 00 0001 AA 000000", .inconsistentLength(declared: 1, following: 4)),
        ("00010203 00 FFFF AA", .inconsistentLength(declared: 65_535, following: 1)),
    ]

    @Test(arguments: malformed)
    func `inconsistent lengths are refused`(bytes: String, error: CommandAPDUError) {
        #expect(throws: error) { try CommandAPDU(parsing: hex(bytes)) }
        #expect(CommandAPDU(bytes: hex(bytes)) == nil)
        #expect(!error.description.isEmpty)
    }

    @Test func `a slice that does not start at 0 is read`() {
        let command = CommandAPDU(bytes: hex("FFFF 00010203 01 AA").dropFirst(2))
        #expect(command?.data == [0xAA])
    }

    @Test func `random bytes never trap, and what is read is written back unchanged`() {
        var generator = SplitMix(seed: 7816)
        for _ in 0..<20_000 {
            var bytes = generator.bytes(count: Int.random(in: 0...24, using: &generator))
            // Half of them with small lengths, so that many are well formed.
            if bytes.count > 4, Bool.random(using: &generator) { bytes[4] %= 12 }
            if bytes.count > 6, bytes[4] == 0 { bytes[5] = 0 }
            guard let command = CommandAPDU(bytes: bytes) else { continue }
            #expect(command.bytes == bytes)
        }
    }
}

@Suite struct `Chaining of commands` {
    static let links: [(count: Int, sizes: [Int])] = [
        (0, [0]), (1, [1]), (255, [255]), (256, [255, 1]), (510, [255, 255]), (511, [255, 255, 1]),
    ]

    @Test(arguments: links)
    func `puts 255 bytes into each link`(count: Int, sizes: [Int]) throws {
        let data = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let links = try CommandAPDU(cla: 0x00, ins: 0xD6, p1: 0, p2: 2, data: data).shortLinks
        #expect(links.map(\.data.count) == sizes)
        #expect(links.flatMap(\.data) == data)
        #expect(links.dropLast().allSatisfy { $0.cla == 0x10 && $0.expectedLength == nil })
        #expect(links.last?.cla == 0x00)
        #expect(links.allSatisfy { $0.form == .short && $0.ins == 0xD6 && $0.p2 == 2 })
    }

    @Test func `puts Le into the last link and limits it to 256`() throws {
        let data = [UInt8](repeating: 0, count: 300)
        let command = try CommandAPDU(cla: 0x01, ins: 0xCB, p1: 0, p2: 0, data: data, expectedLength: 4_096)
        #expect(command.form == .extended)
        #expect(command.shortLinks.map(\.expectedLength) == [nil, 256])
        #expect(command.shortLinks.map(\.cla) == [0x11, 0x01])
    }

    @Test func `keeps a short command unchanged`() throws {
        let command = try CommandAPDU(cla: 0x00, ins: 0xA4, p1: 4, p2: 0, data: [1, 2], expectedLength: 256)
        #expect(command.shortLinks == [command])
    }

    static let classes: [(cla: UInt8, answer: UInt8, isInterindustry: Bool)] = [
        (0x00, 0x00, true), (0x03, 0x03, true), (0x10, 0x00, true), (0x0C, 0x00, true), (0x41, 0x41, true),
        (0x6F, 0x4F, true), (0x80, 0x80, false), (0x90, 0x90, false), (0xFF, 0xFF, false),
    ]

    @Test(arguments: classes)
    func `fetches the rest on the same logical channel`(cla: UInt8, answer: UInt8, isInterindustry: Bool) throws {
        let command = try CommandAPDU(cla: cla, ins: 0xB0, p1: 0, p2: 0, expectedLength: 4)
        #expect(command.isInterindustry == isInterindustry)
        #expect(command.getResponse(256).bytes == [answer, 0xC0, 0, 0, 0])
        #expect(command.getResponse(16).bytes == [answer, 0xC0, 0, 0, 16])
    }

    @Test func `asks again with another length`() throws {
        let command = try CommandAPDU(cla: 0, ins: 0xB0, p1: 0, p2: 0, expectedLength: 15)
        #expect(command.expecting(7).bytes == hex("00B0000007"))
        #expect(command.expecting(0).expectedLength == 1)
        #expect(command.expecting(70_000).expectedLength == 65_536)
    }
}
