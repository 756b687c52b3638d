import Testing
import TestSupport

@testable import NFCTags

@Suite struct `Access bits of MIFARE Classic` {
    typealias P = MIFAREClassicPermission

    static let known: [(bytes: String, data: (UInt8, UInt8, UInt8), trailer: UInt8)] = [
        ("FF0780", (0, 0, 0), 1), ("7F0788", (0, 0, 0), 3), ("787788", (4, 4, 4), 3), ("078F0F", (2, 2, 2), 6),
        ("FF0F00", (0, 0, 0), 0), ("000FFF", (3, 3, 3), 3), ("00F0FF", (7, 7, 7), 7), ("6E1789", (6, 0, 0), 3),
    ]

    @Test(arguments: known) func `are parsed and encoded`(
        row: (bytes: String, data: (UInt8, UInt8, UInt8), trailer: UInt8)
    ) throws {
        guard row.bytes != "000FFF" else { return #expect(MIFAREClassicAccessBits(bytes: hex(row.bytes)) == nil) }
        let bits = try #require(MIFAREClassicAccessBits(bytes: hex(row.bytes)))
        #expect(bits == MIFAREClassicAccessBits(data: row.data, trailer: row.trailer))
        #expect(bits.bytes == hex(row.bytes))
    }

    @Test func `all 4096 combinations are parsed, and none with a wrong bit`() throws {
        for number in 0..<4096 {
            let condition = (0..<4).map { UInt8(number >> ($0 * 3) & 7) }
            let data = (condition[0], condition[1], condition[2])
            let bits = try #require(MIFAREClassicAccessBits(data: data, trailer: condition[3]))
            if MIFAREClassicAccessBits(bytes: bits.bytes) != bits { Issue.record("\(condition)") }
            var wrong = bits.bytes
            wrong[number % 3] ^= 1 << UInt8(number % 8)
            if MIFAREClassicAccessBits(bytes: wrong) != nil { Issue.record("\(wrong)") }
        }
    }

    @Test(arguments: [[], [0xFF], [0xFF, 0x07], [0xFF, 0x07, 0x80, 0x69]] as [[UInt8]])
    func `are three bytes`(bytes: [UInt8]) {
        #expect(MIFAREClassicAccessBits(bytes: bytes) == nil)
        #expect(MIFAREClassicAccessBits(data: (0, 8, 0), trailer: 0) == nil)
    }

    /// Read, write, increment, decrement by C1 C2 C3, with a trailer that keeps key B (condition 011).
    static let data: [(UInt8, [P])] = [
        (0b000, [.either, .either, .either, .either]), (0b010, [.either, .never, .never, .never]),
        (0b100, [.either, .b, .never, .never]), (0b110, [.either, .b, .b, .either]),
        (0b001, [.either, .never, .never, .either]), (0b011, [.b, .b, .never, .never]),
        (0b101, [.b, .never, .never, .never]), (0b111, [.never, .never, .never, .never]),
    ]

    @Test(arguments: data) func `define the permissions for data blocks`(condition: UInt8, expected: [P]) throws {
        let bits = try #require(MIFAREClassicAccessBits(data: (0, condition, 0), trailer: 3))
        let permissions = try #require(bits.data(1))
        #expect([permissions.read, permissions.write, permissions.increment, permissions.decrement] == expected)
        #expect(bits.data(3) == nil)
        let open = try #require(MIFAREClassicAccessBits(data: (0, condition, 0), trailer: 1)?.data(1))
        #expect(open.read == (expected[0].allows(.a) ? .a : .never), "a key B that can be read is not a key")
    }

    /// Write key A, read and write access bits, read and write key B, by C1 C2 C3.
    static let trailers: [(UInt8, [P])] = [
        (0b000, [.a, .a, .never, .a, .a]), (0b010, [.never, .a, .never, .a, .never]),
        (0b100, [.b, .either, .never, .never, .b]), (0b110, [.never, .either, .never, .never, .never]),
        (0b001, [.a, .a, .a, .a, .a]), (0b011, [.b, .either, .b, .never, .b]),
        (0b101, [.never, .either, .b, .never, .never]), (0b111, [.never, .either, .never, .never, .never]),
    ]

    @Test(arguments: trailers) func `define the permissions for the trailer`(condition: UInt8, expected: [P]) throws {
        let trailer = try #require(MIFAREClassicAccessBits(data: (0, 0, 0), trailer: condition)).trailer
        let found = [
            trailer.writeKeyA, trailer.readAccessBits, trailer.writeAccessBits, trailer.readKeyB, trailer.writeKeyB,
        ]
        #expect(found == expected)
    }

    @Test func `are described in words`() throws {
        let words = try #require(MIFAREClassicAccessBits(bytes: hex("787788"))).description
        let block = "read with either key, write with key B, increment never, decrement, transfer and restore never"
        #expect(words.hasPrefix("block 0: \(block); block 1: \(block); "))
        #expect(words.hasSuffix("read key B never, write key B with key B"))
    }
}

@Suite struct `Layout of MIFARE Classic` {
    static let rows: [(size: MIFAREClassicSize, sectors: Int, blocks: Int)] = [
        (.mini, 5, 20), (.oneK, 16, 64), (.twoK, 32, 128), (.fourK, 40, 256),
    ]

    @Test(arguments: rows) func `has sectors of 4 and of 16 blocks`(
        row: (size: MIFAREClassicSize, sectors: Int, blocks: Int)
    ) {
        #expect(row.size.sectorCount == row.sectors)
        #expect(row.size.blockCount == row.blocks)
        #expect(row.size.blocks(of: row.sectors) == nil && row.size.blocks(of: -1) == nil)
        #expect(row.size.sector(of: row.blocks) == nil && row.size.sector(of: -1) == nil)
        for sector in 0..<row.sectors {
            for block in row.size.blocks(of: sector) ?? 0..<0 {
                #expect(row.size.sector(of: block) == sector)
                #expect(row.size.isTrailer(block) == (block + 1 == row.size.blocks(of: sector)?.upperBound))
            }
        }
    }

    static let names: [(UInt16, MIFAREClassicSize?)] = [
        (0x0001, .oneK), (0x0002, .fourK), (0x0026, .mini), (0x0036, .twoK), (0x0037, .fourK), (0xFF88, .oneK),
        (0xFF09, .mini), (0xFF18, .fourK), (0x0003, nil), (0xFF20, nil),
    ]

    @Test(arguments: names) func `follows from the card name`(name: UInt16, size: MIFAREClassicSize?) {
        #expect(CardName(rawValue: name).classicSize == size)
    }

    static let checks: [(info: UInt8, entries: Int, crc: UInt8)] = [
        (0x01, 15, 0x14), (0x00, 15, 0x0F), (0x01, 23, 0xE8), (0x00, 23, 0x9E),
    ]

    @Test(arguments: checks) func `has a directory with a checksum`(info: UInt8, entries: Int, crc: UInt8) throws {
        let content = [info] + (0..<entries).flatMap { _ in hex("03E1") }
        #expect(MIFAREApplicationDirectory.crc(content) == crc)
        let directory = try #require(MIFAREApplicationDirectory([crc] + content))
        #expect(directory.ndefEntries == Array(0..<entries))
        #expect(MIFAREApplicationDirectory([crc ^ 1] + content) == nil)
        #expect(MIFAREApplicationDirectory([]) == nil && MIFAREApplicationDirectory([0xC7]) == nil)
    }

}
