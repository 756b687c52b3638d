import NFCTags
import SecureTags

/// What an NTAG 424 DNA shows without a key.
struct NTAG424State: Sendable {
    /// 7 bytes; nil if the tag hides it.
    var uid: [UInt8]?
    /// The versions of keys 0 to 4.
    var versions: [UInt8] = []
    /// The settings of files 1 to 3, as ChangeFileSettings takes them; empty if they could not be read.
    var settings: [UInt8: [UInt8]] = [:]
    /// The capability container.
    var container: [UInt8] = []
    /// The message file up to the length of the profile's; nil if reading it would count as a tap.
    var message: [UInt8]?
    var originality = SetUpOutcome.Originality.missing
    /// Whether it can measure a tamper loop.
    var hasTamperLoop = false

    /// Asks a tag. Nothing on it is changed or counted.
    ///
    /// - Throws: ``SetUpError`` for a tag of another product, ``CardFailure``.
    static func probe(
        _ card: inout NTAG424Card, messageLength: Int, makers: [UIDSignature.PublicKey]
    ) async throws -> NTAG424State {
        var state = NTAG424State()
        try await state.readProduct(&card)
        for number in 0..<NTAG424SetUp.keyCount { state.versions.append(try await card.keyVersion(number)) }
        for file: UInt8 in 1...3 {
            let answer = try await card.settings(of: file)
            state.settings[file] = (try? FileSettings(parsing: answer))?.changeData ?? []
        }
        state.container = try await card.read(1, count: 32)
        if state.settings[2] == NTAG424Layout.deliveredMessageFile {
            state.message = try await card.read(2, count: max(2, messageLength))
        }
        guard !makers.isEmpty else { return state }
        let signature = try await card.signature()
        if let uid = state.uid, !signature.isEmpty {
            let signer = UIDSignature.signer(of: uid, signature: signature, among: makers)
            state.originality = signer.map { .genuine(products: $0.products) } ?? .wrong
        }
        return state
    }

    private mutating func readProduct(_ card: inout NTAG424Card) async throws {
        let version: DESFireVersion?
        do throws(CardFailure) {
            try await card.select()
            version = DESFireVersion(try await card.version())
        } catch {
            if case .lost = error { throw error }
            throw SetUpError(.wrongTag, "the tag is not an NTAG 424 DNA: \(error)")
        }
        guard let version, version.hardware.vendor == 0x04, version.hardware.type == 0x04,
            version.hardware.major == 0x30, [0x02, 0x08].contains(version.hardware.subtype & 0x0F)
        else { throw SetUpError(.wrongTag, "the tag is not an NTAG 424 DNA") }
        hasTamperLoop = version.hardware.subtype & 0x0F == 0x08
        uid = version.identifier.allSatisfy { $0 == 0 } ? nil : version.identifier
    }
}

extension NTAG424State {
    /// Refuses a tag of someone else.
    ///
    /// - Throws: ``SetUpError``.
    func check(_ keys: SetUpKeys, _ layout: NTAG424Layout) throws(SetUpError) {
        for (number, version) in versions.enumerated() where !keys.knows(UInt8(number), version: version) {
            throw SetUpError(
                .foreign, "key \(number) has version \(version), which is not in the key store: the tag is not ours")
        }
        guard versions.contains(where: { $0 != 0 }) || hasKnownMessageFile(layout) else {
            throw SetUpError(.foreign, "the tag has settings that are not as delivered: it is of someone else")
        }
    }

    /// Whether the rights of the message are as delivered, or of the profile.
    func hasKnownMessageFile(_ layout: NTAG424Layout) -> Bool {
        [NTAG424Layout.deliveredMessageFile, layout.messageFile].contains(settings[2])
    }
}
