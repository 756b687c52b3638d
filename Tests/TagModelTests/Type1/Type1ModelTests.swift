import NFCTags
import Testing
import VirtualTags

/// The Type 1 driver against the Topaz models.
@Suite struct `Type 1 tags from end to end` {
    static let products = VirtualTopazProduct.all

    static func reader(_ product: VirtualTopazProduct, message: [UInt8]? = []) throws -> VirtualReader {
        VirtualReader(tag: try VirtualTopazTag(product: product, ndefMessage: message))
    }

    static func tag(_ card: any VirtualCard) -> Type1Tag { tag(ModelChannel(card)) }
    static func tag(_ channel: ModelChannel) -> Type1Tag {
        Type1Tag(channel: ACR122UDataExchange(channel: channel))
    }

    @Test(arguments: products) func `what is written is read, up to exactly the capacity`(
        product: VirtualTopazProduct
    ) async throws {
        let reader = try Self.reader(product)
        for count in [1, 77, 78, 79, 80, 90, 254, 255, product.messageCapacity, 3]
        where count <= product.messageCapacity {
            let message = Type3Bench.message(count, from: count)
            try await Self.tag(reader).writeNDEF(message, verifying: true)
            let result = try await Self.tag(reader).readNDEF()
            #expect(
                result
                    == NDEFReadResult(status: .readWrite, capacity: product.messageCapacity, message: message))
        }
        try await Self.tag(reader).writeNDEF([], verifying: true)
        #expect(try await Self.tag(reader).readNDEF().message == nil)
    }

    @Test(arguments: products) func `one byte more is refused before the first write`(product: VirtualTopazProduct)
        async throws
    {
        let reader = try Self.reader(product)
        let before = (reader.tag as? VirtualTopazTag)?.memory
        let message = Type3Bench.message(product.messageCapacity + 1)
        let error = await failure { () throws(TagError) in
            try await Self.tag(reader).writeNDEF(message, verifying: false)
        }
        #expect(error?.code == .tagSizeTooSmall)
        #expect((reader.tag as? VirtualTopazTag)?.memory == before)
    }

    @Test(arguments: products) func `a blank tag is formatted, written and locked`(product: VirtualTopazProduct)
        async throws
    {
        let reader = try Self.reader(product, message: nil)
        #expect(try await Self.tag(reader).readNDEF().status == .notSupported)
        try await Self.tag(reader).formatNDEF()
        try await Self.tag(reader).writeNDEF([0xD0, 0, 0], verifying: true)
        try await Self.tag(reader).makeReadOnly()
        let result = try await Self.tag(reader).readNDEF()
        #expect(result.status == .readOnly)
        #expect(result.message == [0xD0, 0, 0])
        let before = (reader.tag as? VirtualTopazTag)?.memory
        let error = await failure { () throws(TagError) in try await Self.tag(reader).writeNDEF([], verifying: false) }
        #expect(error?.code == .tagNotWritable)
        #expect((reader.tag as? VirtualTopazTag)?.memory == before)
    }

    static let counts: [(VirtualTopazProduct, Int, [Int])] = [
        (.topaz, 3, [2, 7, 8]), (.topaz, 90, [2, 93, 94]), (.topaz512, 3, [2, 4, 5]), (.topaz512, 462, [5, 64, 68]),
    ]

    @Test(arguments: counts) func `there are exactly as many exchanges as needed`(
        product: VirtualTopazProduct, size: Int, counts: [Int]
    ) async throws {
        let message = Type3Bench.message(size)
        let read = try Self.reader(product, message: message)
        #expect(try await Self.tag(read).readNDEF().message == message)
        var found = [read.exchanges.apdus]
        for verifying in [false, true] {
            let reader = try Self.reader(product)
            try await Self.tag(reader).writeNDEF(message, verifying: verifying)
            found.append(reader.exchanges.apdus)
        }
        #expect(found == counts)
    }

    @Test func `the reader is recognised`() async throws {
        let reader = try Self.reader(.topaz)
        let identity = try await identify(atr: reader.answerToReset, channel: ModelChannel(reader))
        #expect(identity.technology == .type1Topaz)
    }
}

@Suite struct `Type 1 tags pulled away while writing` {
    struct Row: Sendable {
        let product: VirtualTopazProduct
        let old: Int
        let new: Int
        let cases: Int
    }

    static let rows: [Row] = [
        Row(product: .topaz, old: 0, new: 90, cases: 279), Row(product: .topaz, old: 40, new: 10, cases: 45),
        Row(product: .topaz, old: 90, new: 0, cases: 12), Row(product: .topaz512, old: 254, new: 255, cases: 117),
        Row(product: .topaz512, old: 255, new: 254, cases: 114),
        Row(product: .topaz512, old: 462, new: 462, cases: 195),
        Row(product: .topaz512, old: 462, new: 0, cases: 12),
    ]

    @Test(arguments: rows) func `the tag holds the old message, none or the new one`(row: Row) async throws {
        let old = Type3Bench.message(row.old)
        let test = TearTest(
            makeCard: { try `Type 1 tags from end to end`.reader(row.product, message: old) },
            makeTag: { `Type 1 tags from end to end`.tag($0) }, old: old, new: Type3Bench.message(row.new, from: 99))
        let cases = try await test.run()
        #expect(cases == row.cases)
    }
}

private typealias Bench = `Type 1 tags from end to end`

@Suite struct `Describing a Type 1 tag` {
    static let rows: [(product: VirtualTopazProduct, name: String, size: Int, exchanges: Int)] = [
        (.topaz, "Topaz 96", 120, 2), (.topaz512, "Topaz 512", 512, 2),
    ]

    @Test(arguments: rows)
    func `reports the product`(row: (product: VirtualTopazProduct, name: String, size: Int, exchanges: Int))
        async throws
    {
        let reader = try Bench.reader(row.product)
        let description = try await Bench.tag(reader).describe()
        #expect(description.product == row.name)
        #expect(description.memorySize == row.size)
        #expect(description.blockSize == 8)
        #expect(description.lockState == .unlocked)
        #expect(reader.exchanges.apdus == row.exchanges)
    }

    @Test func `shows header, container and lock bytes`() async throws {
        let fields = try await Bench.tag(try Bench.reader(.topaz512)).describe().fields
        #expect(
            fields == [
                .init("Proof", "weak: it has no secret, and everything on it can be copied"),
                .init("Header ROM", "124C"), .init("Capability container", "E1103F00"),
                .init("Static lock bytes", "0120"), .init("Dynamic lock bytes", "000000000000"),
            ])
    }

    @Test(arguments: VirtualTopazProduct.all) func `reports a locked tag, one locked in part and one only marked`(
        product: VirtualTopazProduct
    ) async throws {
        let locked = try Bench.reader(product)
        try await Bench.tag(locked).makeReadOnly()
        #expect(try await Bench.tag(locked).describe().lockState == .locked)
        for (place, value) in [(112, 0x05), (11, 0x0F)] as [(Int, UInt8)] {
            var memory = try VirtualTopazTag(product: product, ndefMessage: []).memory
            memory[place] = value
            let reader = VirtualReader(
                tag: try VirtualTopazTag(product: product, memory: memory))
            #expect(try await Bench.tag(reader).describe().lockState == .partlyLocked)
        }
    }

    @Test(arguments: [(VirtualTopazProduct.topaz, 2), (.topaz512, 5)])
    func `dumps the whole memory`(product: VirtualTopazProduct, exchanges: Int) async throws {
        for message in [nil, Type3Bench.message(60)] {
            let reader = try Bench.reader(product, message: message)
            let log = ProgressLog()
            let dump = try await Bench.tag(reader).dump(progress: log.listener)
            #expect(reader.exchanges.apdus == exchanges)
            #expect(dump.layout == .type1)
            #expect(dump.blockSize == 8)
            let memory = try #require(reader.tag as? VirtualTopazTag).memory
            #expect(dump.blocks.map(\.number) == Array(0..<memory.count / 8))
            #expect(dump.blocks.flatMap { $0.bytes?.bytes ?? [] } == memory)
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
