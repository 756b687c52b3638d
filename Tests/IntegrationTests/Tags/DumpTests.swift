import NFCProtocol
import Testing
import VirtualTags

@testable import nfcctl

/// The text output of `nfcctl dump`.
@Suite struct `The dump report` {
    typealias Block = TagBlock

    static func dump(
        _ blocks: [Block], name: String? = nil, size: Int = 4, layout: TagLayout = .type2
    ) -> TagDump {
        TagDump(
            layout: layout, product: "NTAG215", blockSize: size, sections: [.init(name: name, blocks: blocks)],
            facts: .init())
    }

    static func block(_ number: Int, _ hex: String?, _ meaning: String? = nil) -> Block {
        Block(number: number, bytes: hex.flatMap { HexBytes($0)?.bytes }, meaning: meaning)
    }

    private func lines(_ blocks: [Block], isFull: Bool = false) -> [String] {
        Array(DumpReport(dump: Self.dump(blocks), isFull: isFull).lines().dropFirst(2))
    }

    @Test func `has number, bytes, characters and purpose, and no trailing spaces`() {
        let blocks = [Self.block(9, "41427E00", "identifier"), Self.block(10, "FF20007F"), Self.block(11, nil, "key")]
        #expect(
            lines(blocks) == [
                "  9  41 42 7E 00  AB~.  identifier", " 10  FF 20 00 7F  . ..", " 11  ?? ?? ?? ??        key",
            ])
    }

    @Test func `replaces identical pages, unless the full output is requested`() {
        let zeros = (4..<8).map { Self.block($0, "00000000") }
        #expect(lines(zeros) == [" 4  00 00 00 00  ....", "  *"])
        #expect(lines(zeros + [Self.block(8, "01000000")]).last == " 8  01 00 00 00  ....")
        #expect(lines(Array(zeros.prefix(2))).count == 2)
        #expect(lines(zeros, isFull: true).count == 4)
        #expect(lines((4..<8).map { Self.block($0, nil) }) == [" 4  ?? ?? ?? ??", "  *"])
    }

    @Test func `shows every page that has a purpose`() {
        #expect(lines((0..<5).map { Self.block($0, "00000000", "identifier") }).count == 5)
    }

    @Test func `has a heading for each named section, and a shorter last row`() {
        let row = String(repeating: "41", count: 16)
        let dump = Self.dump(
            [Self.block(0, row), Self.block(1, "4142")], name: "E104\u{1B}", size: 16, layout: .type4)
        #expect(
            DumpReport(dump: dump, isFull: false).lines() == [
                "NTAG215, 2 rows of 16 bytes", "", #"E104\u{1B}:"#,
                " 0  41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41  AAAAAAAAAAAAAAAA",
                " 1  41 42                                            AB",
            ])
    }

    @Test(arguments: [0, -1, Int.min, Int.max])
    func `has limited lines for an invalid block size`(size: Int) {
        let dump = Self.dump([Self.block(0, nil)], size: size)
        #expect(DumpReport(dump: dump, isFull: true).lines().allSatisfy { $0.count < 300 })
    }
}

/// The conversion of a dump from the protocol to a file, and back.
@Suite struct `The dump file` {
    static func blocks(_ numbers: some Sequence<Int>, size: Int) -> [TagBlock] {
        numbers.map { number in
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: number &* 7 &+ $0) }
            return TagBlock(number: number, bytes: bytes, meaning: nil)
        }
    }

    static func dump(
        _ layout: TagLayout, size: Int, _ numbers: some Sequence<Int>, facts: TagDump.Facts = .init()
    ) -> TagDump {
        TagDump(
            layout: layout, product: layout == .type2 ? "NTAG213" : nil, blockSize: size,
            sections: [.init(name: nil, blocks: blocks(numbers, size: size))], facts: facts)
    }

    static let vicinity: TagDump.Facts = {
        var facts = TagDump.Facts()
        (facts.dsfid, facts.afi, facts.icReference, facts.lockedBlocks) = (1, 2, 3, [4, 5])
        return facts
    }()

    static let feliCaBlocks = Array(0...14) + Array(0x80...0x88) + Array(0x90...0x92) + [0xA0]
    static let uid7: [UInt8] = [0x04, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07]

    static let cases: [(TagDump, [UInt8])] = [
        (dump(.type2, size: 4, 0..<45), uid7),
        (dump(.mifareClassic, size: 16, 0..<64), [1, 2, 3, 4]),
        (dump(.mifareClassic, size: 16, 0..<256), [1, 2, 3, 4]),
        (dump(.type5, size: 4, 0..<28, facts: vicinity), [0xE0, 0x04, 0x01, 0, 0, 0, 0, 1]),
        (dump(.type3, size: 16, feliCaBlocks), [1, 2, 3, 4, 5, 6, 7, 8]),
    ]

    @Test(arguments: cases)
    func `preserves the blocks and the identifier`(dump: TagDump, identifier: [UInt8]) throws {
        let file = try TagImage(dump, identifier: identifier).flipperFile()
        let image = try TagImage(dump: Array(file.utf8))
        #expect(image.identifier == identifier && image.unitSize == dump.blockSize)
        for block in dump.sections[0].blocks { #expect(image.unit(block.number) == block.bytes?.bytes) }
        if dump.layout == .type5 {
            #expect(image.facts.lockedUnits == [4, 5] && image.facts.dsfid == 1 && image.facts.afi == 2)
        }
    }

    @Test func `preserves which pages are unreadable`() throws {
        var dump = Self.dump(.type2, size: 4, 0..<45)
        for page in 40..<45 { dump.sections[0].blocks[page].bytes = nil }
        let image = try TagImage(dump: Array(try TagImage(dump, identifier: Self.uid7).flipperFile().utf8))
        #expect(image.unit(39) != nil && image.unit(40) == nil && image.unitCount == 45)
    }

    @Test func `preserves version, signature and counters`() throws {
        var facts = TagDump.Facts()
        facts.version = HexBytes("0004040201000F03")
        facts.signature = HexBytes([UInt8](repeating: 7, count: 32))
        facts.counters = [2: 9]
        let file = try TagImage(Self.dump(.type2, size: 4, 0..<45, facts: facts), identifier: Self.uid7).flipperFile()
        let image = try TagImage(dump: Array(file.utf8))
        #expect(image.facts.version == facts.version?.bytes && image.facts.signature == facts.signature?.bytes)
        #expect(image.facts.counters == [0, 0, 9])
    }

    @Test(arguments: [
        TagDump(layout: .type4, product: nil, blockSize: 16, sections: [], facts: .init()),
        TagDump(layout: .type2, product: nil, blockSize: 4, sections: [], facts: .init()),
        dump(.type2, size: 4, [-1]), dump(.type5, size: 4, [Int.max - 1]), dump(.type5, size: 4, [65_536]),
    ])
    func `does not support some dumps`(dump: TagDump) {
        #expect(throws: DumpError.self) { try TagImage(dump, identifier: []) }
    }

    @Test(arguments: [
        ("card.nfc", true), ("card.NFC", true), ("a.b/card", false), ("card", false), ("card.", false),
        ("card.pdf", false),
    ])
    func `has the format of its extension`(path: String, isKnown: Bool) {
        #expect((DumpOutput.Format(path: path) != nil) == isKnown)
    }
}
