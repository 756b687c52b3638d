import ISO7816

/// A MIFARE Classic card behind the pseudo-APDUs of a reader (PC/SC Part 3: Load Keys, General Authenticate, Read Binary,
/// Update Binary). Keys go into the reader's volatile memory only.
///
/// A card that refused a key is halted: everything fails until the connection is reset, see ``CardReconnection``.
public actor MIFAREClassic {
    /// How the memory is laid out.
    public nonisolated let size: MIFAREClassicSize
    private let channel: any CardChannel
    private let reader: MIFAREClassicReader
    private let reconnection: CardReconnection?

    /// The open sector, and the key that opened it.
    private struct Session: Hashable {
        let sector: Int
        let type: MIFAREClassicKeyType
        let key: MIFAREClassicKey
    }

    private var session: Session?
    private var isHalted = false
    /// Whether the reader supports only `FF 88`.
    private var usesObsoleteForm = false

    /// A card of this size behind a channel.
    public init(
        channel: some CardChannel, size: MIFAREClassicSize, reader: MIFAREClassicReader = MIFAREClassicReader(),
        reconnection: CardReconnection? = nil
    ) {
        self.channel = channel
        self.size = size
        self.reader = reader
        self.reconnection = reconnection
    }

    /// Opens a sector; nothing is sent where it is open already with this key.
    ///
    /// - Throws: ``TagError`` 102 if the key is wrong; the card is halted then. 100 if another card came back.
    public func authenticate(
        sector: Int, key: MIFAREClassicKey, type: MIFAREClassicKeyType
    ) async throws(TagError) {
        let refusal = try await refusal(sector: sector, key: key, type: type)
        if let refusal {
            throw TagError(
                .tagResponseError,
                "sector \(sector) does not open with this \(type); the card is halted until the connection is reset",
                response: refusal)
        }
    }

    /// Opens a sector, and returns false for a wrong key.
    func opens(
        sector: Int, key: MIFAREClassicKey, type: MIFAREClassicKeyType
    ) async throws(TagError) -> Bool {
        try await refusal(sector: sector, key: key, type: type) == nil
    }

    /// Sends one command; a refusal or silence closes the sector.
    private func exchange(_ command: StorageCardCommand) async throws(TagError) -> ResponseAPDU {
        try await exchange(command.apdu)
    }

    private func exchange(_ command: CommandAPDU) async throws(TagError) -> ResponseAPDU {
        try await note { () async throws(TagError) in try await channel.exchange(command) }
    }

    private func note(_ send: () async throws(TagError) -> ResponseAPDU) async throws(TagError) -> ResponseAPDU {
        do throws(TagError) {
            let response = try await send()
            if response.statusWord == .operationFailed { halt() }
            return response
        } catch {
            session = nil
            throw error
        }
    }

    /// Marks the sector as closed after its keys have changed.
    func closeSector() { session = nil }

    private func halt() {
        session = nil
        isHalted = true
    }
}

extension MIFAREClassic {
    /// The answer that refused the key, nil if the sector is open.
    private func refusal(
        sector: Int, key: MIFAREClassicKey, type: MIFAREClassicKeyType
    ) async throws(TagError) -> ResponseAPDU? {
        guard let block = size.blocks(of: sector)?.lowerBound else {
            throw TagError(.unsupportedFeature, "there is no sector \(sector)")
        }
        let wanted = Session(sector: sector, type: type, key: key)
        if session == wanted { return nil }
        try await revive()
        session = nil
        try await load(key, slot: reader.keySlot(type))
        let response = try await generalAuthenticate(block: block, type: type)
        guard response.statusWord.isSuccess else {
            halt()
            return response
        }
        session = wanted
        return nil
    }

    /// `FF 82 00 slot 06 key`: into the volatile memory, right before it is used, as other clients use the slots too.
    private func load(_ key: MIFAREClassicKey, slot: UInt8) async throws(TagError) {
        let response = try await exchange(.loadKey(slot: slot, key: key.bytes))
        guard response.statusWord.isSuccess else {
            let code: NFCErrorCode = response.statusWord.isUnknownCommand ? .unsupportedFeature : .tagResponseError
            throw TagError(code, "the reader does not accept the key: \(response.statusWord)", response: response)
        }
    }

    /// `FF 86 00 00 05 01 00 block type slot`, or the obsolete `FF 88 00 block type slot` where that is all there is.
    private func generalAuthenticate(block: Int, type: MIFAREClassicKeyType) async throws(TagError) -> ResponseAPDU {
        let (number, slot) = (UInt8(truncatingIfNeeded: block), reader.keySlot(type))
        if !usesObsoleteForm {
            let response = try await exchange(.authenticate(block: block, type: type.rawValue, slot: slot))
            guard response.statusWord.isUnknownCommand else { return response }
            usesObsoleteForm = true
        }
        return try await note { () async throws(TagError) in
            try await channel.exchange(raw: [0xFF, 0x88, 0x00, number, type.rawValue, slot])
        }
    }

    /// Reconnects to a halted card, where a reconnection was given.
    private func revive() async throws(TagError) {
        guard isHalted else { return }
        guard let reconnection else {
            throw TagError(.tagResponseError, "the card is halted after a refusal; reset the connection")
        }
        do throws(CardChannelError) {
            try await reconnection.perform()
        } catch {
            throw TagError(error.code, "the card could not be reconnected: \(error)")
        }
        isHalted = false
        let found = try await IdentifierReader(channel: channel, technology: .mifareClassic).read()
        guard found == reconnection.identifier else {
            halt()
            throw TagError(.tagConnectionLost, "another card is on the reader: \(Hexadecimal.string(found))")
        }
    }
}

extension MIFAREClassic {
    /// Whether a sector is open, with whatever key, or opens with this key A.
    func isOpen(_ sector: Int, or key: MIFAREClassicKey) async throws(TagError) -> Bool {
        if session?.sector == sector { return true }
        return try await opens(sector: sector, key: key, type: .a)
    }

    /// Whether another key can be tried after a wrong one.
    nonisolated var canReconnect: Bool { reconnection != nil }

    /// Whether the card answers or can be reconnected.
    var canGoOn: Bool { !isHalted || canReconnect }
}

extension MIFAREClassic {
    /// Reads blocks from one on, as many as the reader returns at once.
    ///
    /// - Parameters:
    ///   - block: the first block; its sector has to be open.
    ///   - count: how many blocks are wanted; never more than there are before the trailer, or the trailer alone.
    /// - Returns: whole blocks, at least one. Key A of a trailer reads as zeros.
    /// - Throws: ``TagError`` 102 if the card refuses or its answer is malformed.
    public func read(block: Int, count: Int = 1) async throws(TagError) -> [UInt8] {
        let sector = try requireOpen(block)
        let inSector = max(MIFAREClassicSize.trailer(ofSector: sector) - block, 1)
        var wanted = min(max(count, 1), reader.blocksPerRead, inSector) * MIFAREClassicSize.blockSize
        var response = try await exchange(.readBinary(block: block, length: wanted))
        if let offered = response.statusWord.correctLength, offered == MIFAREClassicSize.blockSize, offered < wanted {
            wanted = offered
            response = try await exchange(.readBinary(block: block, length: wanted))
        }
        try response.accepted("block \(block)")
        let length = response.data.count
        guard length > 0, length <= wanted, length.isMultiple(of: MIFAREClassicSize.blockSize) else {
            throw TagError(
                .tagResponseError, "block \(block) answered with \(length) bytes, \(wanted) were requested",
                response: response)
        }
        return response.data
    }

    /// Writes one block; its sector has to be open. Never repeated.
    ///
    /// - Parameters:
    ///   - block: the block.
    ///   - bytes: 16 bytes.
    ///   - allowing: which blocks may be written that can make the card or a sector useless.
    /// - Throws: ``TagError`` 2 for such a block, 102 if the card refuses.
    public func write(
        block: Int, _ bytes: [UInt8], allowing: MIFAREClassicDangerousBlocks = []
    ) async throws(TagError) {
        try requireOpen(block)
        guard bytes.count == MIFAREClassicSize.blockSize else {
            throw TagError(.tagSizeTooSmall, "a block takes 16 bytes, not \(bytes.count)")
        }
        try check(block, bytes, allowing)
        try await exchange(.updateBinary(block: block, bytes)).accepted("block \(block)")
    }

    private func check(
        _ block: Int, _ bytes: [UInt8], _ allowed: MIFAREClassicDangerousBlocks
    ) throws(TagError) {
        if block == 0, !allowed.contains(.manufacturer) {
            throw TagError(.securityViolation, "block 0 is the manufacturer block, which is not written")
        }
        guard size.isTrailer(block) else { return }
        guard allowed.contains(.trailers) else {
            throw TagError(
                .securityViolation,
                "block \(block) is a sector trailer, which is not written without explicit permission")
        }
        guard MIFAREClassicAccessBits(bytes: Array(bytes[6..<9])) != nil else {
            throw TagError(
                .securityViolation, "the access bits do not match their complements and would make the sector unusable")
        }
    }

    /// The sector of a block, which has to be the open one.
    @discardableResult
    private func requireOpen(_ block: Int) throws(TagError) -> Int {
        guard let sector = size.sector(of: block) else {
            throw TagError(.unsupportedFeature, "there is no block \(block)")
        }
        guard session?.sector == sector else {
            throw TagError(.tagResponseError, "sector \(sector) is not open")
        }
        return sector
    }
}

extension MIFAREClassic {
    /// INCREMENT and TRANSFER to the same block.
    ///
    /// - Throws: ``TagError`` 1 if the reader has no command for it or `amount` is negative, 102 if the card refuses.
    public func increment(block: Int, by amount: Int32) async throws(TagError) {
        try await count(block, by: amount, acs: 0x01, hid: 0xD4)
    }

    /// DECREMENT and TRANSFER to the same block; errors as for ``increment(block:by:)``.
    public func decrement(block: Int, by amount: Int32) async throws(TagError) {
        try await count(block, by: amount, acs: 0x02, hid: 0xD8)
    }

    /// RESTORE from one block and TRANSFER to another of the same sector.
    ///
    /// - Throws: ``TagError`` 1 if the reader has no command for it, 102 if the card refuses.
    public func copyValue(from source: Int, to destination: Int) async throws(TagError) {
        try requireValueBlock(source)
        try requireValueBlock(destination)
        guard reader.valueCommands == .acs else { throw Self.noValueCommands }
        let data: [UInt8] = [0x03, UInt8(truncatingIfNeeded: destination)]
        try await exchange(CommandAPDU.storageCard(0xD7, 0x00, UInt8(truncatingIfNeeded: source), data: data)).accepted(
            "block \(source)")
    }

    private func count(_ block: Int, by amount: Int32, acs: UInt8, hid: UInt8) async throws(TagError) {
        try requireValueBlock(block)
        guard amount >= 0 else {
            throw TagError(.unsupportedFeature, "the amount is \(amount), it has to be 0 or more")
        }
        let number = UInt8(truncatingIfNeeded: block)
        let command: CommandAPDU
        switch reader.valueCommands {
        case .acs: command = .storageCard(0xD7, 0x00, number, data: [acs] + amount.mostSignificantFirst)
        case .hid: command = .storageCard(hid, 0x00, number, data: amount.leastSignificantFirst)
        case nil: throw Self.noValueCommands
        }
        try await exchange(command).accepted("block \(block)")
    }

    private func requireValueBlock(_ block: Int) throws(TagError) {
        try requireOpen(block)
        guard block != 0, !size.isTrailer(block) else {
            throw TagError(.securityViolation, "block \(block) cannot be a value block")
        }
    }

    private static let noValueCommands = TagError(
        .unsupportedFeature, "the reader has no such command for value blocks; use another reader")
}

/// Blocks that can make a sector or the card useless, and are written only on explicit request.
public struct MIFAREClassicDangerousBlocks: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The trailers. Bytes whose access bits contradict themselves are refused even so.
    public static let trailers = MIFAREClassicDangerousBlocks(rawValue: 1)
    /// Block 0, which only copies of the card let be written.
    public static let manufacturer = MIFAREClassicDangerousBlocks(rawValue: 2)
}

extension Int32 {
    fileprivate var leastSignificantFirst: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
    fileprivate var mostSignificantFirst: [UInt8] { leastSignificantFirst.reversed() }
}
