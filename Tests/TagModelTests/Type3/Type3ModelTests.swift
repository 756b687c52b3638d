import NFCTags
import Testing

@testable import VirtualTags

/// The Type 3 driver against the FeliCa models.
@Suite struct `Type 3 tags from end to end` {
    static let products = VirtualFeliCaProduct.all

    @Test(arguments: products) func `what is written is read, up to exactly the capacity`(
        product: VirtualFeliCaProduct
    ) async throws {
        let reader = try Type3Bench.reader(product)
        for count in [1, 15, 16, 17, 64, 65, product.messageCapacity - 1, product.messageCapacity, 3] {
            let message = Type3Bench.message(count, from: count)
            try await Type3Bench.tag(reader).writeNDEF(message, verifying: true)
            let result = try await Type3Bench.tag(reader).readNDEF()
            #expect(
                result
                    == NDEFReadResult(status: .readWrite, capacity: product.messageCapacity, message: message))
        }
    }

    @Test(arguments: products) func `one byte more is refused before the first write`(
        product: VirtualFeliCaProduct
    ) async throws {
        let reader = try Type3Bench.reader(product, message: [0xD0, 0, 0])
        let before = (reader.tag as? VirtualFeliCaTag)?.blocks
        let message = Type3Bench.message(product.messageCapacity + 1)
        let error = await failure { () throws(TagError) in
            try await Type3Bench.tag(reader).writeNDEF(message, verifying: false)
        }
        #expect(error?.code == .tagSizeTooSmall)
        #expect((reader.tag as? VirtualFeliCaTag)?.blocks == before)
    }

    @Test(arguments: products) func `erasing leaves an empty tag`(product: VirtualFeliCaProduct) async throws {
        let reader = try Type3Bench.reader(product, message: [0xD0, 0, 0])
        try await Type3Bench.tag(reader).writeNDEF([], verifying: true)
        let result = try await Type3Bench.tag(reader).readNDEF()
        #expect(
            result == NDEFReadResult(status: .readWrite, capacity: product.messageCapacity, message: nil))
    }

    @Test(arguments: products) func `a locked tag is read and not written`(product: VirtualFeliCaProduct) async throws {
        let reader = try Type3Bench.reader(product, message: [0xD0, 0, 0])
        try await Type3Bench.tag(reader).makeReadOnly()
        let before = (reader.tag as? VirtualFeliCaTag)?.blocks
        let result = try await Type3Bench.tag(reader).readNDEF()
        #expect(result.status == .readOnly)
        #expect(result.message == [0xD0, 0, 0])
        let write = await failure { () throws(TagError) in
            try await Type3Bench.tag(reader).writeNDEF([0xD0, 0, 0], verifying: false)
        }
        #expect(write?.code == .tagNotWritable)
        let lock = await failure { () throws(TagError) in try await Type3Bench.tag(reader).makeReadOnly() }
        #expect(lock?.code == .tagNotWritable)
        #expect((reader.tag as? VirtualFeliCaTag)?.blocks == before)
    }

    @Test(arguments: [VirtualFeliCaProduct.lite, .liteS]) func `a Lite as delivered is formatted, then written`(
        product: VirtualFeliCaProduct
    ) async throws {
        let reader = try Type3Bench.reader(product, message: nil)
        let channel = ModelChannel(reader)
        #expect(try await Type3Bench.tag(channel).readNDEF().status == .notSupported)
        let tag = Type3Bench.tag(channel)
        try await tag.formatNDEF()
        try await tag.writeNDEF([0xD0, 0, 0], verifying: true)
        reader.reset()
        #expect(try await Type3Bench.tag(reader).readNDEF().message == [0xD0, 0, 0])
        try await Type3Bench.tag(reader).formatNDEF()
        #expect(try await Type3Bench.tag(reader).readNDEF().message == [0xD0, 0, 0])
    }

    /// What the user blocks of a card of another program hold: all of one, or the end of the memory.
    static let foreign: [[Int: [UInt8]]] = [
        [0: Array("Hello, world 123".utf8)], [13: [UInt8](repeating: 0, count: 15) + [1]],
        [1: [0x10, 0x04] + [UInt8](repeating: 0, count: 14), 7: [UInt8](repeating: 0xFF, count: 16)],
    ]

    @Test(arguments: [VirtualFeliCaProduct.lite, .liteS], foreign.indices)
    func `other data on a Lite is formatted only where that is asked for`(
        product: VirtualFeliCaProduct, index: Int
    ) async throws {
        // Without NDEF, and as an NDEF system whose attribute block is something else.
        for isNDEF in [false, true] {
            let made = try VirtualFeliCaTag(product: product)
            var blocks = made.blocks.merging(Self.foreign[index]) { $1 }
            if isNDEF { blocks[0x88]?[3] = 0x01 }
            let reader = VirtualReader(
                tag: try VirtualFeliCaTag(product: product, identifier: made.identifier, blocks: blocks))
            guard case .holdsData(let text) = try await Type3Bench.tag(reader).formatState() else {
                Issue.record("no other data was found")
                continue
            }
            #expect(text.contains("holds other data from block \(Self.foreign[index].keys.min() ?? 0) on"))
            let error = await failure { try await Type3Bench.tag(reader).formatNDEF() }
            #expect(error?.code == .unsupportedFeature)
            #expect((reader.tag as? VirtualFeliCaTag)?.blocks == blocks)
            try await Type3Bench.tag(reader).formatNDEF(overwriting: true)
            reader.reset()
            #expect(try await Type3Bench.tag(reader).queryStatus().status == .readWrite)
        }
    }

    @Test func `blocks of a Lite that need a key to be read are not overwritten unasked`() async throws {
        let made = try VirtualFeliCaTag(product: .liteS)
        var blocks = made.blocks
        blocks[0x88]?[6] = 0x20
        let reader = VirtualReader(
            tag: try VirtualFeliCaTag(product: .liteS, identifier: made.identifier, blocks: blocks))
        let error = await failure { try await Type3Bench.tag(reader).formatNDEF() }
        #expect(error?.detail.contains("block 5 cannot be read without a key") == true)
        #expect((reader.tag as? VirtualFeliCaTag)?.blocks == blocks)
    }

    @Test(arguments: [VirtualFeliCaProduct.lite, .liteS]) func `formatting that was interrupted can be started again`(
        product: VirtualFeliCaProduct
    ) async throws {
        for exchange in 1...9 {
            let reader = try Type3Bench.reader(product, message: nil)
            let torn = FaultInjectingCard(reader, plan: FaultPlan(.removeAfter, at: exchange))
            _ = await failure { try await Type3Bench.tag(torn).formatNDEF() }
            try await Type3Bench.tag(reader).formatNDEF()
            reader.reset()
            #expect(try await Type3Bench.tag(reader).queryStatus().status == .readWrite)
        }
    }

    @Test func `a Lite that requires keys is read-only`() async throws {
        let made = try VirtualFeliCaTag(product: .liteS, ndefMessage: [0xD0, 0, 0])
        var blocks = made.blocks
        blocks[0x88]?[8] = 0xFF
        let tag = try VirtualFeliCaTag(product: .liteS, identifier: made.identifier, blocks: blocks)
        let reader = VirtualReader(tag: tag)
        #expect(try await Type3Bench.tag(reader).readNDEF().status == .readOnly)
        let error = await failure { () throws(TagError) in
            try await Type3Bench.tag(reader).writeNDEF([0xD0], verifying: false)
        }
        #expect(error?.code == .tagNotWritable)
    }

    @Test func `another card than the one identified is not changed`() async throws {
        let reader = try Type3Bench.reader(.type3)
        let channel = ACR122UDataExchange(channel: ModelChannel(reader))
        let tag = Type3Tag(channel: channel, identifier: [1, 2, 3, 4, 5, 6, 7, 8])
        let error = await failure { () throws(TagError) in try await tag.writeNDEF([0xD0], verifying: false) }
        #expect(error?.code == .tagConnectionLost)
        #expect(reader.exchanges.apdus == 1)
    }

    @Test(arguments: products) func `the reader is recognised and reports the IDm`(product: VirtualFeliCaProduct)
        async throws
    {
        let reader = try Type3Bench.reader(product)
        let identity = try await identify(atr: reader.answerToReset, channel: ModelChannel(reader))
        #expect(identity.technology == .feliCa)
        #expect(identity.identifier == reader.tag.identifier)
    }
}

/// Exact numbers of exchanges.
@Suite struct `Exchanges with Type 3 tags` {
    struct Row: Sendable {
        let product: VirtualFeliCaProduct
        let old: Int
        let new: Int
        /// Reading the old message, writing the new one, writing it verified.
        let counts: [Int]
    }

    static let rows: [Row] = [
        // Polling and attributes; reading the blocks, writing them, attributes.
        Row(product: .liteS, old: 0, new: 0, counts: [2, 2, 2]),
        Row(product: .liteS, old: 0, new: 20, counts: [2, 6, 8]),
        Row(product: .liteS, old: 20, new: 0, counts: [3, 3, 4]),
        Row(product: .liteS, old: 20, new: 40, counts: [3, 8, 10]),
        Row(product: .lite, old: 208, new: 208, counts: [6, 21, 26]),
        Row(product: .type3, old: 0, new: 20, counts: [2, 5, 7]),
        Row(product: .type3, old: 1024, new: 1024, counts: [8, 18, 25]),
        Row(product: .type3, old: 1024, new: 0, counts: [8, 3, 4]),
    ]

    @Test(arguments: rows) func `have the minimal number`(row: Row) async throws {
        let old = Type3Bench.message(row.old)
        let new = Type3Bench.message(row.new, from: 77)
        let read = try Type3Bench.reader(row.product, message: old)
        #expect(try await Type3Bench.tag(read).readNDEF().message ?? [] == old)
        var counts = [read.exchanges.apdus]
        for verifying in [false, true] {
            let reader = try Type3Bench.reader(row.product, message: old)
            try await Type3Bench.tag(reader).writeNDEF(new, verifying: verifying)
            counts.append(reader.exchanges.apdus)
        }
        #expect(counts == row.counts)
    }

    @Test func `formatting and locking`() async throws {
        let blank = try Type3Bench.reader(.lite, message: nil)
        try await Type3Bench.tag(blank).formatNDEF()
        // Two polls, the memory configuration, 14 blocks, two writes.
        #expect(blank.exchanges.apdus == 9)
        let lock = try Type3Bench.reader(.type3)
        try await Type3Bench.tag(lock).makeReadOnly()
        #expect(lock.exchanges.apdus == 4)
    }
}

/// A card with more blocks than a short block list element can name, and more a command than the reader carries.
@Suite struct `Large Type 3 tags` {
    static let product = VirtualFeliCaProduct(
        name: "Large", manufactureParameter: [0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00], readLimit: 15,
        writeLimit: 13, dataBlocks: 300, family: .plain)

    @Test func `commands are reduced to the limit of the reader`() async throws {
        let reader = try Type3Bench.reader(Self.product)
        let message = Type3Bench.message(4800)
        try await Type3Bench.tag(reader).writeNDEF(message, verifying: true)
        // Polling, attributes, 300 blocks in 14s, in 12s, in 14s again, attributes twice.
        #expect(reader.exchanges.apdus == 2 + 22 + 25 + 22 + 2)
        let result = try await Type3Bench.tag(reader).readNDEF()
        #expect(result == NDEFReadResult(status: .readWrite, capacity: 4800, message: message))
    }
}

@Suite struct `Type 3 tags pulled away while writing` {
    struct Row: Sendable {
        let product: VirtualFeliCaProduct
        let old: Int
        let new: Int
        let cases: Int
    }

    static let rows: [Row] = [
        Row(product: .lite, old: 0, new: 0, cases: 6), Row(product: .lite, old: 20, new: 60, cases: 27),
        Row(product: .lite, old: 208, new: 20, cases: 21), Row(product: .liteS, old: 0, new: 208, cases: 60),
        Row(product: .liteS, old: 208, new: 0, cases: 9), Row(product: .liteS, old: 208, new: 208, cases: 63),
        Row(product: .type3, old: 254, new: 255, cases: 24), Row(product: .type3, old: 300, new: 200, cases: 24),
        Row(product: .type3, old: 0, new: 1024, cases: 51), Row(product: .type3, old: 1024, new: 0, cases: 9),
        Row(product: .type3, old: 10, new: 1024, cases: 54),
    ]

    @Test(arguments: rows) func `the tag holds the old message, none or the new one`(row: Row) async throws {
        let old = Type3Bench.message(row.old)
        let test = TearTest(
            makeCard: { try Type3Bench.reader(row.product, message: old) },
            makeTag: { Type3Bench.tag($0) }, old: old, new: Type3Bench.message(row.new, from: 99))
        let cases = try await test.run()
        #expect(cases == row.cases)
    }

    @Test func `a tag torn in its data reads as empty with a warning, and can be written`() async throws {
        let reader = try Type3Bench.reader(.lite, message: Type3Bench.message(40))
        let torn = FaultInjectingCard(reader, plan: FaultPlan(.removeAfter, at: 5))
        let error = await failure { () throws(TagError) in
            try await Type3Bench.tag(torn).writeNDEF(Type3Bench.message(40, from: 50), verifying: false)
        }
        #expect(error?.leaves == .empty)
        let result = try await Type3Bench.tag(reader).readNDEF()
        #expect(result.warnings == [.interruptedWrite])
        #expect(result.status == .readWrite)
        #expect(result.message == nil)
        let lock = await failure { () throws(TagError) in try await Type3Bench.tag(reader).makeReadOnly() }
        #expect(lock?.code == .unsupportedFeature)
        try await Type3Bench.tag(reader).writeNDEF([0xD0, 0, 0], verifying: true)
        #expect(try await Type3Bench.tag(reader).readNDEF().message == [0xD0, 0, 0])
    }
}

/// FeliCa cards behind a reader, and the driver for them.
enum Type3Bench {
    static func reader(_ product: VirtualFeliCaProduct, message: [UInt8]? = []) throws -> VirtualReader {
        VirtualReader(tag: try VirtualFeliCaTag(product: product, ndefMessage: message))
    }

    static func tag(_ card: any VirtualCard) -> Type3Tag { tag(ModelChannel(card)) }

    static func tag(_ channel: ModelChannel) -> Type3Tag {
        Type3Tag(channel: ACR122UDataExchange(channel: channel))
    }

    /// Bytes that differ from one another and from padding.
    static func message(_ count: Int, from first: Int = 1) -> [UInt8] {
        (0..<count).map { UInt8(($0 + first) % 250 + 1) }
    }

    static func identifier(_ reader: VirtualReader) -> [UInt8] { reader.tag.identifier }

    /// A card of one system without NDEF, which answers to nothing but polling.
    struct SilentCard: FeliCaChannel {
        let parameter: [UInt8]
        let system: UInt16
        let longestFrame = 252

        func transceive(_ frame: [UInt8]) async throws(TagError) -> [UInt8] {
            let code = [UInt8(system >> 8), UInt8(system & 0xFF)]
            guard frame.count == 6, frame[1] == 0x00, [code, [0xFF, 0xFF]].contains(Array(frame[2..<4])) else {
                throw TagError(.tagResponseError, "no answer", response: [0x01])
            }
            let body = [0x01, 1, 2, 3, 4, 5, 6, 7, 8] + parameter + (frame[4] == 0x01 ? code : [])
            return [UInt8(body.count + 1)] + body
        }
    }
}
