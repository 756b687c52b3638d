import NFCTags
import Testing
import TestSupport
import VirtualTags

@Suite struct `Describing a Type 3 tag` {
    struct Row: Sendable {
        let product: VirtualFeliCaProduct
        let name: String?
        let systems: String
        let size: Int
        let exchanges: Int
    }

    static let rows = [
        Row(product: .lite, name: "FeliCa Lite", systems: "88B4 12FC", size: 24 * 16, exchanges: 2),
        Row(product: .liteS, name: "FeliCa Lite-S", systems: "88B4 12FC", size: 28 * 16, exchanges: 2),
        Row(product: .type3, name: nil, systems: "12FC", size: 65 * 16, exchanges: 3),
    ]

    @Test(arguments: rows) func `reports product, systems and memory`(row: Row) async throws {
        let reader = try Type3Bench.reader(row.product)
        let tag = try #require(reader.tag as? VirtualFeliCaTag)
        let description = try await Type3Bench.tag(reader).describe()
        #expect(reader.exchanges.apdus == row.exchanges)
        #expect(description.productName == row.name)
        #expect(description.manufacturer == (row.name == nil ? nil : "Sony"))
        #expect(description.memorySize == row.size)
        #expect(description.blockSize == 16)
        #expect(description.lockState == .unlocked)
        let values = Dictionary(description.fields.map { ($0.label, $0.value) }, uniquingKeysWith: { $1 })
        #expect(values["Systems"] == row.systems)
        #expect(values["IDm"] == hex(tag.identifier))
        #expect(values["PMm"] == hex(row.product.manufactureParameter))
        #expect(values["Attribute information"] == hex(tag.blocks[0] ?? []))
        #expect(values["Memory configuration"] == tag.blocks[0x88].map { hex($0) })
    }

    static let locks: [(change: [Int: UInt8], state: LockState)] = [
        ([0: 0x00, 1: 0x00], .locked), ([0: 0x00, 1: 0xC0], .locked), ([0: 0xFE], .partlyLocked),
        ([8: 0x01], .passwordProtected), ([10: 0x01], .passwordProtected), ([2: 0x00], .unlocked),
    ]

    @Test(arguments: locks) func `reports the locks of a Lite-S`(
        row: (change: [Int: UInt8], state: LockState)
    ) async throws {
        let made = try VirtualFeliCaTag(product: .liteS, ndefMessage: [0xD0, 0, 0])
        var blocks = made.blocks
        for (place, value) in row.change { blocks[0x88]?[place] = value }
        let tag = try VirtualFeliCaTag(product: .liteS, identifier: made.identifier, blocks: blocks)
        #expect(try await Type3Bench.tag(VirtualReader(tag: tag)).describe().lockState == row.state)
    }

    @Test(arguments: [(VirtualFeliCaProduct.lite, LockState.partlyLocked), (.type3, .locked)])
    func `reports a message that is marked as read-only`(product: VirtualFeliCaProduct, state: LockState)
        async throws
    {
        let reader = try Type3Bench.reader(product)
        try await Type3Bench.tag(reader).makeReadOnly()
        #expect(try await Type3Bench.tag(reader).describe().lockState == state)
    }

    @Test(arguments: [(VirtualFeliCaProduct.lite, 7, 6, 21), (.liteS, 7, 6, 24), (.type3, 8, 7, 65)])
    func `dumps what can be read without a key`(product: VirtualFeliCaProduct, exchanges: Int, steps: Int, count: Int)
        async throws
    {
        let reader = try Type3Bench.reader(product, message: Type3Bench.message(100))
        let log = ProgressLog()
        let dump = try await Type3Bench.tag(reader).dump(progress: log.listener)
        #expect(reader.exchanges.apdus == exchanges)
        #expect(log.count() == steps)
        #expect(dump.layout == .type3)
        #expect(dump.facts.manufactureParameter == product.manufactureParameter)
        let memory = try #require(reader.tag as? VirtualFeliCaTag).blocks
        #expect(dump.blocks.map(\.number) == memory.keys.sorted())
        #expect(dump.blocks.count { $0.bytes != nil } == count)
        for block in dump.blocks where block.bytes != nil { #expect(block.bytes == memory[block.number]) }
        #expect(dump.blocks.first?.meaning == "attribute information")
    }

    @Test func `shows no key, and omits blocks that require one`() async throws {
        let made = try VirtualFeliCaTag(product: .liteS, ndefMessage: [0xD0, 0, 0])
        var blocks = made.blocks
        blocks[0x88]?[6] = 0x20
        let tag = try VirtualFeliCaTag(product: .liteS, identifier: made.identifier, blocks: blocks)
        let dump = try await Type3Bench.tag(VirtualReader(tag: tag)).dump()
        #expect(dump.blocks.filter { $0.bytes == nil }.map(\.number) == [5, 0x80, 0x81, 0x87, 0x91])
        let meanings = Dictionary(dump.blocks.map { ($0.number, $0.meaning) }, uniquingKeysWith: { $1 })
        #expect(meanings[0x87] == "CK, card key, cannot be read")
        #expect(meanings[0x88] == "MC, memory configuration")
        #expect(meanings[5] == .some(nil))
    }
}
