import NDEF
package import NFCSessions
package import NFCTags
import NFCTypes
package import SecureTags

/// Proves tags by the profiles of a configuration: the first that fits a tag decides.
package struct ProfileProver: TagProver {
    private let profiles: [TagProfile]
    private let keys: KeyRing

    /// A prover with the profiles in their order, and the keys that they name.
    package init(profiles: [TagProfile], keys: KeyRing) {
        self.profiles = profiles
        self.keys = keys
    }

    /// Proves a tag over the connection on which its message was read.
    package func prove(
        _ tag: TagIdentity, _ reading: NDEFReading, over channel: any CardChannel, on reader: ReaderProfile
    ) async -> ProofAttempt? {
        // A tag that has left is not asked, and its message is incomplete.
        guard reading.failure?.code != .tagConnectionLost else { return nil }
        for profile in profiles {
            let candidate = Candidate(profile: profile, keys: keys, tag: tag, reading: reading)
            if let attempt = await candidate.attempt(over: channel, on: reader) { return attempt }
        }
        return nil
    }
}

/// A tag that a profile may fit.
struct Candidate: Sendable {
    let profile: TagProfile
    let keys: KeyRing
    let tag: TagIdentity
    let reading: NDEFReading

    /// What the tag answers; nil if the profile does not fit it.
    func attempt(over channel: any CardChannel, on reader: ReaderProfile) async -> ProofAttempt? {
        guard fitsMessage else { return nil }
        switch (profile.product, profile.method) {
        case (.ntag424, .sun): return await MessageProof(candidate: self).attempt()
        case (.ntag424, .mutual): return await NTAG424Proof(candidate: self).attempt(over: channel)
        case (.desfire, _): return await DESFireProof(candidate: self).attempt(over: channel)
        case (.ultralightAES, _), (.ultralightC, _):
            return await UltralightProof(candidate: self, reader: reader).attempt(over: channel)
        }
    }

    /// Whether the message is one of the profile's, by its host.
    private var fitsMessage: Bool {
        guard let host = profile.uriHost else { return true }
        return uri?.uriHost?.lowercased() == host.lowercased()
    }

    /// Whether the message alone shows that the tag should be one of the profile's: then a tag that cannot prove anything is a copy.
    var isSelected: Bool { profile.uriHost != nil }

    /// The first URI of the message, as text.
    var uri: String? {
        reading.messages.lazy.flatMap(\.records).compactMap(\.decoded.uri).first
    }

    /// The UID that the reader saw; nil if it is a random one, or is not known.
    var seenIdentifier: [UInt8]? { tag.identifier.count == 7 ? tag.identifier : nil }

    /// A result without a success.
    func proof(
        _ status: TapProof.Status, _ reason: String, _ method: TapProof.Method? = nil, _ key: KeyRing.Entry? = nil
    ) -> TapProof {
        TapProof(
            status, method, profile: profile.name, key: key?.name, keyVersion: key.map { Int($0.version) },
            reason: reason)
    }

    /// The version of a key that the tag says it has; nil if the key ring does not have it.
    func entry(_ role: TagProfile.Role, version: UInt8) -> KeyRing.Entry? {
        profile.keys[role].flatMap { keys.entry($0, version: version) }
    }

    /// What a failure of the card means for its proof.
    func proof(_ failure: CardFailure, _ key: KeyRing.Entry?) -> TapProof {
        let reason = "\(failure)"
        return switch failure {
        case .lost: proof(.incomplete, reason, .mutual, key)
        case .refused(.authenticationDelay, _): proof(.delayed, reason, .mutual, key)
        case .refused(.permissionDenied, .challenge):
            proof(
                .delayed, "\(reason): the key is locked after too many failures, or the tag is in another mode",
                .mutual, key)
        case .refused(.noSuchKey, .challenge): proof(.unknownKey, reason, .mutual, key)
        case .wrong, .refused, .session: proof(.failed, reason, .mutual, key)
        }
    }
}
