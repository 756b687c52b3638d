import Cryptography
import NFCSessions
import NFCTags
import NFCTypes
import SecureTags

/// The proof of a tag by a challenge: what NTAG 424 DNA and DESFire share. Each asks for the version of its key, which decides the key that
/// is tried, and reads in the session what else it has to show.
protocol ChallengeProof: Sendable {
    /// The tag.
    var candidate: Candidate { get }
    /// How long commands are sent.
    static var framing: SecureCard.Framing { get }
    /// Why a tag of another kind is not proven, although its message is one of the profile's.
    static var unfitReason: String { get }
    /// What to do if the tag hides its UID, behind the reason; may be empty.
    static var hiddenIdentifierAdvice: String { get }
    /// How the tag is authenticated.
    var authentication: ChallengeAuthentication { get }

    /// Finds the key and proves the tag; nil if the profile does not fit it.
    func prove(_ card: SecureCard) async throws(CardFailure) -> TapProof?

    /// The proof of a tag that knows the key, with what it shows in the session.
    func conclude(
        _ card: SecureCard, _ session: inout some SecureMessaging, _ entry: KeyRing.Entry
    ) async throws(CardFailure) -> TapProof
}

/// The authentications that prove a tag.
enum ChallengeAuthentication: Sendable {
    /// AuthenticateEV2First with AES.
    case ev2
    /// AuthenticateLRPFirst.
    case lrp
    /// AuthenticateAES of DESFire EV1.
    case ev1
}

extension ChallengeProof {
    var profile: TagProfile { candidate.profile }
    /// The number of the key that answers.
    var keyNumber: UInt8 { profile.number(of: .tag) ?? 0 }

    /// What the tag answers; nil if the profile does not fit it.
    func attempt(over channel: any CardChannel) async -> ProofAttempt? {
        guard candidate.tag.technology.isPart4 else { return unfit }
        do throws(CardFailure) {
            return try await prove(SecureCard(channel, Self.framing)).map { ProofAttempt($0) } ?? unfit
        } catch {
            // A card that answers otherwise is of another kind, which knows no native commands. One that is silent may be of the profile.
            guard case .lost = error else { return unfit }
            return ProofAttempt(candidate.proof(error, nil))
        }
    }

    private var unfit: ProofAttempt? {
        guard candidate.isSelected else { return nil }
        return ProofAttempt(candidate.proof(.notProven, Self.unfitReason))
    }

    /// The answer to GetKeyVersion.
    func keyVersion(_ card: SecureCard) async throws(CardFailure) -> DESFireResponse {
        try await card.send(0x64, [keyNumber])
    }

    /// Proves the tag with the version of the key that it says it has.
    func prove(_ card: SecureCard, version: UInt8) async -> TapProof {
        guard version != 0, let entry = candidate.entry(.tag, version: version) else {
            return candidate.proof(.unknownKey, "key version \(version) of the tag is not in the key store")
        }
        return await prove(card, entry)
    }

    /// Proves the tag with a version of the key, in one attempt.
    func prove(_ card: SecureCard, _ entry: KeyRing.Entry) async -> TapProof {
        guard profile.derivation == .none || candidate.seenIdentifier != nil else {
            let reason = "the tag hides its UID, from which its key follows\(Self.hiddenIdentifierAdvice)"
            return candidate.proof(.notProven, reason, .mutual, entry)
        }
        let key: TagKey
        do {
            key = try await profile.key(.tag, of: candidate.seenIdentifier ?? [], from: entry.master)
        } catch {
            return candidate.proof(.incomplete, "the key could not be derived: \(error)", .mutual, entry)
        }
        guard !key.isPublished else {
            return candidate.proof(
                .unknownKey, "key \(entry.name) is published, so that it proves nothing", .mutual, entry)
        }
        do throws(CardFailure) {
            return try await authenticate(card, key, entry)
        } catch {
            return candidate.proof(error, entry)
        }
    }

    private func authenticate(
        _ card: SecureCard, _ key: TagKey, _ entry: KeyRing.Entry
    ) async throws(CardFailure) -> TapProof {
        switch authentication {
        case .ev2:
            try await conclude(card, entry) { () throws(SecureTagError) in
                try EV2Authentication(key: key.secret, keyNumber: keyNumber)
            }
        case .lrp:
            try await conclude(card, entry) { () throws(SecureTagError) in
                try LRPAuthentication(key: key.secret, keyNumber: keyNumber)
            }
        case .ev1:
            try await conclude(card, entry) { () throws(SecureTagError) in
                try EV1Authentication(.aes, key: key.secret, keyNumber: keyNumber)
            }
        }
    }

    private func conclude<Attempt: CardAuthentication>(
        _ card: SecureCard, _ entry: KeyRing.Entry, _ make: () throws(SecureTagError) -> Attempt
    ) async throws(CardFailure) -> TapProof where Attempt.Session: SecureMessaging {
        let attempt: Attempt
        do throws(SecureTagError) { attempt = try make() } catch { throw .session(error) }
        var session = try await card.authenticate(attempt)
        return try await conclude(card, &session, entry)
    }

    /// The UID, as the tag shows it in a session (GetCardUID).
    func identifier(
        _ card: SecureCard, _ session: inout some SecureMessaging
    ) async throws(CardFailure) -> [UInt8] {
        try await card.run(SecureCommand(0x51, mode: .full, answerLength: 7), in: &session)
    }

    /// Why a UID is not that of the tag on the reader; nil if it is.
    func objection(to uid: [UInt8], _ entry: KeyRing.Entry) -> TapProof? {
        guard candidate.seenIdentifier != nil, candidate.seenIdentifier != uid else { return nil }
        return candidate.proof(.failed, "the UID of the tag is not the one that the reader saw", .mutual, entry)
    }

    /// A success.
    func proven(_ uid: [UInt8], _ entry: KeyRing.Entry, credential: [UInt8]? = nil) -> TapProof {
        TapProof(
            .proven, .mutual, profile: profile.name, key: entry.name, keyVersion: Int(entry.version),
            identifier: HexBytes(uid), credential: credential.map { HexBytes($0) }, scope: .everywhere)
    }
}

extension TagTechnology {
    /// Whether it is a card of ISO/IEC 14443-4.
    fileprivate var isPart4: Bool { if case .iso14443Part4 = self { true } else { false } }
}
