import ISO7816

/// IDm, the manufacture ID of a FeliCa system (JIS X 6319-4): exactly 8 bytes. It is also what other technologies call
/// the UID.
public struct FeliCaIdentifier: Sendable, Hashable {
    /// Bytes in an IDm.
    public static let size = 8

    /// The 8 bytes, manufacturer code first.
    public let bytes: [UInt8]

    /// Makes one from 8 bytes; `nil` for any other number.
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

/// PMm, the manufacture parameter (JIS X 6319-4): 2 bytes of IC code, then response times.
public struct FeliCaManufactureParameter: Sendable, Hashable {
    /// The 8 bytes.
    public let bytes: [UInt8]

    /// Makes one from 8 bytes; `nil` for any other number.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        self.bytes = bytes
    }

    /// The second byte, the IC type.
    public var icType: UInt8 { bytes.dropFirst().first ?? 0 }

    /// The first byte, the ROM type: 00 on the products of the Lite family.
    public var romType: UInt8 { bytes.first ?? 0 }

    /// The products of the Lite family, `nil` for all others.
    public var liteProduct: FeliCaLiteProduct? { romType == 0 ? FeliCaLiteProduct(rawValue: icType) : nil }

    /// The maker's name for the chip, `nil` where it is not known.
    public var productName: String? {
        if let liteProduct { return "\(liteProduct)" }
        if [0xF0, 0xF1].contains(icType) { return nil }
        return Self.names[icType]
    }

    /// By the IC type. The ROM type is that of a version.
    private static let names: [UInt8: String] = [
        0x01: "FeliCa Standard (RC-S915)", 0x02: "FeliCa Standard (RC-S919)", 0x06: "Mobile FeliCa",
        0x07: "Mobile FeliCa", 0x08: "FeliCa Standard (RC-S952)", 0x09: "FeliCa Standard (RC-S953)",
        0x0C: "FeliCa Standard (RC-S954)", 0x0D: "FeliCa Standard (RC-S960)", 0x10: "Mobile FeliCa",
        0x14: "Mobile FeliCa", 0x15: "Mobile FeliCa", 0x17: "Mobile FeliCa", 0x18: "Mobile FeliCa",
        0x20: "FeliCa Standard (RC-S962)", 0x32: "FeliCa Standard (RC-SA00)", 0x33: "FeliCa Standard (RC-SA00)",
        0x34: "FeliCa Standard (RC-SA01)", 0x35: "FeliCa Standard (RC-SA01)", 0xE0: "FeliCa Plug (RC-S926)",
        0xE1: "FeliCa Link (RC-S967)", 0xF2: "FeliCa Link (RC-S967)",
    ]
}

/// FeliCa products whose memory configuration is known, by the IC type of their PMm.
public enum FeliCaLiteProduct: UInt8, Sendable, Hashable, CaseIterable {
    /// F0: FeliCa Lite.
    case lite = 0xF0
    /// F1: FeliCa Lite-S.
    case liteS = 0xF1

    /// The blocks for data behind the attribute block: 1 to 13.
    static let dataBlocks = 13
    /// The most blocks that one read may name.
    static let readBlocks: UInt8 = 4
}

extension FeliCaLiteProduct: CustomStringConvertible {
    /// The name of the product.
    public var description: String {
        switch self {
        case .lite: "FeliCa Lite"
        case .liteS: "FeliCa Lite-S"
        }
    }
}

extension FeliCaManufactureParameter: CustomStringConvertible {
    /// 16 hexadecimal digits.
    public var description: String { Hexadecimal.string(bytes) }
}

/// MC, the memory configuration block 88 of FeliCa Lite and Lite-S.
struct FeliCaLiteConfiguration: Sendable, Hashable {
    /// The number of the block.
    static let block: UInt16 = 0x88
    /// User blocks: 0 to 13.
    static let userBlocks = FeliCaLiteProduct.dataBlocks + 1

    /// All 16 bytes.
    private(set) var bytes: [UInt8]
    let product: FeliCaLiteProduct

    /// Parses the block; `nil` for another length.
    init?(_ bytes: [UInt8], product: FeliCaLiteProduct) {
        guard bytes.count == FeliCaBlock.size else { return nil }
        self.bytes = bytes
        self.product = product
    }

    /// SYS_OP: the card answers to system code 12FC.
    var isNDEF: Bool { bytes[3] & 0x01 != 0 }
    /// MC_ALL FF: this block and the keys may still be written.
    var isOpen: Bool { bytes[2] == 0xFF }
    /// The same with SYS_OP set.
    var withNDEF: FeliCaLiteConfiguration {
        var copy = self
        copy.bytes[3] |= 0x01
        return copy
    }

    /// How many of the user blocks from 0 on can be written without a key, without a gap.
    var writableBlocks: Int {
        let free = word(0) & ~restricted
        return (0..<Self.userBlocks).first { free >> $0 & 1 == 0 } ?? Self.userBlocks
    }

    /// Whether one of the user blocks can be written without a key.
    func isWritable(block: UInt16) -> Bool {
        block < Self.userBlocks && (word(0) & ~restricted) >> block & 1 == 1
    }

    /// Whether the user blocks can be changed.
    var lockState: LockState {
        let (writable, restricted) = (word(0) & Self.userMask, restricted & Self.userMask)
        if writable == 0 { return .locked }
        if writable != Self.userMask { return .partlyLocked }
        return restricted == 0 ? .unlocked : .passwordProtected
    }

    /// Lite-S: a block may need an authentication (bytes 8 and 9) or a MAC (10 and 11) to be written.
    private var restricted: UInt16 { product == .liteS ? word(8) | word(10) : 0 }

    private static let userMask: UInt16 = 1 << userBlocks - 1

    private func word(_ offset: Int) -> UInt16 { UInt16(bytes[offset + 1]) << 8 | UInt16(bytes[offset]) }
}

/// The blocks of FeliCa Lite and Lite-S, with the names of their user's manuals.
enum FeliCaLiteBlocks {
    /// All blocks of a product, in order.
    static func numbers(of product: FeliCaLiteProduct) -> [UInt16] {
        Array(0...0x0E) + Array(0x80...0x88) + (product == .liteS ? [0x90, 0x91, 0x92, 0xA0] : [])
    }

    /// RC and CK hold secrets and read as zeros; the MAC blocks only mean something beside others of the same read.
    static func isReadable(_ block: UInt16) -> Bool { ![0x80, 0x81, 0x87, 0x91].contains(block) }

    /// What a block is for, nil for plain data.
    static func meaning(of block: UInt16) -> String? { names[block] }

    private static let names: [UInt16: String] = [
        0x0E: "REG, subtraction register", 0x80: "RC, random challenge, cannot be read",
        0x81: "MAC, not read", 0x82: "ID", 0x83: "D_ID, device identifier", 0x84: "SER_C, service code",
        0x85: "SYS_C, system code", 0x86: "CKV, card key version", 0x87: "CK, card key, cannot be read",
        0x88: "MC, memory configuration", 0x90: "WCNT, write counter", 0x91: "MAC_A, not read", 0x92: "STATE",
        0xA0: "CRC_CHECK",
    ]
}
