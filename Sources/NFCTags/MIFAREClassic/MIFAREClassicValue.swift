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
