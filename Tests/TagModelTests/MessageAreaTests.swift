import NFCTags
import TagTable
import TestSupport
import Testing
import VirtualTags

/// The pages, blocks and bytes of virtual tags that no message may reach, from the data sheets: locks, counters, configuration, keys.
enum GuardedMemory {
    /// The first page behind the memory for data of the Type 2 products.
    static let type2Ends = [
        "NTAG213": 40, "NTAG215": 130, "NTAG216": 226, "MF0UL11": 16, "MF0UL21": 36, "MF0AES20": 40,
        "NTAG210": 16, "NTAG212": 36, "NTAG203": 40, "MIFARE Ultralight": 16, "MIFARE Ultralight C": 40,
    ]

    /// What only a command that is meant for it may change.
    static func bytes(of tag: any VirtualTag) throws -> [UInt8] {
        switch tag {
        case let tag as VirtualType2Tag:
            let end = try #require(type2Ends[tag.product.name], "\(tag.product.name)")
            return Array(tag.memory.prefix(12) + tag.memory.dropFirst(end * 4))
        case let tag as VirtualNTAGI2CTag: return Array(tag.memory.prefix(12)) + tag.dynamicLock
        case let tag as VirtualISO15693Tag:
            let locks = (0..<tag.product.blockCount).map { tag.lockedBlocks.contains($0) ? UInt8(1) : 0 }
            return locks + tag.memory.dropFirst(tag.product.dataSize)
        case let tag as VirtualTopazTag:
            return Array(tag.memory.prefix(8) + tag.memory[104..<min(128, tag.memory.count)])
        case let tag as VirtualFeliCaTag where tag.product != .type3:
            return tag.blocks.filter { $0.key > 13 && $0.key != 0x88 && $0.key != 0x90 }.sorted { $0.key < $1.key }
                .flatMap(\.value)
        case let tag as VirtualType4Card: return tag.capabilityContainer
        default: return []
        }
    }
}

@Suite struct `A message stays in the memory for data` {
    /// A tag on a reader, with a driver made for it.
    struct Bench {
        let card: VirtualReader
        let reader: String

        init(_ tag: any VirtualTag, on reader: String) throws {
            let model = try #require(VirtualReaderModel.named(reader))
            card = try #require(model.card(tag) as? VirtualReader)
            self.reader = reader
        }

        /// A driver, as for a new tap.
        func driver() async throws -> any NDEFTag {
            let channel = ModelChannel(card)
            card.reset()
            let identity = try await identify(atr: card.answerToReset, channel: channel)
            return try #require(ndefTag(for: identity, channel: channel, profile: .profile(reader: reader)))
        }

        func guarded() throws -> [UInt8] { try GuardedMemory.bytes(of: card.tag) }
    }

    static func type2(
        _ product: VirtualType2Product, container: [UInt8], area: [UInt8]
    ) throws -> VirtualType2Tag {
        var memory = try VirtualType2Tag(product: product).memory
        memory.replaceSubrange(12..<16, with: container)
        let end = try #require(GuardedMemory.type2Ends[product.name]) * 4
        let content = area + [UInt8](repeating: 0, count: max(0, end - 16 - area.count))
        memory.replaceSubrange(16..<end, with: content.prefix(end - 16))
        return try VirtualType2Tag(product: product, memory: memory)
    }

    static let old = hex("D1010C55046578616D706C652E636F6D")

    struct Foreign: Sendable, CustomTestStringConvertible {
        let product: VirtualType2Product
        let container: String
        let area: String
        let size: Int
        let capacity: Int

        var testDescription: String { "\(product) \(container)" }
    }

    static let foreign = [
        Foreign(product: .ntag213, container: "E1102D00", area: "0103A00C34 0310", size: 150, capacity: 137),
        Foreign(product: .ntag213, container: "E1103E00", area: "0103A00C34 0310", size: 480, capacity: 137),
        Foreign(product: .ntag213, container: "E1106D00", area: "0310", size: 145, capacity: 142),
        Foreign(product: .ntag213, container: "E110FF00", area: "0310", size: 1000, capacity: 142),
        Foreign(product: .ntag215, container: "E1108700", area: "0310", size: 508, capacity: 500),
        Foreign(product: .ntag215, container: "E1106D00", area: "0310", size: 600, capacity: 500),
        Foreign(product: .ntag216, container: "E110FF00", area: "0310", size: 900, capacity: 884),
        Foreign(product: .ultralight, container: "E1101200", area: "0310", size: 100, capacity: 46),
        Foreign(product: .ultralightC, container: "E1106D00", area: "0310", size: 145, capacity: 142),
        Foreign(product: .ntag203, container: "E1103E00", area: "0310", size: 145, capacity: 142),
        Foreign(product: .mf0ul11, container: "E1101200", area: "0310", size: 47, capacity: 46),
        Foreign(product: .mf0ul21, container: "E1101200", area: "0310", size: 130, capacity: 126),
        Foreign(product: .ntag210, container: "E1106D00", area: "0310", size: 60, capacity: 46),
        Foreign(product: .ntag212, container: "E1101200", area: "0310", size: 130, capacity: 126),
        Foreign(product: .ultralightAES, container: "E1106D00", area: "0310", size: 145, capacity: 142),
    ]

    @Test(arguments: foreign, ["acr122u", "acr1252u", "acr1552u", "identiv", "generic"])
    func `of the product, whatever its container declares`(row: Foreign, reader: String) async throws {
        let area = hex(row.area) + Self.old + [0xFE]
        let bench = try Bench(try Self.type2(row.product, container: hex(row.container), area: area), on: reader)
        let before = (bench.card.tag as? VirtualType2Tag)?.memory
        let tag = try await bench.driver()
        let error = await failure { try await tag.writeNDEF(TagTable.message(row.size), verifying: true) }
        // An ACR1252U cannot select a tag again that refused a page of the product that its container names.
        if reader == "acr1252u", !["E1102D00", "E1108700"].contains(row.container) {
            #expect(error?.code == .tagSizeTooSmall || error?.code == .tagResponseError)
            #expect((bench.card.tag as? VirtualType2Tag)?.memory == before)
            return
        }
        #expect(error?.code == .tagSizeTooSmall)
        #expect((bench.card.tag as? VirtualType2Tag)?.memory == before)
        #expect(try await tag.queryStatus().capacity == row.capacity)
        let read = try await bench.driver().readNDEF()
        #expect(read.message == Self.old)
        let full = TagTable.message(row.capacity)
        try await bench.driver().writeNDEF(full, verifying: true)
        #expect(try await bench.driver().readNDEF().message == full)
        let untouched = try GuardedMemory.bytes(of: VirtualType2Tag(product: row.product, memory: before ?? []))
        #expect(try bench.guarded() == untouched)
    }

    @Test(arguments: VirtualType2Product.all, ["generic", "acr122u", "identiv"])
    func `with each size that a container can declare`(product: VirtualType2Product, reader: String) async throws {
        for size in UInt8.min...UInt8.max {
            let tag = try Self.type2(product, container: [0xE1, 0x10, size, 0x00], area: [0x03, 0x00, 0xFE])
            let bench = try Bench(tag, on: reader)
            let before = try bench.guarded()
            let message = TagTable.message(max(3, Int(size) * 8 - 4))
            let error = await failure { try await bench.driver().writeNDEF(message, verifying: false) }
            #expect(try bench.guarded() == before, "size \(size)")
            #expect(
                error == nil || error?.code == .tagSizeTooSmall || size == 0,
                "size \(size): \(String(describing: error))")
        }
    }

    @Test(arguments: VirtualISO15693Product.all, ["generic", "acr1552u", "identiv"])
    func `of a Type 5 Tag, with each size that a container can declare`(
        product: VirtualISO15693Product, reader: String
    ) async throws {
        for size in UInt8(1)...UInt8.max {
            var memory = [UInt8](repeating: 0, count: product.memorySize)
            memory.replaceSubrange(
                0..<7, with: [0xE1, 0x40, size, product.name.hasPrefix("Tag-it") ? 0x11 : 0x01, 0x03, 0x00, 0xFE])
            let tag = try VirtualISO15693Tag(product: product, memory: memory)
            let bench = try Bench(tag, on: reader)
            let before = try bench.guarded()
            _ = await failure {
                try await bench.driver().writeNDEF(TagTable.message(max(3, Int(size) * 8 - 4)), verifying: false)
            }
            #expect(try bench.guarded() == before, "size \(size)")
        }
    }

    @Test(arguments: ["generic", "acr1552u", "identiv", "omnikey-5422"])
    func `of ICODE SLIX2, and not its counter`(reader: String) async throws {
        for container in [nil, "E1402801", "E1404001", "E140FF01"] {
            var memory = [UInt8](repeating: 0, count: 320)
            if let container { memory.replaceSubrange(0..<7, with: hex(container) + [0x03, 0x00, 0xFE]) }
            let bench = try Bench(try VirtualISO15693Tag(product: .slix2, memory: memory), on: reader)
            try await bench.driver().formatNDEF()
            let found = try #require(bench.card.tag as? VirtualISO15693Tag).memory.prefix(3)
            #expect(container != nil || Array(found) == hex("E14027"))
            #expect(try await bench.driver().queryStatus().capacity == 308)
            let error = await failure {
                try await bench.driver().writeNDEF(TagTable.message(310), verifying: false)
            }
            #expect(error?.code == .tagSizeTooSmall)
            try await bench.driver().writeNDEF(TagTable.message(308), verifying: true)
            #expect(try await bench.driver().readNDEF().message == TagTable.message(308))
            #expect(try #require(bench.card.tag as? VirtualISO15693Tag).memory.suffix(4) == [0, 0, 0, 0])
        }
    }

    @Test(arguments: VirtualTopazProduct.all) func `of Topaz, with each size`(product: VirtualTopazProduct) async throws
    {
        for size in UInt8.min...UInt8.max {
            var memory = try VirtualTopazTag(product: product).memory
            memory.replaceSubrange(8..<14, with: [0xE1, 0x10, size, 0x00, 0x03, 0x00])
            let bench = try Bench(try VirtualTopazTag(product: product, memory: memory), on: "acr122u")
            let before = try bench.guarded()
            _ = await failure {
                try await bench.driver().writeNDEF(TagTable.message(max(3, Int(size) * 8 - 10)), verifying: false)
            }
            #expect(try bench.guarded() == before, "size \(size)")
        }
    }

    @Test(arguments: [VirtualFeliCaProduct.lite, .liteS]) func `of FeliCa Lite, and not its register`(
        product: VirtualFeliCaProduct
    ) async throws {
        for blocks in [1, 13, 14, 15, 0x80, 0xFF, 0xFFFF] {
            let tag = try VirtualFeliCaTag(product: product, ndefMessage: Self.old)
            let bench = try Bench(tag, on: "acr122u")
            var attribute = Array(try #require(tag.blocks[0]).prefix(14))
            attribute.replaceSubrange(3..<5, with: [UInt8(blocks >> 8), UInt8(blocks & 0xFF)])
            let sum = attribute.reduce(0) { $0 + Int($1) }
            attribute += [UInt8(sum >> 8), UInt8(sum & 0xFF)]
            let felica = FeliCa(channel: ACR122UDataExchange(channel: ModelChannel(bench.card)))
            let polled = try await felica.poll(FeliCaSystemCode.ndef)
            #expect(try await felica.write(polled.identifier, blocks: [0], data: attribute).isSuccess)
            let before = try bench.guarded()
            let size = min(blocks, 20) * 16
            let error = await failure { try await bench.driver().writeNDEF(TagTable.message(size), verifying: true) }
            #expect(error?.code == (blocks > 13 ? .tagSizeTooSmall : nil))
            #expect(try bench.guarded() == before)
            #expect(try await bench.driver().queryStatus().capacity == min(blocks, 13) * 16)
        }
    }
}
