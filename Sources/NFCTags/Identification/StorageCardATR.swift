import ISO7816

/// The answer to reset that a reader generates for a storage card (PC/SC Part 3): standard and card name are in the
/// historical bytes after the RID of the PC/SC Workgroup.
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

    /// What kind of tag this is, as far as standard and card name show.
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

    /// Creates a value of any byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 00: no information.
    public static let unspecified = CardStandard(rawValue: 0x00)
    /// 03: ISO 14443 A, part 3.
    public static let iso14443Part3A = CardStandard(rawValue: 0x03)
    /// 11: FeliCa.
    public static let feliCa = CardStandard(rawValue: 0x11)

    /// The technology where no card name is more precise.
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
/// It identifies the technology, rarely the product: 0003 stands for Ultralight and every NTAG.
public struct CardName: RawRepresentable, Sendable, Hashable {
    /// NN NN.
    public let rawValue: UInt16

    /// Creates a value of any number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 0000: no information.
    public static let unspecified = CardName(rawValue: 0x0000)

    /// The SAK (ISO/IEC 14443-3) that ACS readers put into FFxx for cards without their own number.
    public var sak: UInt8? { rawValue >> 8 == 0xFF ? UInt8(truncatingIfNeeded: rawValue) : nil }
}

extension CardName {
    /// What a number stands for.
    private struct Facts {
        let text: String
        let technology: TagTechnology?
        let classicSize: MIFAREClassicSize?

        /// A card; `technology` only where it is more certain than the standard in front of the number.
        init(_ text: String, _ technology: TagTechnology? = nil) {
            (self.text, self.technology, classicSize) = (text, technology, nil)
        }

        /// A MIFARE Classic, or a MIFARE Plus in security level 1.
        init(_ text: String, classic size: MIFAREClassicSize) {
            (self.text, technology, classicSize) = (text, .mifareClassic, size)
        }
    }

    /// The technology, for the names that are more certain than the standard in front of them.
    var technology: TagTechnology? { Self.facts[rawValue]?.technology ?? sak.map(TagTechnology.init(sak:)) }

    /// The size of a MIFARE Classic; nil for other cards.
    var classicSize: MIFAREClassicSize? {
        Self.facts[rawValue]?.classicSize ?? sak.flatMap(MIFAREClassicSize.init(sak:))
    }

    /// The single numbers of PC/SC Part 3, and the numbers of ACS readers.
    private static let facts: [UInt16: Facts] = [
        0x0000: Facts("no name given"),
        0x0001: Facts("MIFARE Classic 1K", classic: .oneK),
        0x0002: Facts("MIFARE Classic 4K", classic: .fourK),
        0x0003: Facts("MIFARE Ultralight or NTAG", .type2),
        0x0004: Facts("SLE55R"),
        0x0006: Facts("SR176"),
        0x0007: Facts("SRI X4K"),
        0x0008: Facts("AT88RF020"),
        0x000E: Facts("SRF55V10P"),
        0x000F: Facts("SRF55V02P"),
        0x0010: Facts("SRF55V10S"),
        0x0011: Facts("SRF55V02S"),
        0x0012: Facts("Tag-it"),
        0x0013: Facts("LRI512"),
        0x0014: Facts("ICODE SLI"),
        0x0015: Facts("TempSens"),
        0x0016: Facts("I.CODE1"),
        0x0021: Facts("LRI64"),
        0x0022: Facts("I.CODE UID"),
        0x0023: Facts("I.CODE EPC"),
        0x0024: Facts("LRI12"),
        0x0025: Facts("LRI128"),
        0x0026: Facts("MIFARE Mini", classic: .mini),
        0x0027: Facts("my-d move"),
        0x0028: Facts("my-d NFC"),
        0x0029: Facts("my-d proximity 2"),
        0x002A: Facts("my-d proximity enhanced"),
        0x002B: Facts("my-d light"),
        0x002C: Facts("PJM stack tag"),
        0x002D: Facts("PJM item tag"),
        0x002E: Facts("PJM light"),
        0x002F: Facts("Jewel", .type1Topaz),
        0x0030: Facts("Topaz", .type1Topaz),
        0x0031: Facts("AT88SC0104CRF"),
        0x0032: Facts("AT88SC0404CRF"),
        0x0033: Facts("AT88RF01C"),
        0x0034: Facts("AT88RF04C"),
        0x0035: Facts("ICODE SL2"),
        0x0036: Facts("MIFARE Plus SL1 2K", classic: .twoK),
        0x0037: Facts("MIFARE Plus SL1 4K", classic: .fourK),
        0x0038: Facts("MIFARE Plus SL2 2K"),
        0x0039: Facts("MIFARE Plus SL2 4K"),
        0x003A: Facts("MIFARE Ultralight C", .type2),
        0x003B: Facts("FeliCa", .feliCa),
        0x003C: Facts("MLX90129"),
        0x003D: Facts("MIFARE Ultralight EV1", .type2),
        0xF004: Facts("Topaz or Jewel", .type1Topaz),
        0xF011: Facts("FeliCa 212 kbit/s", .feliCa),
        0xF012: Facts("FeliCa 424 kbit/s", .feliCa),
    ]
}

extension CardName: CustomStringConvertible {
    /// The card in words, for example `MIFARE Ultralight or NTAG`.
    public var description: String {
        if let sak { return "card with SAK \(Hexadecimal.string(sak))" }
        let number = Hexadecimal.string([UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)])
        return Self.facts[rawValue]?.text ?? family ?? "card \(number)"
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
