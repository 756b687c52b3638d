import NFCTags
import SecureTags

/// DESFire cards of a profile.
struct DESFireSetUp: SetUpProduct {
    let keys: SetUpKeys
    let layout: DESFireLayout

    /// - Throws: ``SetUpError`` if profile, keys or options do not allow to set up cards.
    init(_ profile: TagProfile, _ ring: KeyRing, _ options: SetUpOptions) throws(SetUpError) {
        layout = try DESFireLayout(profile)
        keys = try SetUpKeys(
            profile, ring, count: DESFireLayout.keyCount + 1, cardKey: UInt8(DESFireLayout.cardKey))
        guard options.irreversible.isEmpty else {
            throw SetUpError(.unsuitable, "nfcd makes no permanent settings on a DESFire, whose proof needs the UID")
        }
        guard options.credential?.count ?? 0 <= CredentialFile.longestCredential else {
            throw SetUpError(.unsuitable, "a credential has at most \(CredentialFile.longestCredential) bytes")
        }
    }

    func probe(_ channel: any CardChannel, _ options: SetUpOptions) async throws -> DESFirePlan {
        var card = DESFireCard(channel)
        let state = try await DESFireState.probe(&card, layout, makers: options.makers)
        return DESFirePlan(keys: keys, layout: layout, options: options, state: state, card: card)
    }
}
