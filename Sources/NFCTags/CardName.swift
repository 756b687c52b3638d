import ISO7816

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
        let number = Hexadecimal.string([UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)])
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
