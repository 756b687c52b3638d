/// How a tag talks and is laid out: what a driver is chosen by.
public enum TagTechnology: Sendable, Hashable {
    /// Type A or type B of ISO/IEC 14443.
    public enum ISO14443Type: Sendable, Hashable {
        /// Type A.
        case a
        /// Type B.
        case b
        /// The answer to reset does not show it.
        case unknown
    }

    /// ISO/IEC 14443-3 type A with the memory layout of an NFC Forum Type 2 Tag: Ultralight, NTAG.
    case type2
    /// MIFARE Classic and Mini, and MIFARE Plus in security level 1.
    case mifareClassic
    /// ISO/IEC 14443-3 storage cards of any other layout.
    case iso14443Part3(ISO14443Type)
    /// ISO/IEC 14443-4 cards, which take ISO/IEC 7816-4 commands.
    case iso14443Part4(ISO14443Type)
    /// FeliCa (JIS X 6319-4), NFC Forum Type 3 Tags.
    case feliCa
    /// ISO/IEC 15693, NFC Forum Type 5 Tags.
    case iso15693
    /// Topaz and Jewel, NFC Forum Type 1 Tags.
    case type1Topaz
    /// A card with contacts.
    case contact
    /// Nothing known.
    case unknown

    /// The CoreNFC tag type under which the tag is delivered.
    public var tagType: TagType {
        switch self {
        case .type2, .mifareClassic: .miFare
        case .iso14443Part4: .iso7816
        case .feliCa: .feliCa
        case .iso15693: .iso15693
        case .iso14443Part3, .type1Topaz, .contact, .unknown: .unknown
        }
    }
}

extension TagTechnology: CustomStringConvertible {
    /// The technology in words.
    public var description: String {
        switch self {
        case .type2: "NFC Forum Type 2"
        case .mifareClassic: "MIFARE Classic"
        case .iso14443Part3(let type): "ISO 14443-3\(type.suffix)"
        case .iso14443Part4(let type): "ISO 14443-4\(type.suffix)"
        case .feliCa: "FeliCa"
        case .iso15693: "ISO 15693"
        case .type1Topaz: "NFC Forum Type 1 (Topaz)"
        case .contact: "card with contacts"
        case .unknown: "unknown technology"
        }
    }
}

extension TagTechnology.ISO14443Type {
    fileprivate var suffix: String {
        switch self {
        case .a: " type A"
        case .b: " type B"
        case .unknown: ""
        }
    }
}

extension TagTechnology {
    /// The technology according to an answer to reset (PC/SC Part 3): its parts are parsed, never the whole string compared.
    public init(_ answer: AnswerToReset) {
        if let card = StorageCardATR(historicalBytes: answer.historicalBytes) {
            self = card.technology
        } else if answer.isContactlessPart4 {
            self = .iso14443Part4(.unknown)
        } else {
            self = .contact
        }
    }

    /// Settles type A or B of ISO/IEC 14443-4 by the identifier and the historical bytes.
    ///
    /// Type B always has a 4-byte PUPI, and 8 bytes of ATQB content where type A has its ATS historical bytes.
    func refined(identifier: [UInt8], historicalBytes: [UInt8]) -> TagTechnology {
        guard self == .iso14443Part4(.unknown) else { return self }
        switch identifier.count {
        case 7, 10: return .iso14443Part4(.a)
        case 4: return .iso14443Part4(Self.looksLikeATQB(historicalBytes) ? .b : .a)
        default: return self
        }
    }

    /// Application data 4, protocol info 3, MBLI 1 byte: a frame size that is defined, the bit for ISO/IEC 14443-4
    /// compliance set and the reserved ones clear, and no CID in the MBLI byte.
    private static func looksLikeATQB(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 8 else { return false }
        return bytes[5] >> 4 <= 8 && bytes[5] & 0x09 == 0x01 && bytes[7] & 0x0F == 0
    }
}

extension AnswerToReset {
    /// The form `3B 8n 80 01` that readers generate for ISO/IEC 14443-4 cards (PC/SC Part 3).
    var isContactlessPart4: Bool {
        bytes.first == 0x3B && interfaceBytes == [InterfaceBytes(td: 0x80), InterfaceBytes(td: 0x01)]
    }
}

extension TagTechnology {
    /// The technology according to a SAK (ISO/IEC 14443-3 for bit 6; the product values are NXP's and Infineon's).
    init(sak: UInt8) {
        switch sak {
        case 0x00: self = .type2
        case 0x08, 0x09, 0x18, 0x88: self = .mifareClassic
        case _ where sak & 0x20 != 0: self = .iso14443Part4(.a)
        default: self = .iso14443Part3(.a)
        }
    }
}
