import ISO7816

/// PMm, the manufacture parameter (JIS X 6319-4): 2 bytes of IC code, then response times.
public struct FeliCaManufactureParameter: Sendable, Hashable {
    /// The 8 bytes.
    public let bytes: [UInt8]

    /// Takes 8 bytes; `nil` for any other number.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        self.bytes = bytes
    }

    /// The second byte, which tells the IC type.
    public var icType: UInt8 { bytes.dropFirst().first ?? 0 }

    /// The products of the Lite family, `nil` for all others.
    public var liteProduct: FeliCaLiteProduct? { FeliCaLiteProduct(rawValue: icType) }
    /// The maker's name for the chip, `nil` where it is not known.
    public var productName: String? { liteProduct.map { "\($0)" } ?? (icType == 0xF2 ? "FeliCa Link" : nil) }
}

/// FeliCa products whose memory configuration is known, by the IC type of their PMm.
public enum FeliCaLiteProduct: UInt8, Sendable, Hashable, CaseIterable {
    /// F0: FeliCa Lite.
    case lite = 0xF0
    /// F1: FeliCa Lite-S.
    case liteS = 0xF1
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
