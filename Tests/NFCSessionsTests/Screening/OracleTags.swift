import NFCTags
import TestSupport

@testable import VirtualTags

// The virtual tags of the oracle. What is protected is taken from their models, which share nothing with the screen.

extension VirtualTag {
    /// Sends a frame; a tag that refused is selected again, as readers do.
    fileprivate mutating func answer(_ frame: [UInt8]) -> [UInt8]? {
        switch exchange(frame) {
        case .data(let bytes): return bytes
        case .ack: return [0x0A]
        case .nak, .silence:
            return nil
        }
    }

    /// The same; a refusal is followed by a selection.
    fileprivate mutating func answerSelecting(_ frame: [UInt8]) -> [UInt8]? {
        switch exchange(frame) {
        case .data(let bytes): return bytes
        case .ack: return [0x0A]
        case .nak:
            activate()
            return nil
        case .silence: return nil
        }
    }
}

struct OracleType2: OracleTag {
    var tag: VirtualType2Tag

    init(_ number: Int) throws {
        let products = VirtualType2Product.all
        tag = try VirtualType2Tag(product: products[number % products.count], ndefMessage: [])
        tag.activate()
    }

    var identity: TagIdentity { TagIdentity(technology: .type2, identifier: tag.identifier, atr: []) }

    /// The header, and what is behind the data: dynamic lock, counter, configuration, keys. One-way counters too, except the
    /// one of NTAG that counts reads.
    var protected: [UInt8] {
        let product = tag.product
        let end = product.dynamicLock?.page ?? product.configurationPage ?? product.pageCount
        let counters = product.features.contains(.incrementCounter) ? tag.counters : []
        return tag.memory.prefix(16) + tag.memory.dropFirst(4 * end)
            + counters.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            + [UInt8(truncatingIfNeeded: tag.failedAttempts)]
    }

    var everything: [UInt8] { tag.memory + protected }

    mutating func send(_ command: RawCommand) -> [UInt8]? {
        guard case .miFare(let frame) = command else { return nil }
        let answer = tag.answerSelecting(frame)
        if tag.state == .idle { tag.activate() }
        return answer
    }
}

struct OracleNTAGI2C: OracleTag {
    var tag: VirtualNTAGI2CTag

    init(_ number: Int) throws {
        tag = try VirtualNTAGI2CTag(size: number % 2 == 0 ? .oneKilobyte : .twoKilobytes)
        tag.activate()
    }

    var identity: TagIdentity { TagIdentity(technology: .type2, identifier: tag.identifier, atr: []) }
    var protected: [UInt8] { tag.memory.prefix(16) + tag.dynamicLock }
    var everything: [UInt8] { tag.memory + tag.dynamicLock }

    mutating func send(_ command: RawCommand) -> [UInt8]? {
        guard case .miFare(let frame) = command else { return nil }
        return tag.answerSelecting(frame)
    }
}

struct OracleClassic: OracleTag {
    var tag: VirtualMIFAREClassicTag

    init(_ number: Int) throws {
        let products = VirtualMIFAREClassicProduct.all
        tag = try VirtualMIFAREClassicTag(
            product: products[number % products.count], ndefMessage: number % 2 == 0 ? nil : [])
        tag.activate()
    }

    var identity: TagIdentity { TagIdentity(technology: .mifareClassic, identifier: tag.identifier, atr: []) }

    /// Block 0, and the last block of each sector: of 4 blocks up to block 127, of 16 behind.
    var protected: [UInt8] {
        (0..<tag.memory.count / 16).filter { $0 == 0 || ($0 < 128 ? $0 % 4 == 3 : $0 % 16 == 15) }
            .flatMap { tag.memory[16 * $0..<16 * $0 + 16] }
    }

    var everything: [UInt8] { tag.memory }

    mutating func send(_ command: RawCommand) -> [UInt8]? {
        guard case .miFare(let frame) = command else { return nil }
        let answer = tag.answerSelecting(frame)
        if tag.state == .idle { tag.activate() }
        return answer
    }
}

struct OracleFeliCa: OracleTag {
    var tag: VirtualFeliCaTag

    init(_ number: Int) throws {
        let products = VirtualFeliCaProduct.all
        tag = try VirtualFeliCaTag(product: products[number % products.count], ndefMessage: number % 3 == 0 ? [] : nil)
        tag.activate()
    }

    var identity: TagIdentity { TagIdentity(technology: .feliCa, identifier: tag.identifier, atr: []) }

    /// On Lite and Lite-S everything but data, the random challenge, the MACs and the count of writes. A plain card has data only.
    var protected: [UInt8] {
        let attribute = tag.blocks[0] ?? []
        let sum = attribute.prefix(14).reduce(0) { $0 + Int($1) }
        let isAttribute =
            attribute.count == 16 && attribute[0] != 0 && sum == Int(attribute[14]) << 8 | Int(attribute[15])
        let isReadOnly: [UInt8] = [isAttribute && attribute[10] != 0x01 ? 1 : 0]
        guard tag.product.family != .plain else { return isReadOnly }
        return isReadOnly
            + tag.blocks.sorted { $0.key < $1.key }
            .filter { $0.key > 0x0D && ![0x80, 0x81, 0x90, 0x91].contains($0.key) }.flatMap(\.value)
    }

    var everything: [UInt8] { tag.blocks.sorted { $0.key < $1.key }.flatMap(\.value) }

    mutating func send(_ command: RawCommand) -> [UInt8]? {
        guard case .feliCa(let packet) = command else { return nil }
        return tag.answer([UInt8(truncatingIfNeeded: packet.count + 1)] + packet).map { Array($0.dropFirst()) }
    }
}

struct OracleISO15693: OracleTag {
    var tag: VirtualISO15693Tag

    init(_ number: Int) throws {
        let products = VirtualISO15693Product.all
        tag = try VirtualISO15693Tag(product: products[number % products.count], ndefMessage: [])
        tag.activate()
    }

    var identity: TagIdentity { TagIdentity(technology: .iso15693, identifier: tag.identifier, atr: []) }

    /// The locks, and the write access of the capability container.
    var protected: [UInt8] {
        let isContainer = [0xE1, 0xE2].contains(tag.memory[0])
        return tag.lockedBlocks.sorted().map { UInt8(truncatingIfNeeded: $0) }
            + [tag.isAFILocked ? 1 : 0, tag.isDSFIDLocked ? 1 : 0, isContainer ? tag.memory[1] & 0x03 : 0]
    }

    var everything: [UInt8] { tag.memory + protected + [tag.afi, tag.dsfid] }

    mutating func send(_ command: RawCommand) -> [UInt8]? {
        guard case .iso15693(let request) = command else { return nil }
        return tag.answer(request)
    }
}

struct OracleType4: OracleTag {
    var tag: VirtualType4Card

    init(_ number: Int) throws {
        var configuration = VirtualType4Card.Configuration()
        configuration.mappingVersion = number % 2 == 0 ? 0x20 : 0x30
        tag = try VirtualType4Card(configuration)
        tag.activate()
    }

    var identity: TagIdentity { TagIdentity(technology: .iso14443Part4(.a), identifier: tag.identifier, atr: []) }
    var protected: [UInt8] { tag.contents[0xE103] ?? [] }
    var everything: [UInt8] { tag.contents.sorted { $0.key < $1.key }.flatMap(\.value) }

    mutating func send(_ command: RawCommand) -> [UInt8]? {
        guard case .apdu(let apdu) = command else { return nil }
        return tag.answer(apdu)
    }
}

/// A DESFire card with its own application beside that of the message, which holds the secret.
struct OracleDESFire: OracleTag {
    static let own: [UInt8] = [0xA0, 0x00, 0x00, 0x03, 0x08]
    static let secret: [UInt8] = [0x5E, 0xC2, 0xE7, 0x00, 0x5E, 0xC2, 0xE7]
    var tag: VirtualDESFireCard

    init(_ number: Int) throws {
        let product = VirtualDESFireProduct.desfireEV1
        let file = DESFireFile(
            number: 2, isoIdentifier: 0xE104, communication: 0x00, rights: .free,
            content: .standard([UInt8](repeating: 0, count: 32)))
        let own = DESFireApplication(
            identifier: [0x02, 0x00, 0x00], isoIdentifier: 0xE111, name: Self.own, hasIsoFiles: true,
            keyring: DESFireKeyring(key: .zero(.aes), count: 1, settings: 0x0F), files: [file])
        tag = try VirtualDESFireCard(
            product: product,
            applications: [try product.application(message: Self.secret + Self.secret, isWritable: true), own])
        tag.activate()
    }

    var identity: TagIdentity { TagIdentity(technology: .iso14443Part4(.a), identifier: tag.identifier, atr: []) }
    /// The application of the message, which is foreign to a client with a grant for the other.
    var protected: [UInt8] { tag.contents.sorted { $0.key < $1.key }.flatMap(\.value) }
    var everything: [UInt8] { protected + (tag.fileContent(application: [0x02, 0x00, 0x00], number: 2) ?? []) }

    mutating func send(_ command: RawCommand) -> [UInt8]? {
        guard case .apdu(let apdu) = command else { return nil }
        return tag.answer(apdu)
    }
}
