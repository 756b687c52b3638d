import NFCTags
import TagTable
import TestSupport
import Testing

@testable import VirtualTags

@Suite struct `Changing bytes inside a record` {
    static let writable = TagTable.places.filter { !$0.isReadOnly }
    static let records = TwoRecords(
        front: [1, 2, 3, 4, 5], payload: (10..<34).map { UInt8($0) }, isLong: true, hasIdentifier: true)

    /// The bytes of one write.
    static func unit(of tag: any VirtualTag) -> Int {
        switch tag.technology {
        case .type2, .iso15693: 4
        case .topaz: (tag as? VirtualTopazTag)?.product == .topaz ? 1 : 8
        case .feliCa, .mifareClassic: 16
        default: 255
        }
    }

    @Test(arguments: writable) func `writes each block that differs once, on every tag and reader`(
        place: TagTable.Place
    ) async throws {
        let tag = try place.model.makeTag(ndefMessage: Self.records.message)
        for (offset, size) in [(7, 1), (0, 24), (5, 9)] {
            let old = Array(Self.records.payload[offset..<offset + size])
            let new = old.map { ~$0 }
            let update = try RecordUpdate(record: 1, offset: offset, old: old, new: new)
            let wanted = try place.model.makeTag(ndefMessage: Self.records.with(new, at: offset).message)
            var settings = place.reader.settings
            settings.traceLimit = 500
            let reader = VirtualReader(tag: tag, settings: settings)
            let driver = try await `Every tag in every reader`.tag(reader, place.reader).driver
            let progress = ProgressLog()
            try await driver.updateRecord(update, verifying: true, progress: progress.listener)

            let (before, after) = (RecordCard.memory(of: tag), RecordCard.memory(of: reader.tag))
            let changed = zip(before, after).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
            #expect(after == RecordCard.memory(of: wanted))
            let blocks = Set(changed.map { $0 / Self.unit(of: tag) }).count
            #expect(reader.writeCommands == (tag.technology == .iso14443Part4A ? 1 : blocks), "\(size) bytes")
            #expect(progress.count() == reader.writeCommands)
            let message = try await `Every tag in every reader`.tag(reader, place.reader).driver.readNDEF().message
            #expect(message == Self.records.with(new, at: offset).message)
        }
    }

    @Test(arguments: writable) func `by a whole message of the same length takes one write where one block differs`(
        place: TagTable.Place
    ) async throws {
        let tag = try place.model.makeTag(ndefMessage: Self.records.message)
        let message = Self.records.with([0], at: 20).message
        var settings = place.reader.settings
        settings.traceLimit = 500
        for verifying in [false, true] {
            let reader = VirtualReader(tag: tag, settings: settings)
            let driver = try await `Every tag in every reader`.tag(reader, place.reader).driver
            try await driver.writeNDEF(message, verifying: verifying)
            #expect(reader.writeCommands == 1)
            #expect(try await driver.readNDEF().message == message)
        }
    }

    static let open = RecordCard.all.filter { !$0.testDescription.contains("locked") }

    @Test(arguments: open) func `by a whole message that is torn leaves the old one or the new one`(
        card: RecordCard
    ) async throws {
        var records = `Locks and a change inside a record`.records
        records.front[0] = 1
        let new = records.with([0], at: 60).message
        var isOver = false
        for exchange in 1...60 where !isOver {
            for fault in [Fault.removeBefore, .removeDuring, .removeAfter] {
                let reader = try card.reader(try card.make(records.message))
                let torn = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
                defer { isOver = isOver || torn.isPresent }
                let error = await failure {
                    try await card.driver(ModelChannel(torn)).writeNDEF(new, verifying: false)
                }
                let found = try await card.driver(ModelChannel(reader)).readNDEF().message
                #expect([records.message, new].contains(found), "\(fault) at \(exchange)")
                #expect([nil, .old, .oldOrNew].contains(error?.leaves))
            }
        }
    }

    @Test(arguments: writable) func `writes nothing where the tag holds something else`(
        place: TagTable.Place
    ) async throws {
        let tag = try place.model.makeTag(ndefMessage: Self.records.message)
        let chunked = try place.model.makeTag(ndefMessage: hex("B10103 54 010203 560001 04"))
        let rows: [(tag: any VirtualTag, record: Int, offset: Int, old: [UInt8], code: NFCErrorCode)] = [
            (tag, 1, 3, [13, 15], .tagUpdateFailure), (tag, 2, 3, [13], .tagUpdateFailure),
            (tag, 0, 4, [5, 0], .tagUpdateFailure), (chunked, 0, 0, [1], .unsupportedFeature),
            (try place.model.makeTag(ndefMessage: []), 0, 0, [1], .zeroLengthMessage),
        ]
        for row in rows {
            let update = try RecordUpdate(
                record: row.record, offset: row.offset, old: row.old, new: row.old.map { ~$0 })
            var settings = place.reader.settings
            settings.traceLimit = 500
            let reader = VirtualReader(tag: row.tag, settings: settings)
            let driver = try await `Every tag in every reader`.tag(reader, place.reader).driver
            let error = await failure { try await driver.updateRecord(update, verifying: true, progress: nil) }
            #expect(error?.code == row.code)
            #expect(error?.leaves == nil)
            #expect(reader.writeCommands == 0)
        }
    }

    @Test func `needs a tag with NDEF`() async throws {
        let update = try RecordUpdate(record: 0, offset: 0, old: [1], new: [2])
        for name in ["slix2", "ultralight", "topaz", "felica-lite", "mifare-classic-1k", "desfire-ev1-blank"] {
            let model = try #require(VirtualReaderModel.named("generic"))
            let reader = try #require(model.card(try VirtualTagModel.named(name).makeTag()))
            let driver = try await `Every tag in every reader`.tag(reader, model).driver
            let error = await failure { try await driver.updateRecord(update, verifying: true, progress: nil) }
            #expect(error?.code == .unsupportedFeature, "\(name)")
        }
    }

    struct Count: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let card: RecordCard
        /// The exchanges of a first command of a connection, and of a second one.
        let first: Int
        let second: Int
    }

    /// Container and TLV header, record headers, the bytes, one write, reading back.
    static let counts = [
        Count(testDescription: "SLIX2", card: .slix2(isLocked: true), first: 7, second: 3),
        Count(testDescription: "SLIX2 with FF B0", card: .blocks, first: 9, second: 3),
        Count(testDescription: "NTAG216", card: .ntag216("generic", isLocked: true), first: 9, second: 6),
        Count(testDescription: "Type 4", card: .type4, first: 9, second: 7),
        Count(testDescription: "Type 3", card: .felica(isLocked: true), first: 7, second: 6),
        Count(testDescription: "MIFARE Classic", card: .classic(isLocked: true), first: 19, second: 11),
    ]

    @Test(arguments: counts) func `takes few exchanges`(row: Count) async throws {
        // A weight of two bytes in a block, far from the header.
        let records = TwoRecords(front: [UInt8](repeating: 7, count: 70), payload: [UInt8](repeating: 9, count: 100))
        let reader = try row.card.reader(try row.card.make(records.message))
        let driver = row.card.driver(ModelChannel(reader))
        let there = try RecordUpdate(record: 1, offset: 82, old: [9], new: [8])
        try await driver.updateRecord(there, verifying: true, progress: nil)
        let first = reader.exchanges.apdus
        let back = try RecordUpdate(record: 1, offset: 82, old: [8], new: [9])
        try await driver.updateRecord(back, verifying: true, progress: nil)
        #expect([first, reader.exchanges.apdus - first] == [row.first, row.second])
        #expect(reader.writeCommands == 2)
    }
}

@Suite struct `A change of a spool's weight` {
    /// As the tools of OpenPrintTag make it: one record up to the end of 304 bytes, in which the section for changes begins at block 67.
    static let image: [UInt8] = {
        let header = hex("E1402601 03FF0127 C21C00000105") + Array("application/vnd.openprinttag".utf8)
        let payload =
            [UInt8](repeating: 0x11, count: 226) + hex("BF001A00000064FF") + [UInt8](repeating: 0, count: 27)
        return header + payload + [0xFE] + [UInt8](repeating: 0, count: 16)
    }()

    /// The first command of a connection: size of the memory, container, TLV with record header, the bytes, one write, reading back. The
    /// second one: the bytes, one write, reading back.
    static let counts: [(isNative: Bool, exchanges: [Int])] = [(true, [6, 3]), (false, [8, 3])]

    @Test(arguments: counts) func `writes one block, though the header is locked`(
        isNative: Bool, exchanges: [Int]
    ) async throws {
        #expect(Self.image.count == 320)
        let plain = try VirtualISO15693Tag(product: .slix2, memory: Self.image)
        let tag = try RecordCard.locked(plain, Set(0..<67))
        let reader = Type5Cards.reader(tag)
        let driver = isNative ? Type5Cards.native(reader) : Type5Cards.blocks(reader)
        var found: [Int] = []
        for (old, new) in [("0064", "00C8"), ("00C8", "0102")] {
            let before = reader.exchanges.apdus
            let update = try RecordUpdate(record: 0, offset: 231, old: hex(old), new: hex(new))
            try await driver.updateRecord(update, verifying: true, progress: nil)
            found.append(reader.exchanges.apdus - before)
        }
        #expect(found == exchanges)
        #expect(reader.changes == 2)
        var wanted = tag.memory
        wanted.replaceSubrange(273..<275, with: hex("0102"))
        #expect(Type5Cards.memory(reader) == wanted)
    }

    @Test(arguments: [true, false]) func `reads little of a tag whose container does not declare READ MULTIPLE BLOCKS`(
        isNative: Bool
    ) async throws {
        var memory = Self.image
        memory[3] = 0
        let reader = Type5Cards.reader(try VirtualISO15693Tag(product: .slix2, memory: memory))
        let driver = isNative ? Type5Cards.native(reader) : Type5Cards.blocks(reader)
        for (old, new) in [("0064", "00C8"), ("00C8", "0102")] {
            let before = reader.exchanges.apdus
            let update = try RecordUpdate(record: 0, offset: 231, old: hex(old), new: hex(new))
            try await driver.updateRecord(update, verifying: true, progress: nil)
            #expect(reader.exchanges.apdus - before <= 10)
        }
        #expect(reader.changes == 2)
    }

    /// Only the block itself is read, not all in front of it.
    @Test(arguments: [true, false]) func `takes few exchanges as a write of memory, too`(isNative: Bool) async throws {
        let reader = Type5Cards.reader(try VirtualISO15693Tag(product: .slix2, memory: Self.image))
        let driver = isNative ? Type5Cards.native(reader) : Type5Cards.blocks(reader)
        #expect(try await driver.writeMemory([68: [1, 2, 3, 4]], overwriting: true, progress: nil) == 1)
        #expect(reader.exchanges.apdus <= 10)
        #expect(reader.changes == 1)
    }
}

@Suite struct `Locks and a change inside a record` {
    static let records = TwoRecords(front: [UInt8](repeating: 7, count: 70), payload: [UInt8](repeating: 9, count: 100))
    /// The first byte of the payload of the second record, in a message.
    static let start = 76

    /// Changes bytes of the second record on a tag, and makes sure that nothing else changes.
    private static func update(
        _ card: RecordCard, _ tag: any VirtualTag, offset: Int, count: Int = 1
    ) async throws -> (error: TagError?, reader: VirtualReader) {
        let reader = try card.reader(tag)
        let update = try RecordUpdate(
            record: 1, offset: offset, old: [UInt8](repeating: 9, count: count),
            new: [UInt8](repeating: 8, count: count))
        let error = await failure {
            try await card.driver(ModelChannel(reader)).updateRecord(update, verifying: true, progress: nil)
        }
        let (before, after) = (RecordCard.memory(of: tag), RecordCard.memory(of: reader.tag))
        let changed = zip(before, after).filter { $0 != $1 }
        #expect(changed.count == (error == nil && !before.isEmpty ? count : 0))
        #expect(changed.allSatisfy { $0 == 9 && $1 == 8 })
        return (error, reader)
    }

    @Test(arguments: [0x40, 0x41, 0x42, 0x43] as [UInt8]) func `of other blocks of a Type 5 Tag do not count`(
        access: UInt8
    ) async throws {
        let card = RecordCard.slix2(isLocked: true)
        let plain = try VirtualISO15693Tag(product: .slix2, ndefMessage: Self.records.message)
        var memory = plain.memory
        memory[1] = access
        var tag = try VirtualISO15693Tag(product: .slix2, memory: memory)
        // Byte 20 of the payload is byte 102 of memory, in block 25.
        tag.lockedBlocks = Set(0..<79).subtracting([25, 26])
        let one = try await Self.update(card, tag, offset: 20)
        #expect(one.error == nil)
        #expect(one.reader.changes == 1)
        let two = try await Self.update(card, tag, offset: 20, count: 6)
        #expect(two.error == nil && two.reader.changes == 2)
        for offset in [17, 26] {
            let refused = try await Self.update(card, tag, offset: offset, count: 5)
            #expect(refused.error?.code == .tagNotWritable && refused.error?.leaves == nil)
            #expect(refused.reader.changes == 0)
        }
        // A reader that does not show locks: the tag refuses, and the status word is that of a missing answer.
        let shown = try await Self.update(.blocks, tag, offset: 40)
        #expect(shown.error?.code == .tagUpdateFailure && shown.error?.mayHaveKeptMessage == true)
        #expect(shown.error?.detail.contains("block 30") == true)
    }

    @Test func `never let a Type 5 Tag be written where its counter is`() async throws {
        let records = TwoRecords(front: [1], payload: [UInt8](repeating: 9, count: 255))
        var memory = try VirtualISO15693Tag(product: .slix2, ndefMessage: records.message).memory
        memory[2] = 0x28
        // 53 bytes in front, so that the payload ends in block 79.
        memory = Array((memory.prefix(4) + [UInt8](repeating: 0, count: 49) + memory.dropFirst(4)).prefix(320))
        let reader = Type5Cards.reader(try VirtualISO15693Tag(product: .slix2, memory: memory))
        let place = try #require(memory.lastIndex(of: 9))
        #expect(place >= 316)
        let update = try RecordUpdate(record: 1, offset: 253, old: [9], new: [8])
        let error = await failure {
            try await Type5Cards.native(reader).updateRecord(update, verifying: true, progress: nil)
        }
        #expect(error?.code == .tagNotWritable)
        #expect(reader.changes == 0)
    }

    struct Type2Row: Sendable {
        let change: [Int: UInt8]
        let offset: Int
        let isAllowed: Bool
    }

    /// Byte n of the payload is byte 94 + n of memory: page 28 at n = 18.
    static let type2 = [
        // Static lock bytes: pages 4 to 15, and the container forbids writing.
        Type2Row(change: [10: 0xF8, 11: 0xFF, 15: 0x0F], offset: 20, isAllowed: true),
        Type2Row(change: [10: 0xF8, 11: 0xFF, 15: 0x08], offset: 20, isAllowed: true),
        // Dynamic lock bytes of NTAG216: 16 pages a bit.
        Type2Row(change: [904: 0x01], offset: 20, isAllowed: false),
        Type2Row(change: [904: 0x02], offset: 20, isAllowed: true),
        Type2Row(change: [904: 0x01], offset: 40, isAllowed: true),
        Type2Row(change: [904: 0x02], offset: 40, isAllowed: false),
        // AUTH0: from page 32 on, from page 28 on.
        Type2Row(change: [911: 32], offset: 20, isAllowed: true),
        Type2Row(change: [911: 28], offset: 20, isAllowed: false),
    ]

    @Test(arguments: type2, ["generic", "acr122u", "acr1252u"]) func `of other pages of a Type 2 Tag do not count`(
        row: Type2Row, reader: String
    ) async throws {
        let card = RecordCard.ntag216(reader, isLocked: false)
        var memory = try VirtualType2Tag(product: .ntag216, ndefMessage: Self.records.message).memory
        #expect(memory[93] != 9 && memory[94] == 9)
        for (place, byte) in row.change { memory[place] = byte }
        let (error, used) = try await Self.update(
            card, try VirtualType2Tag(product: .ntag216, memory: memory), offset: row.offset)
        #expect(error?.code == (row.isAllowed ? nil : .tagNotWritable), "\(String(describing: error))")
        #expect(used.writtenPages == (row.isAllowed ? [UInt8((94 + row.offset) / 4)] : []))
    }

    @Test func `of a Type 4 file are reported as the card does`() async throws {
        var configuration = VirtualType4Card.Configuration()
        configuration.writeAccess = 0xFF
        let tag = try VirtualType4Card(configuration, ndefMessage: Self.records.message)
        let refused = try await Self.update(.type4, tag, offset: 20)
        #expect(refused.error?.code == .tagUpdateFailure && refused.error?.leaves == .old)
        #expect(refused.error?.statusBytes == [0x69, 0x82])
        let open = try await Self.update(.desfire, try RecordCard.desfire.make(Self.records.message), offset: 20)
        #expect(open.error == nil)
    }

    @Test func `of other blocks of a FeliCa card do not count`() async throws {
        // Byte 20 of the payload is in block 7.
        let tag = try VirtualFeliCaTag(product: .liteS, ndefMessage: Self.records.message)
        for (bits, isAllowed) in [(UInt8(0x80), true), (0x7F, false), (0xF8, true)] {
            var configuration = try #require(tag.blocks[0x88])
            configuration[0] = bits
            let locked = try VirtualFeliCaTag(
                product: .liteS, identifier: tag.identifier, blocks: tag.blocks.merging([0x88: configuration]) { $1 })
            let (error, reader) = try await Self.update(.feliCaLite, locked, offset: 20)
            #expect(error?.code == (isAllowed ? nil : .tagNotWritable))
            #expect(reader.writeCommands == (isAllowed ? 1 : 0))
        }
    }

    @Test func `of other sectors of a MIFARE Classic card do not count`() async throws {
        let card = RecordCard.classic(isLocked: true)
        let tag = try #require(try card.make(Self.records.message) as? VirtualMIFAREClassicTag)
        let open = try await Self.update(card, tag, offset: 20)
        #expect(open.error == nil && open.reader.writes == 1)
        var memory = tag.memory
        // Sector 3, with bytes 18 to 65 of the payload.
        memory.replaceSubrange(246..<250, with: [0x07, 0x8F, 0x0F, 0x43])
        let locked = try await Self.update(
            card, try VirtualMIFAREClassicTag(product: .oneK, memory: memory), offset: 20)
        #expect(locked.error?.code == .tagNotWritable)
        #expect(locked.reader.writes == 0)
    }

    @Test func `of other blocks of a Topaz 512 do not count`() async throws {
        let card = RecordCard(
            testDescription: "topaz512", unit: 8,
            make: { try VirtualTopazTag(product: .topaz512, ndefMessage: $0) },
            reader: { VirtualReader(tag: $0, settings: try #require(VirtualReaderModel.named("acr122u")).settings) },
            driver: {
                Type1Tag(channel: ReaderProfile.profile(reader: "ACS ACR122U PICC Interface").type1Channel(over: $0))
            })
        let tag = try #require(try card.make(Self.records.message) as? VirtualTopazTag)
        var memory = tag.memory
        // The container denies writing, blocks 1 to 12 are locked; byte 60 of the payload lies behind block 15.
        (memory[11], memory[112], memory[113]) = (0x0F, 0xFF, 0x1F)
        let locked = try VirtualTopazTag(product: .topaz512, memory: memory)
        #expect(try await Self.update(card, locked, offset: 60).error == nil)
        let refused = try await Self.update(card, locked, offset: 0)
        #expect(refused.error?.code == .tagNotWritable)
        #expect(RecordCard.memory(of: refused.reader.tag) == memory)
    }
}
