import ISO7816

/// What GET_VERSION answers: `00 vendor type subtype major minor storage protocol`.
public struct Type2Version: Sendable, Hashable {
    /// The eight bytes.
    public let bytes: [UInt8]

    /// Exactly eight bytes, the first 00; nil for anything else.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 8, bytes.first == 0x00 else { return nil }
        self.bytes = bytes
    }

    /// The maker: 04 is NXP.
    public var vendor: UInt8 { bytes[1] }
    /// The memory: an even number 2n stands for exactly 2^n bytes, 2n + 1 for more, below 2^(n+1).
    public var storage: UInt8 { bytes[6] }

    /// The product, where the vendor is NXP and the rest stands in the table.
    public var product: Type2Product? {
        guard vendor == 0x04 else { return nil }
        let parts = [bytes[2], bytes[4], bytes[6], bytes[7]]
        return Type2Product.all.first {
            $0.version == parts && Self.subtypes(of: $0).contains(bytes[3]) && Self.minors(of: $0).contains(bytes[5])
        }
    }

    /// What a clone of another vendor is most likely laid out like, by its storage byte; to be proved by its last page.
    var likeness: Type2Product? {
        switch storage {
        case 0x0B: .ntag210
        case 0x0E: .ntag212
        case 0x0F: .ntag213
        case 0x11: .ntag215
        case 0x13: .ntag216
        default: nil
        }
    }

    /// 01 is 17 pF, 02 is 50 pF; 05 is NTAG I2C, 04 the field-detecting variant of NTAG21x.
    private static func subtypes(of product: Type2Product) -> [UInt8] {
        switch product {
        case .mf0ul11, .mf0ul21: [0x01, 0x02]
        case .ntag210, .ntag212: [0x01]
        case .ntag213, .ntag216: [0x02, 0x04]
        case .ntagI2C1K, .ntagI2C2K: [0x05]
        default: [0x02]
        }
    }

    /// Minor version 1 is NTAG213C and a later NTAG I2C; 2 is NTAG I2C Plus, laid out differently.
    private static func minors(of product: Type2Product) -> [UInt8] {
        [.ntag213, .ntagI2C1K, .ntagI2C2K].contains(product) ? [0x00, 0x01] : [0x00]
    }
}

extension Type2Version: CustomStringConvertible {
    /// The eight bytes in hexadecimal.
    public var description: String { Hexadecimal.string(bytes) }
}
