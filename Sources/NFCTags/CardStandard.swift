import ISO7816

/// The byte SS of a storage card's answer to reset: which standard the card follows (PC/SC Part 3), open.
public struct CardStandard: RawRepresentable, Sendable, Hashable {
    /// SS.
    public let rawValue: UInt8

    /// Any byte is carried.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 00: no information.
    public static let unspecified = CardStandard(rawValue: 0x00)
    /// 03: ISO 14443 A, part 3.
    public static let iso14443Part3A = CardStandard(rawValue: 0x03)
    /// 04: ISO 14443 A, part 4.
    public static let iso14443Part4A = CardStandard(rawValue: 0x04)
    /// 07: ISO 14443 B, part 3.
    public static let iso14443Part3B = CardStandard(rawValue: 0x07)
    /// 0B: ISO 15693, part 3.
    public static let iso15693Part3 = CardStandard(rawValue: 0x0B)
    /// 11: FeliCa.
    public static let feliCa = CardStandard(rawValue: 0x11)

    /// The technology where no card name says more.
    var technology: TagTechnology {
        switch rawValue {
        case 0x01...0x03: .iso14443Part3(.a)
        case 0x04: .iso14443Part4(.a)
        case 0x05...0x07: .iso14443Part3(.b)
        case 0x09...0x0C: .iso15693
        case 0x0D...0x10: .contact
        case 0x11: .feliCa
        default: .unknown
        }
    }
}

extension CardStandard: CustomStringConvertible {
    /// The standard in words.
    public var description: String {
        switch rawValue {
        case 0x00: "no standard given"
        case 0x01...0x04: "ISO 14443 A part \(rawValue)"
        case 0x05...0x07: "ISO 14443 B part \(rawValue - 4)"
        case 0x09...0x0C: "ISO 15693 part \(rawValue - 8)"
        case 0x0D: "contact memory, I2C"
        case 0x0E: "contact memory, extended I2C"
        case 0x0F: "contact memory, 2WBP"
        case 0x10: "contact memory, 3WBP"
        case 0x11: "FeliCa"
        case 0x40: "low frequency below 135 kHz"
        default: "standard \(Hexadecimal.string(rawValue))"
        }
    }
}
