import ISO7816
import NFCReaders
public import NFCTags

/// Decides whether a tag is delivered to a session, and in which form.
struct TagDetection: Sendable {
    let contact: TagContact
    let options: PollingOptions

    /// The form in which the tag is delivered; nil where it is not.
    ///
    /// On a card of ISO/IEC 14443-4, the session's applications are selected in their order, and the first that exists stays
    /// selected. A FeliCa card is polled for the session's systems in their order.
    func delivery() async throws(TagError) -> TagDelivery? {
        switch contact.identity.technology {
        case .iso14443Part4: try await card()
        case .feliCa: polls(.iso18092) ? try await feliCa() : nil
        default: isPolledFor ? TagDelivery(contact.identity.type) : nil
        }
    }

    /// Whether the session looks for the tag's technology.
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
        guard let names = options.selectIdentifiers else { return try await unlistedCard() }
        for name in names where try await select(.select(application: name)) {
            return TagDelivery(.iso7816, initialSelectedAID: name)
        }
        return contact.identity.miFareFamily.map { _ in TagDelivery(.miFare) }
    }

    /// Without a list, every card is delivered.
    private func unlistedCard() async throws(TagError) -> TagDelivery {
        guard options.selectsByDefault else { return TagDelivery(.iso7816) }
        guard contact.identity.miFareFamily == nil else { return TagDelivery(.miFare) }
        let isSelected = try await select(.select(application: Self.ndefApplication))
        return TagDelivery(.iso7816, initialSelectedAID: isSelected ? Self.ndefApplication : nil)
    }

    /// The NDEF application of an NFC Forum Type 4 Tag, D2760000850101.
    private static let ndefApplication: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]

    /// EF.CardAccess, which a card that supports PACE has in its master file (ICAO Doc 9303-11).
    private func hasCardAccess() async throws(TagError) -> Bool {
        try await select(.select(elementaryFile: 0x011C))
    }

    private func select(_ command: CommandAPDU) async throws(TagError) -> Bool {
        do throws(CardChannelError) {
            let response = try await contact.connection.transmit(command.bytes).suffix(2)
            return response.count == 2 && StatusWord(sw1: response.first ?? 0, sw2: response.last ?? 0).isCompleted
        } catch {
            throw TagError(error.code, "no response to \(command): \(error)")
        }
    }

    // MARK: FeliCa

    private func feliCa() async throws(TagError) -> TagDelivery? {
        guard let codes = options.systemCodes else { return try await unlistedFeliCa() }
        for code in codes {
            if let delivery = try await poll(FeliCaSystemCode(rawValue: code)) { return delivery }
        }
        return nil
    }

    /// Without a list, every card is delivered.
    private func unlistedFeliCa() async throws(TagError) -> TagDelivery {
        guard options.selectsByDefault else { return TagDelivery(.feliCa) }
        if let delivery = try await poll(.ndef) { return delivery }
        // A card's answer for any system names the first of its systems.
        return try await poll(.any) ?? TagDelivery(.feliCa)
    }

    /// The card with a system; nil where it does not have it, or the reader passes no packets.
    private func poll(_ system: FeliCaSystemCode) async throws(TagError) -> TagDelivery? {
        let feliCa = FeliCa(channel: contact.profile.feliCaChannel(over: contact.connection))
        do throws(TagError) {
            let polled = try await feliCa.poll(system, request: system == .any ? .systemCode : .none)
            let code = system == .any ? polled.systemCode : system.rawValue
            return TagDelivery(.feliCa, systemCode: code, manufactureIdentifier: polled.identifier.bytes)
        } catch {
            // A card without the system is silent.
            guard error.code == .tagResponseError || error.code == .unsupportedFeature else { throw error }
            return nil
        }
    }
}

/// The form in which a tag is delivered to a session, decided when it was detected.
public struct TagDelivery: Sendable, Hashable {
    /// CoreNFC's type. A MIFARE card of ISO/IEC 14443-4 without a listed application is ``TagType/miFare``.
    public var type: TagType
    /// The first of the session's applications that the card has, or the NDEF application where it was selected by default; it is
    /// selected. Nil where none is.
    public var initialSelectedAID: [UInt8]?
    /// The first of the session's FeliCa systems that the card has, or the one that answered by default; nil where none was polled.
    public var systemCode: UInt16?
    /// The IDm of that system.
    public var manufactureIdentifier: [UInt8]?
    /// Whether the card supports PACE; nil where that was not tested.
    public var supportsPACE: Bool?

    /// A delivery; by default of a tag that was not asked for anything.
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

// What the answer to reset shows in CoreNFC's terms.

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

    /// Whether the application data of a type B card is coded in a proprietary way; nil for other tags.
    ///
    /// Bits 4 and 3 of the third byte of the protocol information, ADC, are 00 then (ISO/IEC 14443-3, §7.9.4).
    public var hasProprietaryApplicationData: Bool? {
        guard applicationData != nil else { return nil }
        return historicalBytes.dropFirst(6).first.map { $0 & 0x0C == 0 }
    }

    /// The family of a MIFARE tag; nil for other tags.
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
