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
        Row(product: .type3, name: "FeliCa Standard (RC-S915)", systems: "12FC", size: 65 * 16, exchanges: 3),
    ]

    @Test(arguments: rows) func `reports product, systems and memory`(row: Row) async throws {
        let reader = try Type3Bench.reader(row.product)
        let tag = try #require(reader.tag as? VirtualFeliCaTag)
        let description = try await Type3Bench.tag(reader).describe()
        #expect(reader.exchanges.apdus == row.exchanges)
        #expect(description.product == row.name)
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

    /// PMm, the system of the card, and the name. Only a card with the system 88B4 is a Lite.
    static let others: [(parameter: String, system: UInt16, name: String?)] = [
        ("00F0000000014300", 0x88B4, "FeliCa Lite"), ("00F1000000014300", 0x88B4, "FeliCa Lite-S"),
        ("00F1000000014300", 0x0003, nil), ("03F1000000014300", 0x88B4, nil), ("FFF0FFFFFFFFFFFF", 0x8008, nil),
        ("0120220427674EFF", 0x0003, "FeliCa Standard (RC-S962)"), ("100B4B428485D0FF", 0x0003, nil),
        ("01E0000000FFFF00", 0xFEE1, "FeliCa Plug (RC-S926)"), ("00F2000000014300", 0xFE00, "FeliCa Link (RC-S967)"),
        ("0314010203040506", 0xFE00, "Mobile FeliCa"),
    ]

    @Test(arguments: others) func `names a card without NDEF by PMm and system code`(
        row: (parameter: String, system: UInt16, name: String?)
    ) async throws {
        let channel = Type3Bench.SilentCard(parameter: hex(row.parameter), system: row.system)
        let description = try await Type3Tag(channel: channel).describe()
        #expect(description.product == row.name)
        #expect(description.manufacturer == row.name.map { _ in "Sony" })
        let reading = try await Type3Tag(channel: channel).readNDEF()
        let name = row.name ?? "this FeliCa card"
        let isLite = ["FeliCa Lite", "FeliCa Lite-S"].contains(row.name)
        #expect(
            reading.reason
                == (isLite ? "\(name) has no NDEF system 12FC" : "\(name) is not supported: it has no NDEF system 12FC")
        )
        guard !isLite else { return }
        guard case .impossible(let reason) = try await Type3Tag(channel: channel).formatState() else {
            Issue.record("\(row.parameter) can be formatted")
            return
        }
        #expect(reason.hasPrefix(name))
    }

    @Test func `a card that only has the PMm of a Lite keeps its whole memory`() async throws {
        let product = VirtualFeliCaProduct.of(
            hex("00F1000000014300"), blockCount: 65, attributes: hex("100C08"), isLite: false)
        let reader = try Type3Bench.reader(product)
        #expect(try await Type3Bench.tag(reader).readNDEF().capacity == 1024)
        try await Type3Bench.tag(reader).writeNDEF(Type3Bench.message(1024), verifying: true)
        #expect(try await Type3Bench.tag(reader).readNDEF().message == Type3Bench.message(1024))
    }

    @Test func `reports the refusal of block 0, and the rest`() async throws {
        let reader = try Type3Bench.reader(.type3)
        let card = FaultInjectingCard(
            reader,
            plan: FaultPlan(.answer(hex("D54100 0C07") + Type3Bench.identifier(reader) + hex("01B1 9000")), at: 3))
        let description = try await Type3Bench.tag(card).describe()
        #expect(description.fields.contains { $0.label == "IDm" })
        #expect(description.fields.contains { $0.label == "Refused" && $0.value.hasPrefix("block 0") })
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
        #expect(dump.facts.manufactureParameter?.bytes == product.manufactureParameter)
        let memory = try #require(reader.tag as? VirtualFeliCaTag).blocks
        #expect(dump.blocks.map(\.number) == memory.keys.sorted())
        #expect(dump.blocks.count { $0.bytes != nil } == count)
        for block in dump.blocks where block.bytes != nil { #expect(block.bytes?.bytes == memory[block.number]) }
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
