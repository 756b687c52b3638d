public import NFCTags

/// As what a tag is delivered: what was settled about it as it was detected.
public struct TagDelivery: Sendable, Hashable {
    /// CoreNFC's type. A MIFARE card of ISO/IEC 14443-4 without a listed application is ``TagType/miFare``.
    public var type: TagType
    /// The first of the session's applications that the card has; it is selected. Nil where none was looked for.
    public var initialSelectedAID: [UInt8]?
    /// The FeliCa system that answered, of those that were polled for; nil where none was polled for.
    public var systemCode: UInt16?
    /// The IDm with which it answered.
    public var manufactureIdentifier: [UInt8]?
    /// Whether the card speaks PACE; nil where it was not asked.
    public var supportsPACE: Bool?

    /// All fields; what may be nil is so unless given.
    public init(
        _ type: TagType, initialSelectedAID: [UInt8]? = nil, systemCode: UInt16? = nil,
        manufactureIdentifier: [UInt8]? = nil, supportsPACE: Bool? = nil
    ) {
        self.type = type
        self.initialSelectedAID = initialSelectedAID
        self.systemCode = systemCode
        self.manufactureIdentifier = manufactureIdentifier
        self.supportsPACE = supportsPACE
    }
}

/// CoreNFC's families of MIFARE tags; the raw values are the words on the wire.
public enum MIFAREFamily: String, Sendable, Hashable, CaseIterable {
    /// None of the others.
    case unknown
    /// Ultralight and NTAG.
    case ultralight
    /// MIFARE Plus in its ISO/IEC 14443-4 form.
    case plus
    /// DESFire, and NTAG 4xx, which says the same of itself.
    case desfire
}

// What an answer to reset tells in CoreNFC's terms, without asking the tag.

extension TagIdentity {
    /// The historical bytes of a type A card's answer to select; nil for other tags.
    public var typeAHistoricalBytes: [UInt8]? {
        switch technology {
        case .iso14443Part4(.a), .iso14443Part4(.unknown): historicalBytes
        default: nil
        }
    }

    /// The application data of a type B card's ATQB, 4 bytes; nil for other tags.
    public var applicationData: [UInt8]? {
        guard technology == .iso14443Part4(.b), historicalBytes.count == 8 else { return nil }
        return Array(historicalBytes.prefix(4))
    }

    /// The family of a MIFARE tag; nil for tags that are none.
    public var miFareFamily: MIFAREFamily? {
        switch technology {
        case .type2: .ultralight
        case .mifareClassic: .unknown
        case .iso14443Part4: part4Family
        default: nil
        }
    }

    /// By the historical bytes: 80 alone is DESFire's, the MIFARE Plus types begin with C1 05 2F 2F or C1 05 21 30.
    private var part4Family: MIFAREFamily? {
        switch typeAHistoricalBytes ?? [] {
        case [0x80]: .desfire
        case let bytes where bytes.starts(with: [0xC1, 0x05, 0x2F, 0x2F]): .plus
        case let bytes where bytes.starts(with: [0xC1, 0x05, 0x21, 0x30]): .plus
        default: nil
        }
    }
}
