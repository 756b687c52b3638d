/// The capability container of a Type 2 Tag: page 3, `E1 version size access` (NFC Forum Type 2 Tag).
public struct Type2CapabilityContainer: Sendable, Hashable {
    /// A nibble of the access byte.
    public enum Access: Sendable, Hashable {
        /// 0: without any condition.
        case free
        /// 8: with a password, or proprietary.
        case proprietary
        /// F: never.
        case never
        /// Any other value, which is reserved.
        case reserved(UInt8)

        init(nibble: UInt8) {
            switch nibble {
            case 0x0: self = .free
            case 0x8: self = .proprietary
            case 0xF: self = .never
            default: self = .reserved(nibble)
            }
        }
    }

    /// The four bytes.
    public let bytes: [UInt8]
    /// Byte 0, E1 for NDEF.
    public let magic: UInt8
    /// Byte 1, high nibble.
    public let majorVersion: UInt8
    /// Byte 1, low nibble.
    public let minorVersion: UInt8
    /// The size of the data area in bytes: byte 2 times 8, 0…2040.
    public let dataAreaSize: Int
    /// Byte 3, high nibble.
    public let readAccess: Access
    /// Byte 3, low nibble.
    public let writeAccess: Access

    /// Reads a container of exactly 4 bytes, valid or not; `nil` for any other number.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 else { return nil }
        self.bytes = bytes
        magic = bytes[0]
        majorVersion = bytes[1] >> 4
        minorVersion = bytes[1] & 0x0F
        dataAreaSize = Int(bytes[2]) * 8
        readAccess = Access(nibble: bytes[3] >> 4)
        writeAccess = Access(nibble: bytes[3] & 0x0F)
    }
}
