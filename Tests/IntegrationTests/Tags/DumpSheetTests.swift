import NFCProtocol
import Testing

@testable import nfcctl

/// A dump for people.
@Suite struct `The sheet of a dump` {
    typealias Block = TagDumpMemory.Block

    static func dump(
        _ blocks: [Block], name: String? = nil, size: Int = 4, layout: TagDumpMemory.Layout = .type2
    ) -> TagDumpMemory.Result {
        TagDumpMemory.Result(
            layout: layout, product: "NTAG215", blockSize: size, sections: [.init(name: name, blocks: blocks)],
            facts: .init())
    }

    static func block(_ number: Int, _ hex: String?, _ meaning: String? = nil) -> Block {
        Block(number: number, bytes: hex.flatMap { HexBytes($0) }, meaning: meaning)
    }

    private func lines(_ blocks: [Block], isFull: Bool = false) -> [String] {
        Array(DumpSheet(dump: Self.dump(blocks), isFull: isFull).lines().dropFirst(2))
    }

    @Test func `has number, bytes, characters and meaning, and no space at the end`() {
        let blocks = [Self.block(9, "41427E00", "identifier"), Self.block(10, "FF20007F"), Self.block(11, nil, "key")]
        #expect(
            lines(blocks) == [
                "  9  41 42 7E 00  AB~.  identifier", " 10  FF 20 00 7F  . ..", " 11  ?? ?? ?? ??        key",
            ])
    }

    @Test func `cuts a row of equal plain pages short, unless all are wanted`() {
        let zeros = (4..<8).map { Self.block($0, "00000000") }
        #expect(lines(zeros) == [" 4  00 00 00 00  ....", "  *"])
        #expect(lines(zeros + [Self.block(8, "01000000")]).last == " 8  01 00 00 00  ....")
        #expect(lines(Array(zeros.prefix(2))).count == 2)
        #expect(lines(zeros, isFull: true).count == 4)
        #expect(lines((4..<8).map { Self.block($0, nil) }) == [" 4  ?? ?? ?? ??", "  *"])
    }

    @Test func `shows every page that has a meaning`() {
        #expect(lines((0..<5).map { Self.block($0, "00000000", "identifier") }).count == 5)
    }

    @Test func `has a heading for each part with a name, and a shorter last row`() {
        let row = String(repeating: "41", count: 16)
        let dump = Self.dump(
            [Self.block(0, row), Self.block(1, "4142")], name: "E104\u{1B}", size: 16, layout: .type4)
        #expect(
            DumpSheet(dump: dump, isFull: false).lines() == [
                "NTAG215, 2 rows of 16 bytes", "", #"E104\u{1B}:"#,
                " 0  41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41  AAAAAAAAAAAAAAAA",
                " 1  41 42                                            AB",
            ])
    }

    @Test(arguments: [0, -1, Int.min, Int.max])
    func `is not filled by a block size that cannot be`(size: Int) {
        let dump = Self.dump([Self.block(0, nil)], size: size)
        #expect(DumpSheet(dump: dump, isFull: true).lines().allSatisfy { $0.count < 300 })
    }
}
