import ISO7816
import TestSupport
import Testing

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
