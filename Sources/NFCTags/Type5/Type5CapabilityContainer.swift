/// The capability container at the start of a Type 5 Tag (NFC Forum Type 5 Tag), 4 or 8 bytes.
public struct Type5CapabilityContainer: Sendable, Hashable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Parses a container; nil for fewer than 4 bytes, or fewer than 8 if 8 are announced.
    public init?(_ bytes: [UInt8]) {
        let size = Self.size(bytes)
        guard bytes.count >= size else { return nil }
        self.bytes = Array(bytes.prefix(size))
    }

    /// How long a container is that begins like this.
    static func size(_ bytes: [UInt8]) -> Int {
        guard bytes.count >= 4, isMagic(bytes[0]), bytes[2] == 0 else { return 4 }
        return 8
    }

    static func isMagic(_ byte: UInt8) -> Bool { byte == 0xE1 || byte == 0xE2 }

    /// Why this is not a container of NDEF that can be read; nil if it is.
    public var fault: String? {
        if !Self.isMagic(bytes[0]) { return "no magic number E1 or E2" }
        if bytes[1] >> 6 != 1 { return "mapping version \(bytes[1] >> 6) is not 1" }
        if bytes[1] & 0x0C != 0 { return "reading is not free" }
        return nil
    }

    /// Bits 1 and 0 of byte 1: 0 free, 2 proprietary, 3 never.
    var writeAccess: UInt8 { bytes[1] & 0x03 }
    /// Whether writing is free.
    public var isWritable: Bool { writeAccess == 0 }
    /// The size of the data area in bytes, MLEN × 8, as the container declares it.
    public var dataAreaSize: Int {
        bytes.count == 8 ? (Int(bytes[6]) << 8 | Int(bytes[7])) * 8 : Int(bytes[2]) * 8
    }
    /// The largest size that a container can declare, in bytes.
    static let largestDataArea = 65_535 * 8
    /// READ MULTIPLE BLOCKS is supported.
    public var canReadMultiple: Bool { bytes[3] & 0x01 != 0 }
    /// LOCK SINGLE BLOCK is supported.
    public var canLock: Bool { bytes[3] & 0x08 != 0 }
    /// Writing and locking want the option flag.
    public var wantsOption: Bool { bytes[3] & 0x10 != 0 }
    /// Older tags of ST and ON Semiconductor: the area is larger than MLEN can express.
    var overflows: Bool { bytes.count == 4 && bytes[2] == 0xFF && bytes[3] & 0x04 != 0 }

    /// The same, read-only.
    var readOnly: [UInt8] { [bytes[0], bytes[1] | 0x03] + bytes.dropFirst(2) }

    /// The container for a blank memory.
    init(blockCount: Int, blockSize: Int, canReadMultiple: Bool) {
        let length = blockCount * blockSize / 8
        let (magic, features): (UInt8, UInt8) = (blockCount > 256 ? 0xE2 : 0xE1, canReadMultiple ? 0x01 : 0x00)
        bytes =
            length <= 0xFF
            ? [magic, 0x40, UInt8(truncatingIfNeeded: length), features]
            : [
                magic, 0x40, 0x00, features, 0x00, 0x00, UInt8(truncatingIfNeeded: length >> 8),
                UInt8(truncatingIfNeeded: length),
            ]
    }
}
