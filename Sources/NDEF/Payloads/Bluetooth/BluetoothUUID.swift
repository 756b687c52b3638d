/// A UUID of a Bluetooth service in its full form of 128 bits, or shortened to 32 or 16 (Bluetooth Core Specification,
/// Vol 3, Part B, §2.5.1).
public struct BluetoothUUID: Sendable, Hashable {
    /// The 2, 4 or 16 bytes, the most significant first, as the UUID is written for people.
    public let bytes: [UInt8]

    /// The UUID of these bytes, the most significant first; nil where they are not 2, 4 or 16.
    public init?(bytes: [UInt8]) {
        guard [2, 4, 16].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}

extension BluetoothUUID: LosslessStringConvertible {
    /// Such as `1118`, `0000110A` or `0000110A-0000-1000-8000-00805F9B34FB`.
    public var description: String {
        guard bytes.count == 16 else { return bytes.hexadecimal }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Array(bytes[$0]).hexadecimal }.joined(separator: "-")
    }

    /// The UUID in this text: 4 or 8 hexadecimal digits of either case, or 32 in groups of 8, 4, 4, 4 and 12 with hyphens
    /// between; otherwise nil.
    public init?(_ description: String) {
        let groups = description.split(separator: "-", omittingEmptySubsequences: false)
        let isShaped = [[4], [8], [8, 4, 4, 4, 12]].contains(groups.map { $0.utf8.count })
        guard isShaped, let bytes = [UInt8](hexadecimal: groups.joined()) else { return nil }
        self.init(bytes: bytes)
    }
}
