/// How a tag talks and is laid out: what a driver is chosen by.
public enum TagTechnology: Sendable, Hashable {
    /// Type A or type B of ISO/IEC 14443.
    public enum ISO14443Type: Sendable, Hashable {
        /// Type A.
        case a
        /// Type B.
        case b
        /// The answer to reset does not tell.
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

    /// Under which of CoreNFC's tag types the tag is delivered.
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

/// CoreNFC's tag types; the raw values are the words on the wire.
public enum TagType: String, Sendable, Hashable, CaseIterable {
    /// `NFCTag.iso7816`.
    case iso7816
    /// `NFCTag.miFare`.
    case miFare
    /// `NFCTag.feliCa`.
    case feliCa
    /// `NFCTag.iso15693`.
    case iso15693
    /// A tag CoreNFC has no type for.
    case unknown
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
