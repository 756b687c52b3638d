import NFCTags
import Testing
import VirtualTags

@Suite struct `NDEF on Type 5 Tags` {
    @Test(arguments: Type5Cards.all.indices) func `messages are written and read through frames`(index: Int)
        async throws
    {
        let (product, capacity) = Type5Cards.all[index]
        for count in [1, 2, 60, 106, 250, 253, 254, 255, 312, 504, capacity] where count <= capacity {
            let reader = try Type5Cards.reader(product, ClassicCards.message(20, from: 90))
            let message = ClassicCards.message(count)
            try await Type5Cards.native(reader).writeNDEF(message, verifying: true)
            let result = try await Type5Cards.native(reader).readNDEF()
            #expect(result == NDEFReadResult(status: .readWrite, capacity: capacity, message: message), "\(count)")
        }
    }

    @Test(arguments: [0, 1]) func `messages are written and read block by block`(index: Int) async throws {
        let (product, capacity) = Type5Cards.all[index]
        for count in [1, 60, capacity] {
            let reader = try Type5Cards.reader(product, [])
            let message = ClassicCards.message(count)
            try await Type5Cards.blocks(reader).writeNDEF(message, verifying: true)
            let result = try await Type5Cards.blocks(reader).readNDEF()
            #expect(result == NDEFReadResult(status: .readWrite, capacity: capacity, message: message))
        }
    }

    @Test(arguments: Type5Cards.all.indices) func `one byte too many is refused before the first write`(
        index: Int
    ) async throws {
        let (product, capacity) = Type5Cards.all[index]
        let reader = try Type5Cards.reader(product, [])
        let error = await #expect(throws: TagError.self) {
            try await Type5Cards.native(reader).writeNDEF(ClassicCards.message(capacity + 1), verifying: false)
        }
        #expect(error?.code == .tagSizeTooSmall)
        #expect(reader.changes == 0)
    }

    @Test(arguments: Type5Cards.all.indices) func `no message erases the one there is`(index: Int) async throws {
        let (product, capacity) = Type5Cards.all[index]
        let reader = try Type5Cards.reader(product, ClassicCards.message(capacity))
        let tag = Type5Cards.native(reader)
        try await tag.writeNDEF([], verifying: true)
        #expect(try await tag.readNDEF() == NDEFReadResult(status: .readWrite, capacity: capacity, message: nil))
        #expect(reader.changes == 1)
    }

    struct Count: Sendable {
        let product: ISO15693Product
        let old: Int
        let new: Int
        let read: Int
        let write: Int
        let verified: Int
    }

    static let counts = [
        Count(product: .slix, old: 0, new: 12, read: 3, write: 8, verified: 12),
        Count(product: .slix2, old: 12, new: 60, read: 4, write: 22, verified: 39),
        Count(product: .slix2, old: 0, new: 312, read: 6, write: 86, verified: 165),
        Count(product: .st25dv64k, old: 0, new: 12, read: 5, write: 10, verified: 14),
        Count(product: .st25dv64k, old: 0, new: 8180, read: 69, write: 2131, verified: 4177),
    ]

    @Test(arguments: counts) func `exchanges are few`(count: Count) async throws {
        let new = ClassicCards.message(count.new, from: 11)
        for (isVerifying, expected) in [(false, count.write), (true, count.verified)] {
            let reader = try Type5Cards.reader(count.product, ClassicCards.message(count.old))
            try await Type5Cards.native(reader).writeNDEF(new, verifying: isVerifying)
            #expect(reader.exchanges.apdus == expected, "written, verifying: \(isVerifying)")
            let written = reader.exchanges.apdus
            #expect(try await Type5Cards.native(reader).readNDEF().message == new)
            #expect(reader.exchanges.apdus - written == count.read, "read")
        }
    }

    static let pairs: [(product: ISO15693Product, old: Int, new: Int, cases: Int)] = [
        (.slix, 20, 10, 30), (.slix, 10, 60, 66), (.slix, 0, 106, 96), (.slix, 106, 0, 18), (.slix2, 254, 255, 219),
        (.slix2, 255, 254, 216), (.slix2, 312, 311, 261), (.tagIt, 30, 60, 69), (.st25dv64k, 1100, 1000, 807),
    ]

    @Test(arguments: pairs.indices) func `a tag pulled away holds the old message, none or the new one`(
        index: Int
    ) async throws {
        let (product, old, new, expected) = Self.pairs[index]
        let cases = try await TearTest(
            makeCard: { try Type5Cards.reader(product, ClassicCards.message(old)) },
            makeTag: { Type5Cards.native($0) },
            old: ClassicCards.message(old), new: ClassicCards.message(new, from: 77)
        ).run()
        #expect(cases == expected, "pair \(index)")
    }
}
