import ISO7816

/// The answer to reset a reader makes up for a storage card (PC/SC Part 3): standard and card name stand in the
/// historical bytes behind the RID of the PC/SC Workgroup.
public struct StorageCardATR: Sendable, Hashable {
    /// SS: the standard the card follows.
    public let standard: CardStandard
    /// NN NN: the card name.
    public let cardName: CardName

    /// Recognises `80 4F 0C`, RID `A0 00 00 03 06`, SS, NN NN; `nil` for other historical bytes.
    ///
    /// The four reserved bytes behind NN may be anything, or missing.
    public init?(historicalBytes: [UInt8]) {
        guard historicalBytes.starts(with: [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]) else { return nil }
        let fields = Array(historicalBytes.dropFirst(8).prefix(3))
        guard fields.count == 3 else { return nil }
        standard = CardStandard(rawValue: fields[0])
        cardName = CardName(rawValue: UInt16(fields[1]) << 8 | UInt16(fields[2]))
    }

    /// What kind of tag this is, as far as standard and card name tell.
    public var technology: TagTechnology {
        if let named = cardName.technology { return named }
        // Readers that name no card do so for type 2 tags; those of other layouts have a number.
        if standard == .iso14443Part3A && cardName == .unspecified { return .type2 }
        return standard.technology
    }
}

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

/// The number NN of a storage card's answer to reset (PC/SC Part 3, with the values that ACS readers add), open.
///
/// It tells the technology, hardly the product: 0003 stands for Ultralight and every NTAG.
public struct CardName: RawRepresentable, Sendable, Hashable {
    /// NN NN.
    public let rawValue: UInt16

    /// Any number is carried.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 0000: no information.
    public static let unspecified = CardName(rawValue: 0x0000)
    /// 0001: MIFARE Classic 1K.
    public static let mifareClassic1K = CardName(rawValue: 0x0001)
    /// 0002: MIFARE Classic 4K.
    public static let mifareClassic4K = CardName(rawValue: 0x0002)
    /// 0003: MIFARE Ultralight and every NTAG.
    public static let mifareUltralight = CardName(rawValue: 0x0003)
    /// 0014: ICODE SLI, SLIX and SLIX2.
    public static let icodeSLI = CardName(rawValue: 0x0014)
    /// 0026: MIFARE Mini.
    public static let mifareMini = CardName(rawValue: 0x0026)
    /// 002F: Jewel.
    public static let jewel = CardName(rawValue: 0x002F)
    /// 0030: Topaz.
    public static let topaz = CardName(rawValue: 0x0030)
    /// 003A: MIFARE Ultralight C.
    public static let mifareUltralightC = CardName(rawValue: 0x003A)
    /// 003B: FeliCa.
    public static let feliCa = CardName(rawValue: 0x003B)
    /// 003D: MIFARE Ultralight EV1.
    public static let mifareUltralightEV1 = CardName(rawValue: 0x003D)
    /// F004: Topaz or Jewel, ACS readers.
    public static let acsTopaz = CardName(rawValue: 0xF004)
    /// F011: FeliCa at 212 kbit/s, ACS readers.
    public static let acsFeliCa212 = CardName(rawValue: 0xF011)
    /// F012: FeliCa at 424 kbit/s, ACS readers.
    public static let acsFeliCa424 = CardName(rawValue: 0xF012)

    /// The SAK (ISO/IEC 14443-3) that ACS readers put into FFxx for cards without a number of their own.
    public var sak: UInt8? { rawValue >> 8 == 0xFF ? UInt8(truncatingIfNeeded: rawValue) : nil }
}

extension CardName: CustomStringConvertible {
    /// The card in words, for example `MIFARE Ultralight or NTAG`.
    public var description: String {
        if let sak { return "card with SAK \(Hexadecimal.string(sak))" }
        let number = Hexadecimal.string(rawValue)
        return CardName.names[rawValue] ?? family ?? "card \(number)"
    }

    /// Ranges of numbers that one product family shares.
    private var family: String? {
        switch rawValue {
        case 0x0009...0x000D: "AT88SC CryptoRF"
        case 0x0017...0x0020: "PicoPass"
        default: nil
        }
    }
}

extension CardName {
    /// The single numbers of PC/SC Part 3, and the numbers of ACS readers.
    static let names: [UInt16: String] = [
        0x0000: "no name given",
        0x0001: "MIFARE Classic 1K",
        0x0002: "MIFARE Classic 4K",
        0x0003: "MIFARE Ultralight or NTAG",
        0x0004: "SLE55R",
        0x0006: "SR176",
        0x0007: "SRI X4K",
        0x0008: "AT88RF020",
        0x000E: "SRF55V10P",
        0x000F: "SRF55V02P",
        0x0010: "SRF55V10S",
        0x0011: "SRF55V02S",
        0x0012: "Tag-it",
        0x0013: "LRI512",
        0x0014: "ICODE SLI",
        0x0015: "TempSens",
        0x0016: "I.CODE1",
        0x0021: "LRI64",
        0x0022: "I.CODE UID",
        0x0023: "I.CODE EPC",
        0x0024: "LRI12",
        0x0025: "LRI128",
        0x0026: "MIFARE Mini",
        0x0027: "my-d move",
        0x0028: "my-d NFC",
        0x0029: "my-d proximity 2",
        0x002A: "my-d proximity enhanced",
        0x002B: "my-d light",
        0x002C: "PJM stack tag",
        0x002D: "PJM item tag",
        0x002E: "PJM light",
        0x002F: "Jewel",
        0x0030: "Topaz",
        0x0031: "AT88SC0104CRF",
        0x0032: "AT88SC0404CRF",
        0x0033: "AT88RF01C",
        0x0034: "AT88RF04C",
        0x0035: "ICODE SL2",
        0x0036: "MIFARE Plus SL1 2K",
        0x0037: "MIFARE Plus SL1 4K",
        0x0038: "MIFARE Plus SL2 2K",
        0x0039: "MIFARE Plus SL2 4K",
        0x003A: "MIFARE Ultralight C",
        0x003B: "FeliCa",
        0x003C: "MLX90129",
        0x003D: "MIFARE Ultralight EV1",
        0xF004: "Topaz or Jewel",
        0xF011: "FeliCa 212 kbit/s",
        0xF012: "FeliCa 424 kbit/s",
    ]
}
