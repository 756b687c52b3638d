import NFCTags
import Testing
import VirtualTags

@Suite struct `NDEF on Type 5 Tags` {
    @Test(arguments: Type5Cards.all.indices) func `messages are written and read through frames`(index: Int)
        async throws
    {
        let (product, capacity) = Type5Cards.all[index]
        for count in [1, 2, 60, 106, 250, 253, 254, 255, 308, 504, capacity] where count <= capacity {
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

    @Test(arguments: [0, 1]) func `messages are read and written through a reader that needs the length of a block`(
        index: Int
    ) async throws {
        let (product, capacity) = Type5Cards.all[index]
        var settings = VirtualReader.Settings()
        settings.vicinity.needsLength = true
        let reader = VirtualReader(
            tag: try VirtualISO15693Tag(product: product, ndefMessage: ClassicCards.message(20)), settings: settings)
        #expect(try await Type5Cards.blocks(reader).readNDEF().message == ClassicCards.message(20))
        try await Type5Cards.blocks(reader).writeNDEF(ClassicCards.message(40), verifying: true)
        let result = try await Type5Cards.blocks(reader).readNDEF()
        #expect(result == NDEFReadResult(status: .readWrite, capacity: capacity, message: ClassicCards.message(40)))
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

    @Test(arguments: Type5Cards.all.indices) func `an empty message erases the present one`(index: Int) async throws {
        let (product, capacity) = Type5Cards.all[index]
        let reader = try Type5Cards.reader(product, ClassicCards.message(capacity))
        let tag = Type5Cards.native(reader)
        try await tag.writeNDEF([], verifying: true)
        #expect(try await tag.readNDEF() == NDEFReadResult(status: .readWrite, capacity: capacity, message: nil))
        #expect(reader.changes == 1)
    }

    struct Count: Sendable {
        let product: VirtualISO15693Product
        let old: Int
        let new: Int
        let read: Int
        let write: Int
        let verified: Int
    }

    static let counts = [
        Count(product: .slix, old: 0, new: 12, read: 3, write: 8, verified: 10),
        Count(product: .slix2, old: 12, new: 60, read: 4, write: 22, verified: 24),
        Count(product: .slix2, old: 0, new: 308, read: 6, write: 85, verified: 89),
        Count(product: .st25dv64k, old: 0, new: 12, read: 5, write: 10, verified: 12),
        Count(product: .st25dv64k, old: 0, new: 8180, read: 69, write: 2131, verified: 2196),
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

    static let pairs: [(product: VirtualISO15693Product, old: Int, new: Int, cases: Int)] = [
        (.slix, 20, 10, 27), (.slix, 10, 60, 66), (.slix, 0, 106, 96), (.slix, 106, 0, 15), (.slix2, 254, 255, 216),
        (.slix2, 255, 254, 216), (.slix2, 308, 307, 258), (.tagIt, 30, 60, 66), (.st25dv64k, 1100, 1000, 804),
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

@Suite struct `A Type 5 Tag by reader` {
    static func slix(_ reader: String) throws -> (card: VirtualReader, model: VirtualReaderModel) {
        let model = try #require(VirtualReaderModel.named(reader))
        let tag = try VirtualTagModel.named("slix").makeTag(ndefMessage: [1, 2, 3])
        return (try #require(model.card(tag) as? VirtualReader), model)
    }

    @Test(arguments: ["acr1552u", "identiv"]) func `is locked through frames`(reader: String) async throws {
        let (card, model) = try Self.slix(reader)
        let (identity, tag) = try await `Every tag in every reader`.tag(card, model)
        #expect(identity.identifier.first == 0xE0)
        try await tag.makeReadOnly()
        let result = try await `Every tag in every reader`.tag(card, model).driver.readNDEF()
        #expect(result.message == [1, 2, 3])
        #expect(result.status == .readOnly)
        let before = (card.tag as? VirtualISO15693Tag)?.memory
        // The tag itself refuses as well.
        #expect(card.transmit([0xFF, 0xD6, 0x00, 0x01, 0x04, 9, 9, 9, 9]) == [0x63, 0x00])
        #expect(before != nil && (card.tag as? VirtualISO15693Tag)?.memory == before)
    }

    @Test func `shows its UID least significant byte first on an ACR1552U`() throws {
        let (card, _) = try Self.slix("acr1552u")
        card.powerOn()
        #expect(card.transmit([0xFF, 0xCA, 0x00, 0x00, 0x00]) == card.tag.identifier.reversed() + [0x90, 0x00])
        #expect(card.tag.identifier.first == 0xE0)
    }

    @Test(arguments: ["generic", "omnikey-5321", "omnikey-5422"])
    func `is not locked if only blocks can be written`(reader: String) async throws {
        let (card, model) = try Self.slix(reader)
        let tag = try await `Every tag in every reader`.tag(card, model).driver
        let before = (card.tag as? VirtualISO15693Tag)?.memory
        #expect(await failure { try await tag.makeReadOnly() }?.code == .unsupportedFeature)
        #expect(before != nil && (card.tag as? VirtualISO15693Tag)?.memory == before)
    }
}

/// A tag whose UID shows no product, in a reader that only reads and writes blocks. Whether MLEN counts the container is not known then.
@Suite struct `A Type 5 Tag of unknown size` {
    /// Memory that ends in front of `end`, with MLEN × 8 = 312.
    static func reader(messageOf count: Int, memoryEnd end: Int = 320, container: [UInt8] = [0xE1, 0x40, 0x27, 0x01])
        throws -> VirtualReader
    {
        let length: [UInt8] = count < 255 ? [UInt8(count)] : [0xFF, UInt8(count >> 8), UInt8(count & 0xFF)]
        let content = container + [0x03] + length + ClassicCards.message(count) + [0xFE]
        let memory = content + [UInt8](repeating: 0, count: max(0, end - content.count))
        return Type5Cards.reader(
            try #require(try TagImage(dump: Array(memory.prefix(end))).makeTag(filler: 0) as? VirtualISO15693Tag))
    }

    /// The capacity is what is certain, unless a message shows that there is more.
    @Test(arguments: [(0, 304), (303, 304), (304, 304), (305, 308), (307, 308), (308, 308)])
    func `shows a message up to the end of its memory`(count: Int, capacity: Int) async throws {
        let reader = try Self.reader(messageOf: count)
        let message = count == 0 ? nil : ClassicCards.message(count)
        let expected = NDEFReadResult(status: .readWrite, capacity: capacity, message: message)
        #expect(try await Type5Cards.blocks(reader).readNDEF() == expected)
        #expect(try await Type5Cards.blocks(reader).queryStatus() == NDEFStatusResult(expected))
    }

    @Test func `shows a message up to the end of its memory behind a container of 8 bytes`() async throws {
        let reader = try Self.reader(messageOf: 308, memoryEnd: 324, container: [0xE2, 0x40, 0, 1, 0, 0, 0, 0x27])
        #expect(try await Type5Cards.blocks(reader).readNDEF().message == ClassicCards.message(308))
    }

    /// MLEN cannot express the memory of older tags of ST and ON Semiconductor.
    @Test(arguments: [(2030, 2032), (2100, 2100), (8180, 8180)])
    func `shows a message behind what its container declares`(count: Int, capacity: Int) async throws {
        let reader = try Self.reader(messageOf: count, memoryEnd: 8192, container: [0xE1, 0x40, 0xFF, 0x05])
        let message = ClassicCards.message(count)
        let expected = NDEFReadResult(status: .readWrite, capacity: capacity, message: message)
        #expect(try await Type5Cards.blocks(reader).readNDEF() == expected)
    }

    @Test(arguments: [1, 304, 307, 308]) func `gets another message instead of one up to the end`(
        count: Int
    ) async throws {
        let reader = try Self.reader(messageOf: 307)
        let message = ClassicCards.message(count, from: 9)
        try await Type5Cards.blocks(reader).writeNDEF(message, verifying: true)
        #expect(try await Type5Cards.blocks(reader).readNDEF().message == message)
        #expect(Type5Cards.memory(reader).suffix(4) == [0, 0, 0, 0])
    }

    @Test func `gets no message in a block that may not be there`() async throws {
        let reader = try Self.reader(messageOf: 20)
        let before = Type5Cards.memory(reader)
        let message = ClassicCards.message(305)
        let error = await failure { try await Type5Cards.blocks(reader).writeNDEF(message, verifying: true) }
        #expect(error?.code == .tagSizeTooSmall)
        #expect(Type5Cards.memory(reader) == before)
    }

    @Test(arguments: [305, 308]) func `has no message that ends behind its memory`(count: Int) async throws {
        let reader = try Self.reader(messageOf: count, memoryEnd: 312)
        let before = Type5Cards.memory(reader)
        #expect(await failure { _ = try await Type5Cards.blocks(reader).readNDEF() }?.code == .tagResponseError)
        #expect(await failure { _ = try await Type5Cards.blocks(reader).queryStatus() }?.code == .tagResponseError)
        let error = await failure { try await Type5Cards.blocks(reader).writeNDEF([1], verifying: true) }
        #expect(error?.code == .tagResponseError)
        #expect(Type5Cards.memory(reader) == before)
    }
}

/// Tags behind readers, and the driver for them.
enum Type5Cards {
    static let all: [(product: VirtualISO15693Product, capacity: Int)] = [
        (.slix, 106), (.slix2, 308), (.st25dv04k, 504), (.st25dv64k, 8180), (.tagIt, 250),
    ]

    static func reader(_ product: VirtualISO15693Product, _ message: [UInt8]?) throws -> VirtualReader {
        reader(try VirtualISO15693Tag(product: product, ndefMessage: message))
    }

    static func reader(_ tag: VirtualISO15693Tag) -> VirtualReader {
        var settings = VirtualReader.Settings()
        settings.vicinity = .init(passesFrames: true, reversesIdentifier: true)
        settings.traceLimit = 5000
        return VirtualReader(tag: tag, settings: settings)
    }

    static func native(_ card: any VirtualCard) -> NFCTags.Type5Tag { native(ModelChannel(card)) }
    static func native(_ channel: ModelChannel) -> NFCTags.Type5Tag {
        Type5Tag(native: UTrustISO15693Channel(channel: channel))
    }
    static func blocks(_ card: any VirtualCard) -> NFCTags.Type5Tag { Type5Tag(channel: ModelChannel(card)) }

    static func model(_ reader: VirtualReader) -> VirtualISO15693Tag? { reader.tag as? VirtualISO15693Tag }

    /// LOCK BLOCK as another client may have sent it.
    static func lock(_ block: UInt8, on reader: VirtualReader) {
        reader.powerOn()
        _ = reader.transmit([0xFF, 0xFD, 6, 1, 3, 0x02, 0x22, block, 0])
    }

    static func memory(_ reader: VirtualReader) -> [UInt8] { model(reader)?.memory ?? [] }
}

extension VirtualReader {
    /// The number of write and lock commands that the tag received.
    var changes: Int {
        trace.count { entry in
            guard case .frame(let command, _) = entry, command.count > 1 else { return false }
            return [0x21, 0x22, 0x31, 0x32].contains(command[1])
        }
    }
}

@Suite struct `A Type 5 Tag in transparent sessions` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let product: VirtualISO15693Product
        /// What makes the message longer.
        let count: Int
        /// The first byte that changes in the second record.
        let offset: Int
        /// The bytes that change.
        let changed: Int
        /// The exchanges of reading, and of changing and verifying.
        let read: Int
        let update: Int
    }

    static let rows = [
        Row(
            testDescription: "weight of a spool", product: .slix2, count: 200, offset: 180, changed: 1, read: 6,
            update: 6),
        Row(testDescription: "three blocks", product: .slix2, count: 200, offset: 180, changed: 8, read: 6, update: 9),
        Row(testDescription: "first block", product: .slix2, count: 200, offset: 3, changed: 1, read: 6, update: 6),
        Row(testDescription: "short message", product: .slix2, count: 0, offset: 30, changed: 1, read: 5, update: 6),
        Row(testDescription: "SLIX", product: .slix, count: 30, offset: 30, changed: 1, read: 5, update: 6),
    ]

    @Test(arguments: rows) func `is read, and changed in few exchanges`(row: Row) async throws {
        let (front, payload) = (ClassicCards.message(row.count * 2 / 5), ClassicCards.message(40 + row.count * 3 / 4))
        let records = TwoRecords(front: front, payload: payload)
        let (reader, tag) = try await Self.bench(row.product, records.message)
        let before = reader.exchanges.apdus
        #expect(try await tag.readNDEF().message == records.message)
        let read = reader.exchanges.apdus
        #expect(read - before == row.read)
        let new = records.payload[row.offset..<row.offset + row.changed].map { ~$0 }
        let update = try Self.update(records, row.offset, new)
        try await tag.updateRecord(update, verifying: true, progress: nil)
        #expect(reader.exchanges.apdus - read == row.update)
        #expect(try await tag.readNDEF().message == records.with(new, at: row.offset).message)
    }

    @Test func `is changed where it was read only if the bytes are still there`() async throws {
        let records = TwoRecords(front: [], payload: ClassicCards.message(200))
        let (reader, tag) = try await Self.bench(.slix2, records.message)
        #expect(try await tag.readNDEF().message == records.message)
        let other = try await `Every tag in every reader`.tag(reader, try Self.model()).driver
        try await other.updateRecord(try Self.update(records, 150, [0xFE]), verifying: true, progress: nil)
        let memory = Type5Cards.model(reader)?.memory
        let late = await failure {
            try await tag.updateRecord(try Self.update(records, 150, [0xFF]), verifying: true, progress: nil)
        }
        #expect(late?.code == .tagUpdateFailure)
        #expect(memory != nil && Type5Cards.model(reader)?.memory == memory)
    }

    @Test(arguments: [true, false]) func `refuses a locked block, and names it`(isLocked: Bool) async throws {
        let records = TwoRecords(front: [], payload: ClassicCards.message(200))
        let block = 40
        let tag = try RecordCard.locked(
            try VirtualISO15693Tag(product: .slix2, ndefMessage: records.message), isLocked ? [block] : [])
        let reader = try #require(Self.model().card(tag) as? VirtualReader)
        let driver = try await `Every tag in every reader`.tag(reader, try Self.model()).driver
        // Behind the container, the TLV, and the headers of both records.
        let offset = block * 4 - 4 - 2 - 3 - 3
        let error = await failure {
            try await driver.updateRecord(try Self.update(records, offset, [0xFE]), verifying: true, progress: nil)
        }
        #expect((error?.code == .tagNotWritable) == isLocked)
        #expect((error?.detail.contains("block 40 is locked") ?? false) == isLocked, "\(error?.detail ?? "")")
        #expect((Type5Cards.model(reader)?.memory == tag.memory) == isLocked)
        // The session was ended.
        #expect(try await driver.readNDEF().message?.count == records.message.count)
    }

    static func model() throws -> VirtualReaderModel { try #require(VirtualReaderModel.named("acr1552u")) }

    static func bench(
        _ product: VirtualISO15693Product, _ message: [UInt8]
    ) async throws -> (reader: VirtualReader, tag: any NDEFTag) {
        let model = try model()
        let reader = try #require(
            model.card(try VirtualISO15693Tag(product: product, ndefMessage: message)) as? VirtualReader)
        return (reader, try await `Every tag in every reader`.tag(reader, model).driver)
    }

    static func update(_ records: TwoRecords, _ offset: Int, _ new: [UInt8]) throws -> RecordUpdate {
        let old = Array(records.payload[offset..<offset + new.count])
        return try RecordUpdate(record: 1, offset: offset, old: old, new: new)
    }
}
