// Block numbers and ranges as they go into requests of ISO/IEC 15693-3. Each throws 5 for what is out of bounds.

/// How wide the numbers of blocks are.
enum VicinityWidth: Sendable {
    /// A byte.
    case short
    /// Two bytes, the less significant first: the extended commands.
    case extended

    private var limit: Int { self == .short ? 0x100 : 0x1_0000 }

    /// The number of a block.
    func block(_ number: Int) throws(NFCReaderError) -> [UInt8] {
        guard (0..<limit).contains(number) else {
            throw Self.outOfBound("block number \(number) is not from 0 to \(limit - 1)")
        }
        return bytes(number)
    }

    /// A first block and a count, which travels as one less.
    func range(_ range: NSRange) throws(NFCReaderError) -> [UInt8] {
        guard (0..<limit).contains(range.location), (1...limit).contains(range.length) else {
            let reason =
                "blocks start from 0 to \(limit - 1) and are 1 to \(limit), not \(range.length) from \(range.location)"
            throw Self.outOfBound(reason)
        }
        return bytes(range.location) + bytes(range.length - 1)
    }

    /// A range and the blocks to write there.
    ///
    /// - Throws: 4 where they are not as many, or not of one size.
    func range(_ range: NSRange, _ blocks: [Data]) throws(NFCReaderError) -> [UInt8] {
        let start = try self.range(range)
        guard blocks.count == range.length, Set(blocks.map(\.count)).count == 1, blocks.first?.isEmpty == false else {
            let reason = "\(range.length) blocks need as many of one size"
            throw NFCReaderError(.readerErrorInvalidParameterLength, reason: reason)
        }
        return start + blocks.flatMap { Array($0) }
    }

    private func bytes(_ value: Int) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: value)
        return self == .short ? [low] : [low, UInt8(truncatingIfNeeded: value >> 8)]
    }

    static func outOfBound(_ reason: String) -> NFCReaderError {
        NFCReaderError(.readerErrorParameterOutOfBound, reason: reason)
    }

    /// A number that is a byte.
    static func byte(_ value: Int, _ what: String, in allowed: ClosedRange<Int> = 0...0xFF) throws(NFCReaderError)
        -> UInt8
    {
        guard allowed.contains(value), let byte = UInt8(exactly: value) else {
            throw outOfBound("\(what) \(value) is not from \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        return byte
    }
}
