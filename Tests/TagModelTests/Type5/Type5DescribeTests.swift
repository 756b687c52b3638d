import NFCTags
import Testing
import VirtualTags

@Suite struct `Describing a Type 5 tag` {
    struct Row: Sendable {
        let index: Int
        let name: String?
        let maker: String
        let describe: Int
        let dump: Int
        let steps: Int
    }

    static let rows = [
        Row(index: 0, name: "ICODE SLIX", maker: "NXP", describe: 3, dump: 3, steps: 28),
        Row(index: 1, name: "ICODE SLIX2", maker: "NXP", describe: 7, dump: 5, steps: 80),
        Row(index: 2, name: nil, maker: "STMicroelectronics", describe: 3, dump: 6, steps: 128),
        Row(index: 3, name: nil, maker: "STMicroelectronics", describe: 20, dump: 82, steps: 2048),
        Row(index: 4, name: nil, maker: "Texas Instruments", describe: 3, dump: 4, steps: 64),
    ]

    @Test(arguments: rows) func `reports maker, chip and system information`(row: Row) async throws {
        let (product, _) = Type5Cards.all[row.index]
        let reader = try Type5Cards.reader(product, [])
        let description = try await Type5Cards.native(reader).describe()
        #expect(description.product == row.name)
        #expect(description.manufacturer == row.maker)
        #expect(description.memorySize == product.dataSize)
        #expect(description.lockState == .unlocked)
        #expect(reader.exchanges.apdus == row.describe)
        let passwords =
            row.name == "ICODE SLIX2"
            ? ["Passwords", "Both passwords needed", "Permanent locks", "Features", "Counter", "EAS"] : []
        let labels = ["Capability container", "DSFID", "AFI", "IC reference", "Blocks"] + passwords + ["Locked blocks"]
        #expect(description.fields.map(\.label) == (row.name == nil ? [] : ["Proof"]) + labels)
        #expect(description.fields.last?.value == "none")
    }

    @Test(arguments: rows) func `dumps every block and which are locked`(row: Row) async throws {
        let (product, _) = Type5Cards.all[row.index]
        let reader = try Type5Cards.reader(product, ClassicCards.message(60))
        let locked = product == .tagIt ? [] : [0, 1]
        for block in locked { Type5Cards.lock(UInt8(block), on: reader) }
        let before = reader.exchanges.apdus
        let log = ProgressLog()
        let dump = try await Type5Cards.native(reader).dump(progress: log.listener)
        #expect(reader.exchanges.apdus - before == row.dump)
        #expect(log.count() == row.steps)
        #expect(dump.layout == .type5)
        #expect(dump.blocks.map(\.number) == Array(0..<product.blockCount))
        #expect(dump.blocks.flatMap { $0.bytes?.bytes ?? [] } == Type5Cards.memory(reader))
        #expect(dump.facts.lockedBlocks ?? [] == locked)
        #expect([dump.facts.dsfid, dump.facts.afi] == [0, 0])
        #expect(dump.facts.icReference != nil)
        let isLong = product == .st25dv64k
        let meanings = dump.blocks.prefix(3).map(\.meaning)
        let second: String? = isLong ? "capability container, locked" : "locked"
        #expect(
            meanings
                == (locked.isEmpty
                    ? ["capability container", nil, nil] : ["capability container, locked", second, nil]))
    }

    @Test(arguments: [VirtualISO15693Product.slix, .slix2])
    func `reports a tag as locked once its message and its container are`(product: VirtualISO15693Product) async throws
    {
        let reader = try Type5Cards.reader(product, ClassicCards.message(10))
        try await Type5Cards.native(reader).makeReadOnly()
        let locked = try await Type5Cards.native(reader).describe()
        #expect(locked.lockState == .locked)
        #expect(locked.fields.last == .init("Locked blocks", "0–3"))
        for block in 4..<28 { Type5Cards.lock(UInt8(block), on: reader) }
        #expect(try await Type5Cards.native(reader).describe().lockState == .locked)
    }

    /// What is locked of a tag with a message in blocks 1 to 3.
    @Test(arguments: [[1, 2, 3], [0, 1, 2], [0], [3], [27]])
    func `reports a tag as partly locked while a part of its message is open`(blocks: [Int]) async throws {
        for access in [UInt8(0x40), 0x43] {
            var memory = try VirtualISO15693Tag(product: .slix, ndefMessage: ClassicCards.message(10)).memory
            memory[1] = access
            let reader = Type5Cards.reader(try VirtualISO15693Tag(product: .slix, memory: memory))
            for block in blocks { Type5Cards.lock(UInt8(block), on: reader) }
            #expect(try await Type5Cards.native(reader).describe().lockState == .partlyLocked)
        }
    }

    @Test func `counts the blocks for data of an ICODE SLIX2, and names its counter`() async throws {
        let description = try await Type5Cards.native(try Type5Cards.reader(.slix2, [])).describe()
        #expect(description.memorySize == 316)
        let blocks = description.fields.first { $0.label == "Blocks" }
        #expect(blocks?.value == "79 of 4 bytes, and a counter in block 79")
    }

    @Test func `without frames the locks stay unknown`() async throws {
        let reader = try Type5Cards.reader(.slix, [])
        let description = try await Type5Cards.blocks(reader).describe()
        #expect(description.product == "ICODE SLIX")
        #expect(description.lockState == .unknown)
        let other = try Type5Cards.reader(.slix, ClassicCards.message(60))
        let dump = try await Type5Cards.blocks(other).dump()
        #expect(dump.blocks.flatMap { $0.bytes?.bytes ?? [] } == Type5Cards.memory(other))
        #expect(dump.facts == TagDump.Facts())
        // Block 0, the identifier, and the other 27 blocks.
        #expect(other.exchanges.apdus == 29)
    }

    @Test func `memory of unknown size is dumped to the end of its container`() async throws {
        let reader = try Type5Cards.reader(.st25dv04k, ClassicCards.message(60))
        let dump = try await Type5Cards.blocks(reader).dump()
        #expect(dump.blocks.flatMap { $0.bytes?.bytes ?? [] } == Type5Cards.memory(reader))
    }
}
