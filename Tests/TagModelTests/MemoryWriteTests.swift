import NFCTags
import Testing
import TestSupport
import VirtualTags

@Suite struct `Writing the memory of a tag` {
    /// The user pages of a tag, in bytes of memory.
    private static func area(_ model: String) -> Range<Int> {
        model == "ntag213" ? 16..<160 : 16..<880
    }

    /// A card with a message, the content of another one, and a channel.
    private static func pair(_ model: String, _ reader: String) throws -> (Type2Setup, VirtualReader, [Int: [UInt8]]) {
        let setup = Type2Setup(model: model, reader: reader)
        let other = try #require(try setup.card(Type2Setup.message(60)).tag as? VirtualType2Tag).memory
        var pages: [Int: [UInt8]] = [:]
        for page in area(model).lowerBound / 4..<area(model).upperBound / 4 {
            pages[page] = page > 30 ? [UInt8(page), 1, 2, 3] : Array(other[page * 4..<page * 4 + 4])
        }
        return (setup, try setup.card(Type2Setup.message(20)), pages)
    }

    @Test(arguments: ["ntag213", "ntag216"], Type2Setup.readers)
    func `changes the user pages that differ, and nothing else`(model: String, reader: String) async throws {
        let (setup, card, pages) = try Self.pair(model, reader)
        let before = try #require(card.tag as? VirtualType2Tag).memory
        let progress = ProgressLog()
        let written = try await setup.tag(card).writeMemory(pages, progress: progress.listener)
        #expect(progress.count() >= written)
        let after = try #require(card.tag as? VirtualType2Tag).memory
        let area = Self.area(model)
        #expect(after.prefix(area.lowerBound) == before.prefix(area.lowerBound))
        #expect(after.dropFirst(area.upperBound) == before.dropFirst(area.upperBound))
        #expect(pages.allSatisfy { Array(after[$0 * 4..<$0 * 4 + 4]) == $1 })
        #expect(written == pages.count { Array(before[$0 * 4..<$0 * 4 + 4]) != $1 })
        #expect(try await setup.tag(card).readNDEF().message == Type2Setup.message(60))
        #expect(try await setup.tag(card).writeMemory(pages, progress: nil) == 0)
        #expect(try await setup.tag(card).writeMemory([:], progress: nil) == 0)
    }

    @Test(arguments: ["ntag213", "ntag216"], Type2Setup.readers)
    func `writes one page once, and the first one only where it changes`(model: String, reader: String) async throws {
        for page in [4, 5, 20, 39] {
            let (setup, card, _) = try Self.pair(model, reader)
            let memory = try #require(card.tag as? VirtualType2Tag).memory
            let bytes = memory[page * 4..<page * 4 + 4].map { ~$0 }
            #expect(try await setup.tag(card).writeMemory([page: bytes], progress: nil) == 1)
            #expect(card.writtenPages == [UInt8(page)])
        }
    }

    @Test(arguments: Type2Setup.readers)
    func `leaves the old page or the new one where a single one is interrupted`(reader: String) async throws {
        var states: Set<WrittenState?> = []
        exchanges: for exchange in 1... {
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let (setup, card, _) = try Self.pair("ntag213", reader)
                let faulty = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
                let error = await failure {
                    _ = try await setup.tag(faulty).writeMemory([20: [1, 2, 3, 4]], progress: nil)
                }
                if faulty.isPresent { break exchanges }
                card.reset()
                if let error, !card.writtenPages.isEmpty { states.insert(error.leaves) }
                #expect(try await setup.tag(card).readNDEF().message == Type2Setup.message(20))
            }
        }
        #expect(states == [.oldOrNew], "\(states)")
    }

    @Test(arguments: Type2Setup.readers)
    func `leaves the old message, none or the new one wherever it is interrupted`(reader: String) async throws {
        var torn = 0
        exchanges: for exchange in 1... {
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let (setup, card, pages) = try Self.pair("ntag213", reader)
                let faulty = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
                let error = await failure { _ = try await setup.tag(faulty).writeMemory(pages, progress: nil) }
                if faulty.isPresent { break exchanges }
                torn += 1
                card.reset()
                let found = try await setup.tag(card).readNDEF().message
                let messages = [nil, Type2Setup.message(20), Type2Setup.message(60)]
                #expect(messages.contains(found), "\(fault) at exchange \(exchange): \(String(describing: error))")
                // The same write completes it.
                _ = try await setup.tag(card).writeMemory(pages, progress: nil)
                #expect(try await setup.tag(card).readNDEF().message == Type2Setup.message(60))
            }
        }
        #expect(torn > 60)
    }

    /// Pages, a word of the error.
    static let faults: [([Int: [UInt8]], String)] = [
        ([3: [0xE1, 0x10, 0x12, 0x0F]], "blocks 4 to 39 hold data"), ([2: [0, 0, 0xFF, 0xFF]], "cannot be replaced"),
        ([40: [0xFF, 0xFF, 0xFF, 0]], "cannot be replaced"), ([41: [4, 0, 0, 4]], "cannot be replaced"),
        ([-1: [0, 0, 0, 0]], "cannot be replaced"), ([Int.max: [0, 0, 0, 0]], "cannot be replaced"),
        ([4: [0, 0, 0]], "has 4 bytes, not 3"), ([4: []], "has 4 bytes, not 0"),
    ]

    @Test(arguments: faults) func `never reaches locks, configuration or half a page`(
        pages: [Int: [UInt8]], word: String
    ) async throws {
        let setup = Type2Setup(model: "ntag213", reader: "acr122u")
        let card = try setup.card([1])
        let error = await failure { _ = try await setup.tag(card).writeMemory(pages, progress: nil) }
        #expect(
            error?.code == .unsupportedFeature && error?.detail.contains(word) == true, "\(String(describing: error))")
        #expect(card.writtenPages.isEmpty)
    }

    @Test(arguments: Type2Setup.readers) func `is refused before the first page if one is locked`(
        reader: String
    ) async throws {
        let setup = Type2Setup(model: "ntag213", reader: reader)
        let card = try `Locking a Type 2 tag`.card(setup, [1], [2: "00000080"])
        let error = await failure {
            _ = try await setup.tag(card).writeMemory([5: [1, 2, 3, 4], 15: [1, 2, 3, 4]], progress: nil)
        }
        #expect(error?.code == .tagNotWritable && error?.detail.contains("page 15 is locked") == true)
        #expect(card.writtenPages.isEmpty)
    }

    @Test func `needs the password where the tag has one`() async throws {
        let setup = Type2Setup(model: "ntag213", reader: "acr122u")
        let card = try setup.card([1])
        try await setup.tag(card).setPassword(TagPassword(password: [1, 2, 3, 4]))
        let pages: [Int: [UInt8]] = [20: [1, 2, 3, 4]]
        #expect(
            await failure { _ = try await setup.tag(card).writeMemory(pages, progress: nil) }?.code == .tagNotWritable)
        let owner = setup.tag(card)
        _ = try await owner.authenticate(password: [1, 2, 3, 4])
        #expect(try await owner.writeMemory(pages, progress: nil) == 1)
    }
}

@Suite struct `Writing the memory of a Type 5 Tag` {
    /// The blocks of a tag with another message.
    private static func blocks(_ index: Int) throws -> [Int: [UInt8]] {
        let other = try VirtualISO15693Tag(product: Type5Cards.all[index].0, ndefMessage: ClassicCards.message(50))
        let size = other.product.blockSize
        return Dictionary(
            uniqueKeysWithValues: (0..<other.product.dataSize / size).map {
                ($0, Array(other.memory[$0 * size..<($0 + 1) * size]))
            })
    }

    @Test(arguments: Type5Cards.all.indices) func `changes the blocks that differ`(index: Int) async throws {
        let blocks = try Self.blocks(index)
        let reader = try Type5Cards.reader(Type5Cards.all[index].0, ClassicCards.message(20))
        let written = try await Type5Cards.native(reader).writeMemory(blocks, progress: nil)
        #expect(written > 5 && written <= blocks.count)
        #expect(try await Type5Cards.native(reader).readNDEF().message == ClassicCards.message(50))
        #expect(try await Type5Cards.native(reader).writeMemory(blocks, progress: nil) == 0)
        let outside = await failure {
            _ = try await Type5Cards.native(reader).writeMemory([blocks.count: blocks[0] ?? []], progress: nil)
        }
        #expect(outside?.code == .unsupportedFeature && outside?.detail.contains("cannot be replaced") == true)
    }

    @Test(arguments: Type5Cards.all.indices) func `writes one block once, and the container only where it changes`(
        index: Int
    ) async throws {
        for block in [0, 1, 3, 10] {
            let reader = try Type5Cards.reader(Type5Cards.all[index].0, ClassicCards.message(20))
            let size = Type5Cards.all[index].0.blockSize
            var bytes = Array(Type5Cards.memory(reader)[block * size..<(block + 1) * size])
            bytes[size - 1] ^= 1
            #expect(try await Type5Cards.native(reader).writeMemory([block: bytes], progress: nil) == 1)
            #expect(reader.changes == 1)
            #expect(Array(Type5Cards.memory(reader)[block * size..<(block + 1) * size]) == bytes)
        }
    }

    @Test func `leaves the old message, none or the new one wherever it is interrupted`() async throws {
        let blocks = try Self.blocks(0)
        var torn = 0
        exchanges: for exchange in 1... {
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let reader = try Type5Cards.reader(Type5Cards.all[0].0, ClassicCards.message(20))
                let faulty = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
                _ = await failure { _ = try await Type5Cards.native(faulty).writeMemory(blocks, progress: nil) }
                if faulty.isPresent { break exchanges }
                torn += 1
                reader.reset()
                let found = try await Type5Cards.native(reader).readNDEF().message
                #expect(
                    [nil, ClassicCards.message(20), ClassicCards.message(50)].contains(found), "\(fault) \(exchange)")
                _ = try await Type5Cards.native(reader).writeMemory(blocks, progress: nil)
                #expect(try await Type5Cards.native(reader).readNDEF().message == ClassicCards.message(50))
            }
        }
        #expect(torn > 20)
    }
}
