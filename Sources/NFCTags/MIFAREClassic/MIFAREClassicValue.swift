import ISO7816

/// The content of a value block (MF1S50yyX data sheet, value blocks): the value three times, the address four times.
public struct MIFAREClassicValue: Sendable, Hashable {
    /// The value.
    public let value: Int32
    /// The address byte, free for backups; mostly a block number.
    public let address: UInt8

    /// A value with its address byte.
    public init(value: Int32, address: UInt8) {
        self.value = value
        self.address = address
    }

    /// Parses a block; nil where it is not 16 bytes or the copies differ.
    public init?(block: [UInt8]) {
        guard block.count == 16 else { return nil }
        let bits = block[0..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.init(value: Int32(bitPattern: bits), address: block[12])
        guard block == self.block else { return nil }
    }

    /// The block: value, complement, value, each least significant byte first, then address and complement twice.
    public var block: [UInt8] {
        let bytes = value.leastSignificantFirst
        return bytes + bytes.map { ~$0 } + bytes + [address, ~address, address, ~address]
    }
}

extension Int32 {
    var leastSignificantFirst: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
    var mostSignificantFirst: [UInt8] { leastSignificantFirst.reversed() }
}

extension MIFAREClassic {
    /// Reads the value of a value block of the open sector.
    ///
    /// - Throws: ``TagError`` 102 where it is no value block.
    public func readValue(block: Int) async throws(TagError) -> Int32 {
        try requireOpen(block)
        guard reader.valueCommands == .acs else {
            let content = try await read(block: block)
            guard let value = MIFAREClassicValue(block: content) else {
                throw TagError(.tagResponseError, "block \(block) is no value block", response: content)
            }
            return value.value
        }
        // FF B1 gives the value alone, most significant byte first.
        let response = try await exchange(
            CommandAPDU(cla: 0xFF, ins: 0xB1, p1: 0, p2: UInt8(truncatingIfNeeded: block), le: 4))
        guard response.statusWord.isSuccess, response.data.count == 4 else {
            throw TagError(.tagResponseError, "block \(block) is no value block", response: response)
        }
        return Int32(bitPattern: response.data.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }

    /// Makes a block of the open sector a value block, with its own number as address.
    public func writeValue(_ value: Int32, block: Int) async throws(TagError) {
        let content = MIFAREClassicValue(value: value, address: UInt8(truncatingIfNeeded: block))
        try await write(block: block, content.block)
    }

    /// INCREMENT and TRANSFER to the same block.
    ///
    /// - Throws: ``TagError`` 1 where the reader has no command for it or `amount` is negative, 102 where the card refuses.
    public func increment(block: Int, by amount: Int32) async throws(TagError) {
        try await count(block, by: amount, acs: 0x01, hid: 0xD4)
    }

    /// DECREMENT and TRANSFER to the same block; errors as for ``increment(block:by:)``.
    public func decrement(block: Int, by amount: Int32) async throws(TagError) {
        try await count(block, by: amount, acs: 0x02, hid: 0xD8)
    }

    /// RESTORE from one block and TRANSFER to another of the same sector.
    ///
    /// - Throws: ``TagError`` 1 where the reader has no command for it, 102 where the card refuses.
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
        guard amount >= 0 else { throw TagError(.unsupportedFeature, "an amount below 0") }
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
        .unsupportedFeature, "the reader has no command for that on value blocks")
}
