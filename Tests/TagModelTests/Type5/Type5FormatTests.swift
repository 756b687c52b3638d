import NFCTags
import Testing
import VirtualTags

@Suite struct `Formatting and locking Type 5 Tags` {
    @Test(arguments: [(0, 8), (1, 10), (2, 11), (3, 74), (4, 9)])
    func `a blank tag gets an empty message and a container`(index: Int, exchanges: Int) async throws {
        let (product, capacity) = Type5Cards.all[index]
        let reader = try Type5Cards.reader(product, nil)
        try await Type5Cards.native(reader).formatNDEF()
        #expect(reader.exchanges.apdus == exchanges)
        #expect(Type5Cards.memory(reader) == (try VirtualISO15693Tag(product: product, ndefMessage: [])).memory)
        let result = try await Type5Cards.native(reader).readNDEF()
        #expect(result == NDEFReadResult(status: .readWrite, capacity: capacity, message: nil))
    }

    @Test func `a formatted tag keeps its content`() async throws {
        let reader = try Type5Cards.reader(.slix, ClassicCards.message(9))
        try await Type5Cards.native(reader).formatNDEF()
        #expect(reader.changes == 0)
    }

    @Test(arguments: [0, 2, 5]) func `a tag with other data is not changed`(position: Int) async throws {
        var memory = [UInt8](repeating: 0, count: 112)
        memory[position] = 0x55
        let reader = Type5Cards.reader(try VirtualISO15693Tag(product: .slix, memory: memory))
        let error = await #expect(throws: TagError.self) { try await Type5Cards.native(reader).formatNDEF() }
        #expect(error?.code == .unsupportedFeature)
        #expect(reader.changes == 0)
    }

    @Test(arguments: [Fault.removeBefore, .removeDuring, .removeAfter])
    func `interrupted formatting can be started again`(fault: Fault) async throws {
        var exchange = 1
        while true {
            let reader = try Type5Cards.reader(.st25dv64k, nil)
            let torn = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
            _ = try? await Type5Cards.native(torn).formatNDEF()
            if torn.isPresent { break }
            try await Type5Cards.native(reader).formatNDEF()
            #expect(try await Type5Cards.native(reader).readNDEF().status == .readWrite, "torn at \(exchange)")
            exchange += 1
        }
        #expect(exchange == 75)
    }

    @Test func `block access formats a tag whose size is known by its UID`() async throws {
        let reader = try Type5Cards.reader(.slix2, nil)
        try await Type5Cards.blocks(reader).formatNDEF()
        #expect(try await Type5Cards.blocks(reader).readNDEF().capacity == 308)
        let other = try Type5Cards.reader(.st25dv04k, nil)
        let error = await #expect(throws: TagError.self) { try await Type5Cards.blocks(other).formatNDEF() }
        #expect(error?.code == .unsupportedFeature)
        #expect(other.changes == 0)
    }

    @Test func `locking sets the container, then locks message and container`() async throws {
        let message = ClassicCards.message(10)
        let reader = try Type5Cards.reader(.slix, message)
        try await Type5Cards.native(reader).makeReadOnly()
        let frames = reader.trace.compactMap { entry -> [UInt8]? in
            guard case .frame(let command, _) = entry, [0x21, 0x22].contains(command[1]) else { return nil }
            return command
        }
        #expect(
            frames == [
                [0x02, 0x21, 0, 0xE1, 0x43, 0x0E, 0x01], [0x02, 0x22, 1], [0x02, 0x22, 2], [0x02, 0x22, 3],
                [0x02, 0x22, 0],
            ])
        let result = try await Type5Cards.native(reader).readNDEF()
        #expect(result == NDEFReadResult(status: .readOnly, capacity: 106, message: message))
        let changes = reader.changes
        let write = await #expect(throws: TagError.self) {
            try await Type5Cards.native(reader).writeNDEF([1], verifying: false)
        }
        let lock = await #expect(throws: TagError.self) { try await Type5Cards.native(reader).makeReadOnly() }
        #expect([write?.code, lock?.code] == [.tagNotWritable, .tagNotWritable])
        #expect(reader.changes == changes)
    }

    @Test(arguments: [[0], [0, 1], [0, 1, 2]])
    func `locking a tag whose container is locked already locks the rest`(locked: Set<Int>) async throws {
        let message = ClassicCards.message(10)
        let reader = try Type5Cards.reader(.slix2, message)
        for block in locked { Type5Cards.lock(UInt8(block), on: reader) }
        let before = Type5Cards.memory(reader)
        try await Type5Cards.native(reader).makeReadOnly()
        #expect(Type5Cards.memory(reader) == before)
        #expect(Type5Cards.model(reader)?.lockedBlocks == [0, 1, 2, 3])
        #expect(try await Type5Cards.native(reader).describe().lockState == .locked)
        let again = await #expect(throws: TagError.self) { try await Type5Cards.native(reader).makeReadOnly() }
        #expect(again?.code == .tagNotWritable)
    }

    @Test func `a tag whose lock is unknown is not changed`() async throws {
        for card in [try Type5Cards.reader(.st25dv04k, []), try Type5Cards.reader(.tagIt, [])] {
            let error = await #expect(throws: TagError.self) { try await Type5Cards.native(card).makeReadOnly() }
            #expect(error?.code == .unsupportedFeature)
            #expect(card.changes == 0)
        }
        let reader = try Type5Cards.reader(.slix, [])
        let error = await #expect(throws: TagError.self) { try await Type5Cards.blocks(reader).makeReadOnly() }
        #expect(error?.code == .unsupportedFeature)
        #expect(reader.changes == 0)
    }

    @Test func `a tag that declares LOCK BLOCK and requires the option flag is locked with it`() async throws {
        var memory = try VirtualISO15693Tag(product: .tagIt, ndefMessage: [1, 2, 3]).memory
        memory[3] = 0x19
        let reader = Type5Cards.reader(try VirtualISO15693Tag(product: .tagIt, memory: memory))
        try await Type5Cards.native(reader).makeReadOnly()
        #expect(Type5Cards.model(reader)?.lockedBlocks == [0, 1, 2])
    }

    @Test func `a block that is locked by itself is refused before the first byte`() async throws {
        let reader = try Type5Cards.reader(.slix, [])
        Type5Cards.lock(4, on: reader)
        let before = Type5Cards.memory(reader)
        let error = await #expect(throws: TagError.self) {
            try await Type5Cards.native(reader).writeNDEF(ClassicCards.message(40), verifying: false)
        }
        #expect(error?.code == .tagNotWritable)
        #expect(error?.detail == "block 4 is locked")
        #expect(error?.leaves == nil)
        #expect(Type5Cards.memory(reader) == before)
        // A message that does not reach it is written.
        try await Type5Cards.native(reader).writeNDEF([1, 2, 3], verifying: true)
        #expect(try await Type5Cards.native(reader).readNDEF().message == [1, 2, 3])
    }

    @Test(arguments: [(VirtualISO15693Product.slix, 3), (.slix2, 14)])
    func `interrupted locking can be called again and finishes`(product: VirtualISO15693Product, size: Int) async throws
    {
        let message = ClassicCards.message(size)
        let whole = try Type5Cards.reader(product, message)
        try await Type5Cards.native(whole).makeReadOnly()
        var exchange = 1
        while exchange < 100 {
            var isTorn = false
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let reader = try Type5Cards.reader(product, message)
                let torn = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
                _ = try? await Type5Cards.native(torn).makeReadOnly()
                if torn.isPresent { continue }
                isTorn = true
                do {
                    try await Type5Cards.native(reader).makeReadOnly()
                } catch {
                    #expect(error.code == .tagNotWritable, "\(fault) at \(exchange)")
                }
                #expect(Type5Cards.model(reader)?.lockedBlocks == Type5Cards.model(whole)?.lockedBlocks)
                #expect(Type5Cards.memory(reader) == Type5Cards.memory(whole))
                #expect(try await Type5Cards.native(reader).readNDEF().message == message)
            }
            guard isTorn else { break }
            exchange += 1
        }
        // System information, container, message, security status, container, and so many locks.
        #expect(exchange == 6 + (Type5Cards.model(whole)?.lockedBlocks.count ?? 0))
    }
}
