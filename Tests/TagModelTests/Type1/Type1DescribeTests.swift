import NFCTags
import Testing
import VirtualTags

private typealias Bench = `Type 1 tags from end to end`

@Suite struct `Describing a Type 1 tag` {
    static let rows: [(product: TopazProduct, name: String, size: Int, exchanges: Int)] = [
        (.topaz, "Topaz 96", 120, 2), (.topaz512, "Topaz 512", 512, 2),
    ]

    @Test(arguments: rows)
    func `tells the product`(row: (product: TopazProduct, name: String, size: Int, exchanges: Int)) async throws {
        let reader = try Bench.reader(row.product)
        let description = try await Bench.tag(reader).describe()
        #expect(description.productName == row.name)
        #expect(description.memorySize == row.size)
        #expect(description.blockSize == 8)
        #expect(description.lockState == .unlocked)
        #expect(reader.exchanges.apdus == row.exchanges)
    }

    @Test func `shows header, container and lock bytes`() async throws {
        let fields = try await Bench.tag(try Bench.reader(.topaz512)).describe().fields
        #expect(
            fields == [
                .init("Header ROM", "124C"), .init("Capability container", "E1103F00"),
                .init("Static lock bytes", "0120"), .init("Dynamic lock bytes", "000000000000"),
            ])
    }

    @Test(arguments: TopazProduct.all) func `knows a locked tag, one locked in part and one only marked`(
        product: TopazProduct
    ) async throws {
        let locked = try Bench.reader(product)
        try await Bench.tag(locked).makeReadOnly()
        #expect(try await Bench.tag(locked).describe().lockState == .locked)
        for (place, value) in [(112, 0x05), (11, 0x0F)] as [(Int, UInt8)] {
            var memory = try TopazTag(product: product, ndefMessage: []).memory
            memory[place] = value
            let reader = VirtualReader(
                tag: try TopazTag(product: product, memory: memory))
            #expect(try await Bench.tag(reader).describe().lockState == .partlyLocked)
        }
    }

    @Test(arguments: [(TopazProduct.topaz, 2), (.topaz512, 5)])
    func `dumps the whole memory`(product: TopazProduct, exchanges: Int) async throws {
        for message in [nil, Type3Bench.message(60)] {
            let reader = try Bench.reader(product, message: message)
            let log = ProgressLog()
            let dump = try await Bench.tag(reader).dump(progress: log.listener)
            #expect(reader.exchanges.apdus == exchanges)
            #expect(dump.layout == .type1)
            #expect(dump.blockSize == 8)
            let memory = try #require(reader.tag as? TopazTag).memory
            #expect(dump.blocks.map(\.number) == Array(0..<memory.count / 8))
            #expect(dump.blocks.flatMap { $0.bytes ?? [] } == memory)
            #expect(log.count() == memory.count / 8)
        }
    }

    @Test func `names the special blocks`() async throws {
        let blocks = try await Bench.tag(try Bench.reader(.topaz512)).dump().blocks
        let named = blocks.filter { $0.meaning != nil }
        #expect(named.map(\.number) == [0, 1, 13, 14, 15])
        #expect(
            named.map(\.meaning) == [
                "identifier", "capability container", "reserved", "static lock and one-way bits", "dynamic lock",
            ])
    }
}
