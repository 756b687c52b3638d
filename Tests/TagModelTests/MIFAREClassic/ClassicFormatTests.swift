import NFCTags
import Testing
import VirtualTags

@Suite struct `Formatting MIFARE Classic` {
    static let identifier: [UInt8] = [1, 2, 3, 4]

    static func delivered(_ product: VirtualMIFAREClassicProduct) throws -> VirtualReader {
        ClassicCards.reader(try VirtualMIFAREClassicTag(product: product, identifier: identifier))
    }

    @Test(arguments: [(0, 61), (1, 182), (2, 547)])
    func `a card as delivered gets directory, message and trailers`(row: Int, exchanges: Int) async throws {
        let (product, size, capacity) = ClassicCards.all[row]
        let reader = try Self.delivered(product)
        try await ClassicCards.tag(reader, size).formatNDEF()
        #expect(reader.exchanges.apdus == exchanges)
        let formatted = try VirtualMIFAREClassicTag(product: product, identifier: Self.identifier, ndefMessage: [])
        #expect(ClassicCards.memory(reader) == formatted.memory)
        let result = try await ClassicCards.tag(reader, size).readNDEF()
        #expect(result == NDEFReadResult(status: .readWrite, capacity: capacity, message: nil))
    }

    @Test func `a key B other than that of delivery stays`() async throws {
        var memory = try VirtualMIFAREClassicTag(product: .oneK, identifier: Self.identifier).memory
        memory.replaceSubrange(10 * 64 + 58..<10 * 64 + 64, with: [9, 8, 7, 6, 5, 4])
        let reader = ClassicCards.reader(try VirtualMIFAREClassicTag(product: .oneK, memory: memory))
        try await ClassicCards.tag(reader, .oneK).formatNDEF()
        #expect(Array(ClassicCards.memory(reader)[10 * 64 + 58..<10 * 64 + 64]) == [9, 8, 7, 6, 5, 4])
    }

    @Test func `reading first halts the card, and a new connection formats it`() async throws {
        let reader = try Self.delivered(.oneK)
        let tag = ClassicCards.tag(reader, .oneK, identifier: Self.identifier)
        #expect(try await tag.readNDEF().status == .notSupported)
        try await tag.formatNDEF()
        #expect(try await tag.readNDEF().status == .readWrite)

        let other = try Self.delivered(.oneK)
        let single = ClassicCards.tag(other, .oneK)
        _ = try await single.readNDEF()
        let error = await #expect(throws: TagError.self) { try await single.formatNDEF() }
        #expect(error?.detail == "the card is halted after a refusal; reset the connection")
        #expect(other.writes == 0)
    }

    @Test func `a formatted card keeps its content`() async throws {
        let reader = try ClassicCards.reader(.oneK, ClassicCards.message(30))
        let tag = ClassicCards.tag(reader, .oneK)
        _ = try await tag.readNDEF()
        try await tag.formatNDEF()
        #expect(reader.writes == 0)
        let identifier = reader.tag.identifier
        try await ClassicCards.tag(reader, .oneK, identifier: identifier).formatNDEF()
        #expect(reader.writes == 0)
    }

    @Test(arguments: [1, 2, 4]) func `a card with other data is not changed`(block: Int) async throws {
        var memory = try VirtualMIFAREClassicTag(product: .oneK, identifier: Self.identifier).memory
        memory[block * 16 + 5] = 1
        let reader = ClassicCards.reader(try VirtualMIFAREClassicTag(product: .oneK, memory: memory))
        let error = await #expect(throws: TagError.self) { try await ClassicCards.tag(reader, .oneK).formatNDEF() }
        #expect(error?.code == .unsupportedFeature)
        #expect(reader.writes == 0)
    }

    @Test func `a card with an unknown key is not changed`() async throws {
        var memory = try VirtualMIFAREClassicTag(product: .oneK, identifier: Self.identifier).memory
        memory[3 * 64 + 48] = 1
        let reader = ClassicCards.reader(try VirtualMIFAREClassicTag(product: .oneK, memory: memory))
        let error = await #expect(throws: TagError.self) {
            try await ClassicCards.tag(reader, .oneK, identifier: Self.identifier).formatNDEF()
        }
        #expect(error?.code == .unsupportedFeature)
        #expect(reader.writes == 0)
    }

    @Test(arguments: [Fault.removeBefore, .removeDuring, .removeAfter])
    func `interrupted formatting can be started again`(fault: Fault) async throws {
        let formatted = try VirtualMIFAREClassicTag(product: .mini, identifier: Self.identifier, ndefMessage: [])
        var exchange = 1
        while true {
            let reader = try Self.delivered(.mini)
            let torn = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
            _ = try? await ClassicCards.tag(torn, .mini).formatNDEF()
            if torn.isPresent { break }
            try await ClassicCards.tag(reader, .mini, identifier: Self.identifier).formatNDEF()
            #expect(ClassicCards.memory(reader) == formatted.memory, "torn at exchange \(exchange)")
            exchange += 1
        }
        #expect(exchange == 62)
    }

    @Test func `a directory with blank sectors gets an empty message`() async throws {
        var memory = try VirtualMIFAREClassicTag(product: .oneK, identifier: Self.identifier, ndefMessage: []).memory
        for index in 64..<67 { memory[index] = 0 }
        let reader = ClassicCards.reader(try VirtualMIFAREClassicTag(product: .oneK, memory: memory))
        let tag = ClassicCards.tag(reader, .oneK)
        #expect(try await tag.readNDEF().reason == "no NDEF message TLV in the data area")
        try await tag.formatNDEF()
        #expect(try await tag.readNDEF().status == .readWrite)
    }
}

@Suite struct `Locking MIFARE Classic` {
    @Test(arguments: [(0, 47), (1, 135), (2, 332)])
    func `makes data and trailers of all sectors read-only`(row: Int, exchanges: Int) async throws {
        let (product, size, capacity) = ClassicCards.all[row]
        let message = ClassicCards.message(10)
        let reader = try ClassicCards.reader(product, message)
        try await ClassicCards.tag(reader, size).makeReadOnly()
        #expect(reader.exchanges.apdus == exchanges)
        let result = try await ClassicCards.tag(reader, size).readNDEF()
        #expect(result == NDEFReadResult(status: .readOnly, capacity: capacity, message: message))
        let memory = ClassicCards.memory(reader)
        for sector in 0..<size.sectorCount {
            let trailer = ((size.blocks(of: sector)?.upperBound ?? 1) - 1) * 16
            let general: UInt8 = sector == 0 ? (size == .fourK ? 0xC2 : 0xC1) : sector == 16 ? 0x00 : 0x43
            #expect(Array(memory[trailer + 6..<trailer + 10]) == [0x07, 0x8F, 0x0F, general], "sector \(sector)")
            #expect(Array(memory[trailer + 10..<trailer + 16]) == [UInt8](repeating: 0xFF, count: 6))
        }
    }

    @Test func `a locked card is refused before anything is written`() async throws {
        let reader = try ClassicCards.reader(.oneK, ClassicCards.message(10))
        try await ClassicCards.tag(reader, .oneK).makeReadOnly()
        let writes = reader.writes
        let first = await #expect(throws: TagError.self) {
            try await ClassicCards.tag(reader, .oneK).writeNDEF([1], verifying: false)
        }
        let second = await #expect(throws: TagError.self) { try await ClassicCards.tag(reader, .oneK).makeReadOnly() }
        #expect([first?.code, second?.code] == [.tagNotWritable, .tagNotWritable])
        #expect(reader.writes == writes)
    }

    @Test func `with an unknown key B nothing is locked`() async throws {
        var memory = try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: []).memory
        memory[7 * 64 + 63] = 1
        let reader = ClassicCards.reader(try VirtualMIFAREClassicTag(product: .oneK, memory: memory))
        let error = await #expect(throws: TagError.self) { try await ClassicCards.tag(reader, .oneK).makeReadOnly() }
        #expect(error?.code == .unsupportedFeature)
        #expect(ClassicCards.memory(reader) == memory)
    }

    @Test func `interrupted locking can be started again, and the message stays`() async throws {
        let message = ClassicCards.message(60)
        var exchange = 1
        while true {
            let reader = try ClassicCards.reader(.mini, message)
            let torn = FaultInjectingCard(reader, plan: FaultPlan(.removeDuring, at: exchange))
            _ = try? await ClassicCards.tag(torn, .mini).makeReadOnly()
            if torn.isPresent { break }
            #expect(try await ClassicCards.tag(reader, .mini).readNDEF().message == message)
            _ = try? await ClassicCards.tag(reader, .mini).makeReadOnly()
            #expect(try await ClassicCards.tag(reader, .mini).readNDEF().status == .readOnly)
            exchange += 1
        }
    }

    @Test func `data that only key B may write is written with it`() async throws {
        var memory = try VirtualMIFAREClassicTag(product: .mini, identifier: [1, 2, 3, 4], ndefMessage: []).memory
        // Conditions 100 for data and 011 for the trailer: 78 77 88.
        for sector in 1..<5 { memory.replaceSubrange(sector * 64 + 54..<sector * 64 + 57, with: [0x78, 0x77, 0x88]) }
        let reader = ClassicCards.reader(try VirtualMIFAREClassicTag(product: .mini, memory: memory))
        let tag = ClassicCards.tag(reader, .mini)
        #expect(try await tag.readNDEF().warnings == [.writeNeedsPermission])
        let message = ClassicCards.message(100)
        try await tag.writeNDEF(message, verifying: true)
        #expect(try await ClassicCards.tag(reader, .mini).readNDEF().message == message)

        memory[64 + 63] = 0
        let other = ClassicCards.reader(try VirtualMIFAREClassicTag(product: .mini, memory: memory))
        let error = await #expect(throws: TagError.self) {
            try await ClassicCards.tag(other, .mini).writeNDEF(message, verifying: true)
        }
        #expect(error?.code == .tagNotWritable)
        #expect(other.writes == 0)
    }

    @Test func `several keys B are tried if the card can be reconnected after each`() async throws {
        let wrong = try #require(MIFAREClassicKey([1, 1, 1, 1, 1, 1]))
        let keys = MIFAREClassicNDEFKeys(keysB: [wrong, .ndef, .transport, .directory])
        #expect(keys.keysB == [wrong, .ndef, .transport])
        let reader = try ClassicCards.reader(.mini, ClassicCards.message(10))
        let identifier = reader.tag.identifier
        try await ClassicCards.tag(reader, .mini, identifier: identifier, keys: keys).makeReadOnly()
        #expect(try await ClassicCards.tag(reader, .mini).readNDEF().status == .readOnly)

        let other = try ClassicCards.reader(.mini, ClassicCards.message(10))
        let error = await #expect(throws: TagError.self) {
            try await ClassicCards.tag(other, .mini, keys: keys).makeReadOnly()
        }
        #expect(error?.code == .unsupportedFeature)
        #expect(other.writes == 0)
    }
}
