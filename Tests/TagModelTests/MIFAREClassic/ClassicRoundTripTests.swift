import NFCTags
import Testing
import VirtualTags

@Suite struct `NDEF on MIFARE Classic` {
    @Test(arguments: 0..<3) func `a formatted card is empty and as large as its sectors`(row: Int) async throws {
        let (product, size, capacity) = ClassicCards.all[row]
        let result = try await ClassicCards.tag(ClassicCards.reader(product, []), size).readNDEF()
        #expect(result == NDEFReadResult(status: .readWrite, capacity: capacity, message: nil))
    }

    @Test(arguments: 0..<3) func `messages of every kind of length are written and read`(row: Int) async throws {
        let (product, size, capacity) = ClassicCards.all[row]
        for count in [1, 13, 14, 46, 47, 100, 190, 253, 254, 255, 256, capacity] where count <= capacity {
            let reader = try ClassicCards.reader(product, ClassicCards.message(20, from: 90))
            let message = ClassicCards.message(count)
            try await ClassicCards.tag(reader, size).writeNDEF(message, verifying: true)
            #expect(try await ClassicCards.tag(reader, size).readNDEF().message == message, "\(count) bytes")
            let made = try VirtualMIFAREClassicTag(product: product, ndefMessage: message)
            #expect(Array(made.memory.suffix(64)) == Array(ClassicCards.memory(reader).suffix(64)))
        }
    }

    @Test(arguments: 0..<3) func `one byte too many is refused before the first write`(row: Int) async throws {
        let (product, size, capacity) = ClassicCards.all[row]
        let reader = try ClassicCards.reader(product, [])
        let before = ClassicCards.memory(reader)
        let error = await #expect(throws: TagError.self) {
            try await ClassicCards.tag(reader, size).writeNDEF(ClassicCards.message(capacity + 1), verifying: false)
        }
        #expect(error?.code == .tagSizeTooSmall)
        #expect(ClassicCards.memory(reader) == before)
        #expect(reader.writes == 0)
    }

    @Test(arguments: 0..<3) func `an empty message erases the present one`(row: Int) async throws {
        let (product, size, capacity) = ClassicCards.all[row]
        let reader = try ClassicCards.reader(product, ClassicCards.message(capacity))
        let tag = ClassicCards.tag(reader, size)
        try await tag.writeNDEF([], verifying: true)
        #expect(try await tag.readNDEF() == NDEFReadResult(status: .readWrite, capacity: capacity, message: nil))
        #expect(reader.writes == 1)
    }

    @Test func `trailers are never among the blocks of a message`() async throws {
        for (product, size, capacity) in ClassicCards.all {
            let reader = try ClassicCards.reader(product, [])
            try await ClassicCards.tag(reader, size).writeNDEF(ClassicCards.message(capacity), verifying: false)
            let blocks = reader.trace.compactMap { entry -> Int? in
                guard case .apdu(let command, _) = entry, command.starts(with: [0xFF, 0xD6]) else { return nil }
                return Int(command[3])
            }
            #expect(!blocks.isEmpty && blocks.allSatisfy { !size.isTrailer($0) && $0 > 3 })
        }
    }

    struct Count: Sendable {
        let row: Int
        let old: Int
        let new: Int
        let read: Int
        let write: Int
        let verified: Int
    }

    static let counts = [
        Count(row: 0, old: 0, new: 0, read: 9, write: 9, verified: 9),
        Count(row: 1, old: 0, new: 12, read: 9, write: 10, verified: 11),
        Count(row: 1, old: 12, new: 46, read: 11, write: 26, verified: 31),
        Count(row: 1, old: 46, new: 100, read: 19, write: 37, verified: 45),
        Count(row: 1, old: 0, new: 716, read: 81, write: 172, verified: 217),
        Count(row: 2, old: 0, new: 3356, read: 297, write: 622, verified: 832),
    ]

    @Test(arguments: counts) func `exchanges are few`(count: Count) async throws {
        let (product, size, _) = ClassicCards.all[count.row]
        let new = ClassicCards.message(count.new, from: 11)
        for (isVerifying, expected) in [(false, count.write), (true, count.verified)] {
            let reader = try ClassicCards.reader(product, ClassicCards.message(count.old))
            try await ClassicCards.tag(reader, size).writeNDEF(new, verifying: isVerifying)
            #expect(reader.exchanges.apdus == expected, "written, verifying: \(isVerifying)")
            let written = reader.exchanges.apdus
            #expect(try await ClassicCards.tag(reader, size).readNDEF().message ?? [] == new)
            #expect(reader.exchanges.apdus - written == count.read, "read")
        }
    }

    @Test func `a reader that reads several blocks at once is used that way`() async throws {
        let message = ClassicCards.message(3356)
        let tag = try VirtualMIFAREClassicTag(product: .fourK, ndefMessage: message)
        var settings = VirtualReader.Settings()
        settings.classic.maximumRead = 240
        let reader = VirtualReader(tag: tag, settings: settings)
        let driver = MIFAREClassicNDEFTag(
            channel: ModelChannel(reader), size: .fourK, reader: MIFAREClassicReader(maximumRead: 240))
        #expect(try await driver.readNDEF().message == message)
        #expect(reader.exchanges.apdus == 123)
    }

    @Test func `what is read once is not read again`() async throws {
        let reader = try ClassicCards.reader(.oneK, ClassicCards.message(12))
        let tag = ClassicCards.tag(reader, .oneK)
        _ = try await tag.readNDEF()
        let first = reader.exchanges.apdus
        _ = try await tag.readNDEF()
        #expect(first == 9)
        #expect(reader.exchanges.apdus - first == 1)
    }
}

extension VirtualReader {
    /// How many blocks the host had written.
    var writes: Int {
        trace.count { entry in
            if case .apdu(let command, _) = entry { command.starts(with: [0xFF, 0xD6]) } else { false }
        }
    }
}

@Suite struct `A MIFARE Classic card pulled away` {
    static let pairs: [(row: Int, old: Int, new: Int, cases: Int)] = [
        (1, 20, 10, 30), (1, 10, 60, 78), (1, 60, 254, 216), (1, 254, 255, 216), (1, 255, 254, 216), (1, 256, 30, 45),
        (1, 0, 716, 516), (1, 716, 0, 30), (0, 190, 189, 156), (0, 0, 190, 153), (0, 190, 12, 30), (2, 700, 760, 567),
    ]

    @Test(arguments: pairs.indices) func `holds the old message, none or the new one`(index: Int) async throws {
        let (row, old, new, expected) = Self.pairs[index]
        let (product, size, _) = ClassicCards.all[row]
        let cases = try await TearTest(
            makeCard: { try ClassicCards.reader(product, ClassicCards.message(old)) },
            makeTag: { MIFAREClassicNDEFTag(channel: $0, size: size) },
            old: ClassicCards.message(old), new: ClassicCards.message(new, from: 77)
        ).run()
        #expect(cases == expected)
    }
}

/// Cards behind the common reader, and the driver for them.
enum ClassicCards {
    /// The model, the driver's size, and the capacity of a formatted card.
    static let all: [(product: VirtualMIFAREClassicProduct, size: MIFAREClassicSize, capacity: Int)] = [
        (.mini, .mini, 190), (.oneK, .oneK, 716), (.fourK, .fourK, 3356),
    ]

    static func reader(_ product: VirtualMIFAREClassicProduct, _ message: [UInt8]?) throws -> VirtualReader {
        reader(try VirtualMIFAREClassicTag(product: product, ndefMessage: message))
    }

    /// A reader that leaves a card halted until it is reset.
    static func reader(_ tag: VirtualMIFAREClassicTag) -> VirtualReader {
        var settings = VirtualReader.Settings()
        settings.reactivatesAfterRefusal = false
        settings.traceLimit = 1000
        return VirtualReader(tag: tag, settings: settings)
    }

    static func tag(
        _ card: any VirtualCard, _ size: MIFAREClassicSize, identifier: [UInt8]? = nil,
        keys: MIFAREClassicNDEFKeys = MIFAREClassicNDEFKeys()
    ) -> MIFAREClassicNDEFTag {
        let channel = ModelChannel(card)
        let reconnection = identifier.map { identifier in
            CardReconnection(identifier: identifier) { () async throws(CardChannelError) in
                guard card.isPresent else { throw .tagLost }
                card.reset()
            }
        }
        return MIFAREClassicNDEFTag(channel: channel, size: size, reconnection: reconnection, keys: keys)
    }

    static func message(_ count: Int, from first: Int = 3) -> [UInt8] {
        (0..<count).map { UInt8(($0 * 7 + first) % 250 + 1) }
    }

    static func memory(_ reader: VirtualReader) -> [UInt8] { (reader.tag as? VirtualMIFAREClassicTag)?.memory ?? [] }
}
