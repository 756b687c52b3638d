import NFCTags
import SecureTags

/// What a DESFire shows without a key.
struct DESFireState: Sendable {
    /// The level of the card.
    struct Card: Sendable, Hashable {
        /// The cipher of its master key.
        enum Cipher: UInt8, Sendable {
            case des = 0x00
            case tripleDES = 0x40
            case aes = 0x80
        }

        var cipher: Cipher
        var version: UInt8
        /// Whether applications are created and, with their own key, deleted without the card master key.
        var isOpen: Bool
    }

    /// The application of the profile.
    struct Application: Sendable, Hashable {
        /// KeySettings1 and 2.
        var settings: [UInt8]
        /// The versions of its first three keys.
        var versions: [UInt8]
    }

    /// 7 bytes.
    var uid: [UInt8] = []
    var originality = SetUpOutcome.Originality.missing
    /// Nil if the card hides it.
    var card: Card?
    /// Whether there are applications of others; also if the card does not list them.
    var hasOthers = true
    /// Bytes; nil if the card does not show them.
    var freeMemory: Int?
    /// Nil if it does not exist.
    var application: Application?
    /// The settings of the file; nil if it does not exist.
    var file: FileSettings?

    /// Asks a card. Nothing on it is changed, and no key is tried.
    ///
    /// - Throws: ``SetUpError`` for a tag of another product, ``CardFailure``.
    static func probe(
        _ card: inout DESFireCard, _ layout: DESFireLayout, makers: [UIDSignature.PublicKey]
    ) async throws -> DESFireState {
        var state = DESFireState()
        try await state.readProduct(&card, layout)
        if !makers.isEmpty { try await state.readSignature(card, makers) }
        try await state.readCard(card, layout)
        try await state.readApplication(&card, layout)
        return state
    }

    private mutating func readProduct(_ card: inout DESFireCard, _ layout: DESFireLayout) async throws {
        let version: DESFireVersion?
        do throws(CardFailure) {
            guard try await card.select(DESFireCard.level) == .operationOK else {
                throw .wrong("it refuses to select the level of the card, 000000")
            }
            version = DESFireVersion(try await card.ask(0x60) ?? [])
        } catch {
            if case .lost = error { throw error }
            throw SetUpError(.wrongTag, "the tag is not a DESFire: \(error)")
        }
        switch version?.product {
        case .desfireEV2, .desfireEV3: break
        case .desfireEV1 where layout.method == .ev1: break
        case .desfireEV1:
            throw SetUpError(.wrongTag, "the card is a DESFire EV1, which does not know the messages of EV2")
        case .desfire: throw SetUpError(.wrongTag, "the card is the first DESFire, which has no AES")
        default: throw SetUpError(.wrongTag, "the tag is not a DESFire EV1, EV2 or EV3")
        }
        uid = version?.identifier ?? []
        guard uid.contains(where: { $0 != 0 }) else {
            throw SetUpError(.unsuitable, "the card hides its UID permanently, from which its keys would follow")
        }
    }

    private mutating func readSignature(
        _ card: DESFireCard, _ makers: [UIDSignature.PublicKey]
    ) async throws(CardFailure) {
        let answer = try await card.send(0x3C, [0x00])
        guard answer.status.rawValue == 0x90 else { return }
        let signer = UIDSignature.signer(of: uid, signature: answer.data, among: makers)
        originality = signer.map { .genuine(products: $0.products) } ?? .wrong
    }

    private mutating func readCard(_ card: DESFireCard, _ layout: DESFireLayout) async throws(CardFailure) {
        if let settings = try await Self.settings(card), let version = try await card.keyVersion(0),
            let cipher = Card.Cipher(rawValue: settings[1] & 0xC0)
        {
            self.card = Card(cipher: cipher, version: version, isOpen: settings[0] & 0x04 != 0)
        }
        if let list = try await card.ask(0x6A) {
            guard list.count.isMultiple(of: 3) else {
                throw .wrong("the list of applications is not of 3 bytes each")
            }
            hasOthers = stride(from: 0, to: list.count, by: 3).contains {
                Array(list[$0..<$0 + 3]) != layout.application
            }
        }
        freeMemory = try await card.ask(0x6E)?.littleEndianNumber
    }

    /// KeySettings1 and 2 of the selected level; nil if the card hides them.
    private static func settings(_ card: DESFireCard) async throws(CardFailure) -> [UInt8]? {
        guard let settings = try await card.ask(0x45) else { return nil }
        guard settings.count >= 2 else {
            throw .wrong("the key settings are not of two bytes")
        }
        return settings
    }

    private mutating func readApplication(_ card: inout DESFireCard, _ layout: DESFireLayout) async throws {
        let status = try await card.select(layout.application)
        guard status != .applicationNotFound else { return }
        guard status == .operationOK else { throw CardFailure.refused(status, by: .command(0x5A)) }
        guard let settings = try await Self.settings(card), settings[1] & 0xC0 == 0x80,
            settings[1] & 0x0F >= DESFireLayout.keyCount
        else { throw Self.foreign }
        var versions: [UInt8] = []
        for number in 0..<DESFireLayout.keyCount {
            guard let version = try await card.keyVersion(number) else { throw Self.foreign }
            versions.append(version)
        }
        application = Application(settings: Array(settings.prefix(2)), versions: versions)
        let file = try await card.send(0xF5, [layout.fileNumber])
        switch file.status {
        case .operationOK: self.file = try? FileSettings(parsing: file.data)
        case DESFireStatus(rawValue: 0xF0): break
        default: throw CardFailure.refused(file.status, by: .command(0xF5))
        }
        guard file.status != .operationOK || self.file != nil else { throw Self.foreign }
    }

    private static let foreign = SetUpError(
        .foreign, "the application of the profile exists, and is of someone else: its keys are others, or hidden")
}
