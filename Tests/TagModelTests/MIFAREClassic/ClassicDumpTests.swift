import NFCTags
import Testing
import VirtualTags

@Suite struct `Describing a MIFARE Classic card` {
    @Test(arguments: [
        (0, "MIFARE Mini", 320, "1–4", 8), (1, "MIFARE Classic 1K", 1024, "1–15", 8),
        (2, "MIFARE Classic 4K", 4096, "1–15, 17–39", 13),
    ])
    func `reports size and sectors with NDEF`(row: Int, name: String, size: Int, sectors: String, exchanges: Int)
        async throws
    {
        let reader = try ClassicCards.reader(ClassicCards.all[row].product, [])
        let description = try await ClassicCards.tag(reader, ClassicCards.all[row].size).describe()
        #expect(description.product == name)
        #expect(description.memorySize == size)
        #expect(description.lockState == .unlocked)
        #expect(description.fields.last == .init("NDEF sectors", sectors))
        #expect(
            description.fields.first == .init("Proof", "weak: its cipher is broken, and its keys can be recovered"))
        #expect(reader.exchanges.apdus == exchanges)
    }

    @Test func `reports a locked card and one without NDEF`() async throws {
        let reader = try ClassicCards.reader(.oneK, [])
        try await ClassicCards.tag(reader, .oneK).makeReadOnly()
        #expect(try await ClassicCards.tag(reader, .oneK).describe().lockState == .locked)
        let delivered = try await ClassicCards.tag(try ClassicCards.reader(.oneK, nil), .oneK).describe()
        #expect(delivered.lockState == .unknown)
        #expect(delivered.fields.last?.label == "NDEF")
    }
}

@Suite struct `Dumping a MIFARE Classic card` {
    @Test(arguments: [(0, 30, 5), (1, 96, 16), (2, 336, 40)])
    func `returns every block, the trailers with the key that opened them`(row: Int, exchanges: Int, steps: Int)
        async throws
    {
        let (product, size, _) = ClassicCards.all[row]
        let reader = try ClassicCards.reader(product, ClassicCards.message(60))
        let log = ProgressLog()
        let dump = try await ClassicCards.tag(reader, size).dump(progress: log.listener)
        #expect(reader.exchanges.apdus == exchanges)
        #expect(log.count() == steps)
        #expect(dump.layout == .mifareClassic)
        #expect(dump.product == product.name)
        let memory = ClassicCards.memory(reader)
        #expect(dump.blocks.map(\.number) == Array(0..<memory.count / 16))
        for block in dump.blocks {
            let real = Array(memory[block.number * 16..<block.number * 16 + 16])
            let isTrailer = block.meaning?.hasPrefix("trailer") == true
            // Key B cannot be read on a formatted card.
            #expect(block.bytes?.bytes == (isTrailer ? real.prefix(10) + [0, 0, 0, 0, 0, 0] : real))
        }
    }

    @Test func `names the purpose of blocks`() async throws {
        let reader = try ClassicCards.reader(.oneK, [])
        let blocks = try await ClassicCards.tag(reader, .oneK).dump().blocks
        #expect(
            blocks.prefix(3).map(\.meaning) == ["manufacturer", "application directory", "application directory"])
        #expect(blocks[4...6].allSatisfy { $0.meaning == "NDEF" })
        #expect(blocks[3].meaning == "trailer: key A A0A1A2A3A4A5, key B is hidden, read A or B, write B")
        #expect(blocks[7].meaning == "trailer: key A D3F7D3F7D3F7, key B is hidden, read A or B, write A or B")
    }

    @Test func `a card as delivered is read with the transport key, after another one was refused`() async throws {
        let tag = try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: nil)
        let reader = ClassicCards.reader(tag)
        let dump = try await ClassicCards.tag(reader, .oneK, identifier: tag.identifier).dump()
        #expect(dump.blocks.flatMap { $0.bytes?.bytes ?? [] } == tag.memory)
        #expect(dump.blocks[3].meaning?.contains("key B can be read, read A, write A") == true)
        // Six a sector, and two, with the identifier three, for each of the two keys refused before it is known.
        #expect(reader.exchanges.apdus == 16 * 6 + 2 * 3)
    }

    @Test func `without a reconnection the first refusal ends it`() async throws {
        var memory = try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: []).memory
        for index in 5 * 64 + 48..<5 * 64 + 54 { memory[index] = 0x11 }
        let tag = try VirtualMIFAREClassicTag(product: .oneK, memory: memory)
        let log = ProgressLog()
        let reader = ClassicCards.reader(tag)
        let dump = try await ClassicCards.tag(reader, .oneK).dump(progress: log.listener)
        #expect(dump.blocks.filter { $0.bytes != nil }.map(\.number) == Array(0..<20))
        #expect(dump.blocks.filter { $0.meaning == "trailer" }.map(\.number) == Array(stride(from: 23, to: 64, by: 4)))
        #expect(log.count() == 16)
        let other = ClassicCards.reader(tag)
        let whole = try await ClassicCards.tag(other, .oneK, identifier: tag.identifier).dump()
        #expect(whole.blocks.filter { $0.bytes == nil }.map(\.number) == [20, 21, 22, 23])
    }

    @Test func `blocks that require key B are omitted, and the next ones are still read`() async throws {
        var memory = try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: []).memory
        // Block 0 of sector 2 with condition 011: key B only.
        let access = try #require(MIFAREClassicAccessBits(data: (3, 0, 0), trailer: 3)).bytes
        memory.replaceSubrange(2 * 64 + 54..<2 * 64 + 57, with: access)
        let reader = ClassicCards.reader(try VirtualMIFAREClassicTag(product: .oneK, memory: memory))
        let dump = try await ClassicCards.tag(reader, .oneK).dump()
        #expect(dump.blocks.filter { $0.bytes == nil }.map(\.number) == [8])
        #expect(
            dump.blocks[11].meaning?.hasSuffix(
                "0: read B, write B; 1: read A or B, write A or B; 2: read A or B, write A or B") == true)
    }
}
