/// A block list element (JIS X 6319-4): which block of which service of the list a read or write means.
public struct FeliCaBlock: Sendable, Hashable {
    /// Bytes per block.
    public static let size = 16

    /// The block number inside the service.
    public let number: UInt16
    /// The position of the service in the command's service list, 0…15.
    public let service: UInt8
    /// The access mode, 0…7: 0 for all but a purse's cash-back.
    public let accessMode: UInt8

    /// A block of a service in the list, the first one by default; only the low 4 and 3 bits of the others count.
    public init(_ number: UInt16, service: UInt8 = 0, accessMode: UInt8 = 0) {
        self.number = number
        self.service = service & 0x0F
        self.accessMode = accessMode & 0x07
    }

    /// The element: 2 bytes up to block 255, else 3 with the block number least significant byte first.
    public var bytes: [UInt8] {
        let mode = accessMode << 4 | service
        let low = UInt8(truncatingIfNeeded: number)
        return number <= 0xFF ? [0x80 | mode, low] : [mode, low, UInt8(truncatingIfNeeded: number >> 8)]
    }
}
