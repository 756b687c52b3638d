/// A Bluetooth device address: six bytes (Bluetooth Core Specification, Vol 2, Part B, §1.2).
public struct BluetoothAddress: Sendable, Hashable {
    /// The six bytes, the most significant first, as the address is written for people.
    public let bytes: [UInt8]

    /// The address of these bytes, the most significant first; nil where they are not six.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 6 else { return nil }
        self.bytes = bytes
    }
}

extension BluetoothAddress: LosslessStringConvertible {
    /// Such as `01:BF:88:80:07:03`.
    public var description: String { bytes.map { [$0].hexadecimal }.joined(separator: ":") }

    /// The address in this text: six pairs of hexadecimal digits of either case with colons between; otherwise nil.
    public init?(_ description: String) {
        let pairs = description.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.allSatisfy({ $0.utf8.count == 2 }), let bytes = [UInt8](hexadecimal: pairs.joined()) else {
            return nil
        }
        self.init(bytes: bytes)
    }
}

/// The address of a Bluetooth Low Energy device (data type 1B; Bluetooth CSS, Part A, §1.16).
public struct BluetoothLEAddress: Sendable, Hashable {
    /// The address.
    public let address: BluetoothAddress
    /// Whether the address is a random one; otherwise it is a public one.
    public let isRandom: Bool

    /// An address, public unless said otherwise.
    public init(_ address: BluetoothAddress, isRandom: Bool = false) {
        self.address = address
        self.isRandom = isRandom
    }
}
