/// What RID tells: the header ROM and the first 4 bytes of the UID.
struct Type1Header: Sendable, Hashable {
    /// HR0: high nibble 1 for NDEF, low nibble 1 for static memory.
    let hr0: UInt8
    /// HR1: the product.
    let hr1: UInt8
    /// UID0 to UID3.
    let identifier: [UInt8]

    /// Takes an answer of 6 bytes; nil for another length.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 6 else { return nil }
        (hr0, hr1, identifier) = (bytes[0], bytes[1], Array(bytes.dropFirst(2)))
    }

    /// Whether the memory may hold NDEF.
    var isNDEF: Bool { hr0 >> 4 == 1 }
    /// Whether there are no more than 120 bytes.
    var isStatic: Bool { hr0 & 0x0F == 1 }
    /// The products whose lock bytes are known.
    var product: Type1Product? { Type1Product.allCases.first { $0.header == [hr0, hr1] } }
    /// Lock, OTP and reserved blocks, in bytes from the start of memory.
    var reserved: Range<Int> { isStatic ? 104..<120 : 104..<128 }
    /// Bytes that are written at once.
    var blockSize: Int { isStatic ? 1 : 8 }
}

/// The products that can be formatted and locked.
enum Type1Product: Sendable, CaseIterable {
    case topaz
    case topaz512

    var header: [UInt8] {
        switch self {
        case .topaz: [0x11, 0x48]
        case .topaz512: [0x12, 0x4C]
        }
    }

    /// What a formatted tag holds from byte 8 on.
    var formatted: [UInt8] {
        switch self {
        case .topaz: [0xE1, 0x10, 0x0E, 0x00, 0x03, 0x00]
        // With a Lock Control TLV for bytes 122 to 127 and a Memory Control TLV for 120 and 121.
        case .topaz512:
            [0xE1, 0x10, 0x3F, 0x00, 0x01, 0x03, 0xF2, 0x30, 0x33, 0x02, 0x03, 0xF0, 0x02, 0x03, 0x03, 0x00]
        }
    }
}

/// The capability container of a Type 1 Tag, bytes 8 to 11.
struct Type1CapabilityContainer: Sendable, Hashable {
    /// Where it starts.
    static let offset = 8
    /// Where TLVs start.
    static let areaStart = 12

    /// The 4 bytes.
    let bytes: [UInt8]

    /// Takes 4 bytes; nil for another number.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 else { return nil }
        self.bytes = bytes
    }

    /// Why this is no NDEF; nil where it is.
    var fault: String? {
        if bytes[0] != 0xE1 { return "no capability container" }
        if bytes[1] >> 4 != 1 { return "mapping version \(bytes[1] >> 4).\(bytes[1] & 0x0F) is not known" }
        return bytes[3] >> 4 == 0 ? nil : "reading is not free"
    }

    /// The memory up to this byte: (TMS + 1) × 8.
    var end: Int { (Int(bytes[2]) + 1) * 8 }
    /// RWA low nibble 0.
    var isWritable: Bool { bytes[3] & 0x0F == 0 }
    /// Whether nothing was ever written to it.
    var isBlank: Bool { bytes.allSatisfy { $0 == 0 } }
}
