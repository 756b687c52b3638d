import ISO7816
import NFCReaders
public import NFCTags

/// Whether a session wants to hear of a tag, and as what.
struct TagDetection: Sendable {
    let contact: TagContact
    let options: PollingOptions

    /// As what the tag is delivered; nil where it is not.
    ///
    /// Of a card of ISO/IEC 14443-4, the session's applications are selected in their order, and the first that is there
    /// stays selected. A FeliCa card is polled for the session's systems in their order.
    func delivery() async throws(TagError) -> TagDelivery? {
        switch contact.identity.technology {
        case .iso14443Part4: try await card()
        case .feliCa: polls(.iso18092) ? try await feliCa() : nil
        default: isPolledFor ? TagDelivery(contact.identity.type) : nil
        }
    }

    /// Whether the tag's technology is one of those that are looked for.
    var isPolledFor: Bool {
        switch contact.identity.technology {
        case .feliCa: polls(.iso18092)
        case .iso15693: polls(.iso15693)
        case .iso14443Part4: polls(.iso14443) || polls(.pace)
        default: polls(.iso14443)
        }
    }

    private func polls(_ technology: PollingTechnology) -> Bool { options.technologies.contains(technology) }

    // MARK: Cards of ISO/IEC 14443-4

    private func card() async throws(TagError) -> TagDelivery? {
        if polls(.iso14443), let delivery = try await application() { return delivery }
        guard polls(.pace), try await hasCardAccess() else { return nil }
        return TagDelivery(.iso7816, supportsPACE: true)
    }

    private func application() async throws(TagError) -> TagDelivery? {
        guard let names = options.selectIdentifiers else { return TagDelivery(.iso7816) }
        for name in names where try await select(p1: 0x04, p2: 0x00, name, le: true) {
            return TagDelivery(.iso7816, initialSelectedAID: name)
        }
        return contact.identity.miFareFamily.map { _ in TagDelivery(.miFare) }
    }

    /// EF.CardAccess, which a card that speaks PACE has in its master file (ICAO Doc 9303-11).
    private func hasCardAccess() async throws(TagError) -> Bool {
        try await select(p1: 0x02, p2: 0x0C, [0x01, 0x1C], le: false)
    }

    /// SELECT (ISO/IEC 7816-4): success is 9000, 61XX, and the warnings 62XX and 63XX.
    private func select(p1: UInt8, p2: UInt8, _ name: [UInt8], le: Bool) async throws(TagError) -> Bool {
        let command = [0x00, 0xA4, p1, p2, UInt8(truncatingIfNeeded: name.count)] + name + (le ? [0x00] : [])
        let answer: [UInt8]
        do throws(CardChannelError) {
            answer = try await contact.connection.transmit(command)
        } catch {
            throw TagError(error.code, "no answer to \(Hexadecimal.string(command)): \(error)")
        }
        switch answer.suffix(2).first {
        case 0x61?, 0x62?, 0x63?: return true
        default: return answer.suffix(2) == [0x90, 0x00]
        }
    }

    // MARK: FeliCa

    private func feliCa() async throws(TagError) -> TagDelivery? {
        guard let codes = options.systemCodes else { return TagDelivery(.feliCa) }
        for code in codes {
            if let identifier = try await poll(code) {
                return TagDelivery(.feliCa, systemCode: code, manufactureIdentifier: identifier)
            }
        }
        return nil
    }

    /// The IDm of a system (JIS X 6319-4, Polling); nil where the card does not have it, or the reader lets no packet pass.
    private func poll(_ code: UInt16) async throws(TagError) -> [UInt8]? {
        let packet: [UInt8] = [0x06, 0x00, UInt8(code >> 8), UInt8(code & 0xFF), 0x00, 0x00]
        let answer: [UInt8]
        do throws(TagError) {
            answer = try await contact.profile.feliCaChannel(over: contact.connection).transceive(packet)
        } catch {
            // A card without the system keeps silent.
            guard error.code == .tagResponseError || error.code == .unsupportedFeature else { throw error }
            return nil
        }
        guard answer.count >= 18, answer[1] == 0x01 else { return nil }
        return Array(answer[2..<10])
    }
}

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
