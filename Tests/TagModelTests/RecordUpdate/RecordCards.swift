import NFCTags
import TestSupport
import Testing

@testable import VirtualTags

/// A message of two records, the second one with bytes to be changed.
struct TwoRecords: Sendable {
    /// The payload of the first record.
    var front: [UInt8]
    /// The payload of the second one.
    var payload: [UInt8]
    /// Whether the second one has a length of 4 bytes.
    var isLong = false
    /// Whether it has an ID.
    var hasIdentifier = false

    var message: [UInt8] { header + payload }

    /// The message up to the payload of the second record.
    private var header: [UInt8] {
        let flags: UInt8 = 0x45 | (isLong ? 0 : 0x10) | (hasIdentifier ? 0x08 : 0)
        let length = [0, 0, 0, UInt8(truncatingIfNeeded: payload.count)].suffix(isLong ? 4 : 1)
        return [0x95, 0x00, UInt8(truncatingIfNeeded: front.count)] + front + [flags, 0x00] + length
            + (hasIdentifier ? [0x01, 0x49] : [])
    }

    /// The same with other bytes in the range of a change.
    func with(_ bytes: [UInt8], at offset: Int) -> TwoRecords {
        var copy = self
        copy.payload.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return copy
    }

    /// Those bytes in a whole message; nil if anything else in it differs.
    func bytes(of message: [UInt8]?, at offset: Int, count: Int) -> [UInt8]? {
        guard let message, message.count == self.message.count else { return nil }
        let range = header.count + offset..<header.count + offset + count
        var other = self.message
        other.replaceSubrange(range, with: message[range])
        return other == message ? Array(message[range]) : nil
    }
}

/// A kind of tag on a reader, and its driver.
struct RecordCard: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The bytes of one write; the most of one command on a Type 4 Tag.
    let unit: Int
    var isFile = false
    /// A tag with a message.
    let make: @Sendable ([UInt8]) throws -> any VirtualTag
    /// A reader with that tag.
    var reader: @Sendable (any VirtualTag) throws -> VirtualReader = {
        VirtualReader(tag: $0, settings: .init(traceLimit: 500))
    }
    let driver: @Sendable (ModelChannel) -> any NDEFTag

    static let all = [
        slix2OnACR1552U, slix2(isLocked: true), blocks, vicinity(blockSize: 8), vicinity(blockSize: 32),
        ntag216("generic", isLocked: false),
        ntag216("generic", isLocked: true), ntag216("acr122u", isLocked: true), type4, desfire, felica(isLocked: false),
        felica(isLocked: true), feliCaLite,
        classic(isLocked: false), classic(isLocked: true),
    ]

    /// Blocks 0 to 2 locked, and a container that declares no free write access, as on OpenPrintTag spools.
    static func slix2(isLocked: Bool) -> RecordCard {
        RecordCard(
            testDescription: "SLIX2\(isLocked ? ", locked header" : "")", unit: 4,
            make: { try locked(try VirtualISO15693Tag(product: .slix2, ndefMessage: $0), isLocked ? [0, 1, 2] : []) },
            reader: { Type5Cards.reader(try #require($0 as? VirtualISO15693Tag)) },
            driver: { Type5Cards.native($0) })
    }

    /// The header is open, and the frames of a change share a session of the reader.
    static let slix2OnACR1552U = RecordCard(
        testDescription: "SLIX2 in transparent sessions", unit: 4,
        make: { try VirtualISO15693Tag(product: .slix2, ndefMessage: $0) },
        reader: { tag in
            var settings = try #require(VirtualReaderModel.named("acr1552u")).settings
            settings.traceLimit = 500
            return VirtualReader(tag: tag, settings: settings)
        },
        driver: { Type5Tag(native: TransparentChannel(channel: $0, technology: .iso15693, timer: .long)) })

    static let blocks = RecordCard(
        testDescription: "SLIX2 with FF B0, locked header", unit: 4,
        make: { try locked(try VirtualISO15693Tag(product: .slix2, ndefMessage: $0), [0, 1, 2]) },
        driver: { Type5Tag(channel: $0) })

    /// A Type 5 Tag with larger blocks.
    static func vicinity(blockSize: Int) -> RecordCard {
        let product = VirtualISO15693Product.of(
            [0xE0, 0x16, 1, 2], icReference: nil, blockCount: 512 / blockSize, blockSize: blockSize)
        return RecordCard(
            testDescription: "Type 5, blocks of \(blockSize) bytes", unit: blockSize,
            make: { try VirtualISO15693Tag(product: product, ndefMessage: $0) },
            reader: { Type5Cards.reader(try #require($0 as? VirtualISO15693Tag)) },
            driver: { Type5Cards.native($0) })
    }

    /// A tag with locked blocks and the container E1 42.
    static func locked(_ tag: VirtualISO15693Tag, _ blocks: Set<Int>) throws -> VirtualISO15693Tag {
        var memory = tag.memory
        if !blocks.isEmpty { memory[1] = 0x42 }
        var copy = try VirtualISO15693Tag(product: tag.product, memory: memory)
        copy.lockedBlocks = blocks
        return copy
    }

    /// Pages 4 to 7 locked, and a container that forbids writing.
    static func ntag216(_ reader: String, isLocked: Bool) -> RecordCard {
        let setup = Type2Setup(model: "ntag216", reader: reader)
        return RecordCard(
            testDescription: "NTAG216 on \(reader)\(isLocked ? ", locked header" : "")", unit: 4,
            make: { message in
                var memory = try VirtualType2Tag(product: .ntag216, ndefMessage: message).memory
                if isLocked { (memory[10], memory[15]) = (0xF8, 0x0F) }
                return try VirtualType2Tag(product: .ntag216, memory: memory)
            },
            reader: { try setup.reader($0) }, driver: { setup.tag($0.card) })
    }

    static let type4 = RecordCard(
        testDescription: "Type 4", unit: 8, isFile: true,
        make: { message in
            var configuration = VirtualType4Card.Configuration()
            (configuration.maximumReadSize, configuration.maximumWriteSize) = (40, 8)
            return try VirtualType4Card(configuration, ndefMessage: message)
        }, driver: { Type4Tag(channel: $0) })

    /// The container denies writing, the file does not.
    static let desfire = RecordCard(
        testDescription: "DESFire, locked container", unit: 0x34, isFile: true,
        make: { message in
            let product = VirtualDESFireProduct.desfireEV1
            var application = try product.application(message: message, isWritable: false)
            var file = try application.file(2)
            file.rights = .free
            application.store(file)
            return try VirtualDESFireCard(product: product, applications: [application])
        }, driver: { Type4Tag(channel: $0) })

    /// RWFlag 00.
    static func felica(isLocked: Bool) -> RecordCard {
        RecordCard(
            testDescription: "Type 3\(isLocked ? ", locked header" : "")", unit: 16,
            make: { message in
                let tag = try VirtualFeliCaTag(product: .type3, ndefMessage: message)
                var attribute = tag.blocks[0] ?? []
                if isLocked {
                    // The checksum, of two bytes, is one less.
                    if attribute[15] == 0 { attribute[14] &-= 1 }
                    (attribute[10], attribute[15]) = (0, attribute[15] &- 1)
                }
                return try VirtualFeliCaTag(
                    product: .type3, identifier: tag.identifier, blocks: tag.blocks.merging([0: attribute]) { $1 })
            }, driver: { Type3Bench.tag($0) })
    }

    /// Blocks 0 to 2 are locked.
    static let feliCaLite = RecordCard(
        testDescription: "FeliCa Lite-S, locked header", unit: 16,
        make: { message in
            let tag = try VirtualFeliCaTag(product: .liteS, ndefMessage: message)
            var configuration = tag.blocks[0x88] ?? []
            configuration[0] &= 0xF8
            return try VirtualFeliCaTag(
                product: .liteS, identifier: tag.identifier, blocks: tag.blocks.merging([0x88: configuration]) { $1 })
        }, driver: { Type3Bench.tag($0) })

    /// Sector 1 read-only.
    static func classic(isLocked: Bool) -> RecordCard {
        RecordCard(
            testDescription: "MIFARE Classic\(isLocked ? ", locked header" : "")", unit: 16,
            make: { message in
                var memory = try VirtualMIFAREClassicTag(product: .oneK, ndefMessage: message).memory
                if isLocked { memory.replaceSubrange(118..<122, with: [0x07, 0x8F, 0x0F, 0x43]) }
                return try VirtualMIFAREClassicTag(product: .oneK, memory: memory)
            },
            reader: { ClassicCards.reader(try #require($0 as? VirtualMIFAREClassicTag)) },
            driver: { MIFAREClassicNDEFTag(channel: $0, size: .oneK) })
    }

    /// The whole memory of a tag as stored; nothing for one whose model does not show it.
    static func memory(of tag: any VirtualTag) -> [UInt8] {
        switch tag {
        case let tag as VirtualType2Tag: tag.memory
        case let tag as VirtualNTAGI2CTag: tag.memory + tag.dynamicLock
        case let tag as VirtualISO15693Tag: tag.memory + tag.lockedBlocks.sorted().map { UInt8($0) }
        case let tag as VirtualTopazTag: tag.memory
        case let tag as VirtualMIFAREClassicTag: tag.memory
        case let tag as VirtualType4Card: tag.capabilityContainer + tag.messageFile
        // Lite-S counts its writes in block 90.
        case let tag as VirtualFeliCaTag:
            tag.blocks.filter { $0.key != 0x90 }.sorted { $0.key < $1.key }.flatMap(\.value)
        default: []
        }
    }
}

extension Type2Setup {
    /// A tag on the reader.
    func reader(_ tag: any VirtualTag) throws -> VirtualReader {
        var settings = try #require(VirtualReaderModel.named(reader)).settings
        settings.traceLimit = 500
        return VirtualReader(tag: tag, settings: settings)
    }
}

extension VirtualReader {
    /// The number of commands that the tag received and that write.
    var writeCommands: Int {
        let technology = tag.technology
        return trace.count { entry in
            switch (entry, technology) {
            case (.frame(let frame, _), .type2): frame.first == 0xA2
            case (.frame(let frame, _), .mifareClassic): frame.first == 0xA0 && frame.count == 2
            case (.frame(let frame, _), .topaz): [0x53, 0x54, 0x1A, 0x1B].contains(frame.first)
            case (.frame(let frame, _), .iso15693): frame.count > 1 && [0x21, 0x31].contains(frame[1])
            case (.frame(let frame, _), .feliCa): frame.count > 1 && frame[1] == 0x08
            case (.apdu(let command, _), .iso14443Part4A): command.count > 1 && [0xD6, 0xD7].contains(command[1])
            default: false
            }
        }
    }
}
