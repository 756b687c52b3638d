import ISO7816

/// IDm, the manufacture ID of a FeliCa system (JIS X 6319-4): exactly 8 bytes. It is also what other technologies call
/// the UID.
public struct FeliCaIdentifier: Sendable, Hashable {
    /// Bytes in an IDm.
    public static let size = 8

    /// The 8 bytes, manufacturer code first.
    public let bytes: [UInt8]

    /// Takes 8 bytes; `nil` for any other number.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Whether both belong to one card: the systems of a card differ only in the high nibble of the first byte.
    public func isSameCard(as other: FeliCaIdentifier) -> Bool {
        bytes.dropFirst() == other.bytes.dropFirst() && (bytes.first ?? 0) & 0x0F == (other.bytes.first ?? 0) & 0x0F
    }
}

extension FeliCaIdentifier: CustomStringConvertible {
    /// 16 hexadecimal digits.
    public var description: String { Hexadecimal.string(bytes) }
}
