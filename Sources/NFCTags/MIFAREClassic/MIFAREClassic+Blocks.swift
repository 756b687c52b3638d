import ISO7816

extension MIFAREClassic {
    /// Reads blocks from one on, as many as the reader gives at once.
    ///
    /// - Parameters:
    ///   - block: the first block; its sector has to be open.
    ///   - count: how many blocks are wanted; never more than there are before the trailer, or the trailer alone.
    /// - Returns: whole blocks, at least one. Key A of a trailer reads as zeros.
    /// - Throws: ``TagError`` 102 where the card refuses or the answer is nonsense.
    public func read(block: Int, count: Int = 1) async throws(TagError) -> [UInt8] {
        let sector = try requireOpen(block)
        let inSector = max(MIFAREClassicSize.trailer(ofSector: sector) - block, 1)
        var wanted = min(max(count, 1), reader.blocksPerRead, inSector) * MIFAREClassicSize.blockSize
        var response = try await ask(block, length: wanted)
        if let offered = response.statusWord.correctLength, offered == MIFAREClassicSize.blockSize, offered < wanted {
            wanted = offered
            response = try await ask(block, length: wanted)
        }
        guard response.statusWord.isSuccess else {
            throw TagError(.tagResponseError, "block \(block) refused: \(response.statusWord)", response: response)
        }
        let length = response.data.count
        guard length > 0, length <= wanted, length.isMultiple(of: MIFAREClassicSize.blockSize) else {
            throw TagError(
                .tagResponseError, "block \(block) answered with \(length) bytes, \(wanted) were asked for",
                response: response)
        }
        return response.data
    }

    /// `FF B0 00 block Le`.
    private func ask(_ block: Int, length: Int) async throws(TagError) -> ResponseAPDU {
        try await exchange(
            CommandAPDU(
                cla: 0xFF, ins: 0xB0, p1: 0, p2: UInt8(truncatingIfNeeded: block), le: UInt8(truncatingIfNeeded: length)
            ))
    }

    /// Writes one block; its sector has to be open. Never repeated.
    ///
    /// - Parameters:
    ///   - block: the block.
    ///   - bytes: 16 bytes.
    ///   - allowing: which blocks may be written that can make the card or a sector useless.
    /// - Throws: ``TagError`` 2 for such a block, 102 where the card refuses.
    public func write(
        block: Int, _ bytes: [UInt8], allowing: MIFAREClassicDangerousBlocks = []
    ) async throws(TagError) {
        try requireOpen(block)
        guard bytes.count == MIFAREClassicSize.blockSize else {
            throw TagError(.tagSizeTooSmall, "a block takes 16 bytes, not \(bytes.count)")
        }
        try check(block, bytes, allowing)
        try await perform(
            CommandAPDU.storageCard(0xD6, 0x00, UInt8(truncatingIfNeeded: block), data: bytes), "block \(block)")
    }

    private func check(
        _ block: Int, _ bytes: [UInt8], _ allowed: MIFAREClassicDangerousBlocks
    ) throws(TagError) {
        if block == 0, !allowed.contains(.manufacturer) {
            throw TagError(.securityViolation, "block 0 is the manufacturer's")
        }
        guard size.isTrailer(block) else { return }
        guard allowed.contains(.trailers) else {
            throw TagError(.securityViolation, "block \(block) holds the keys of its sector")
        }
        guard MIFAREClassicAccessBits(bytes: Array(bytes[6..<9])) != nil else {
            throw TagError(.securityViolation, "these access bits would make the sector useless")
        }
    }

    /// Sends a command whose answer is a status word only.
    func perform(_ command: CommandAPDU, _ what: String) async throws(TagError) {
        let response = try await exchange(command)
        guard response.statusWord.isSuccess else {
            throw TagError(.tagResponseError, "\(what) refused: \(response.statusWord)", response: response)
        }
    }

    /// The sector of a block, which has to be the open one.
    @discardableResult
    func requireOpen(_ block: Int) throws(TagError) -> Int {
        guard let sector = size.sector(of: block) else {
            throw TagError(.unsupportedFeature, "there is no block \(block)")
        }
        guard session?.sector == sector else {
            throw TagError(.tagResponseError, "sector \(sector) is not open")
        }
        return sector
    }
}

/// Blocks that can make a sector or the card useless, and are written only where that is asked for.
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
