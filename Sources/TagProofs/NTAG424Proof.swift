import NFCSessions
import NFCTags
import NFCTypes
import SecureTags

/// The proof of an NTAG 424 DNA by a challenge (NT4H2421Gx, §9.1), after its message was read: its application is selected.
///
/// The version of the key decides which key is tried, and one attempt is made: a tag counts failures, and other people's tags are left
/// alone.
struct NTAG424Proof: Sendable {
    let candidate: Candidate

    private var profile: TagProfile { candidate.profile }
    private static let role = TagProfile.Role.tag

    /// What the tag answers; nil if the profile does not fit it.
    func attempt(over channel: any CardChannel) async -> ProofAttempt? {
        guard candidate.tag.technology.isPart4, candidate.reading.status != .notSupported else { return unfit }
        let card = SecureCard(channel, .single)
        do throws(CardFailure) {
            guard let version = try await keyVersion(card) else { return unfit }
            guard version != 0 else {
                return ProofAttempt(candidate.proof(.unknownKey, "the tag still has the keys of its maker"))
            }
            guard let entry = candidate.entry(Self.role, version: version) else {
                return ProofAttempt(
                    candidate.proof(.unknownKey, "key version \(version) of the tag is not in the key store"))
            }
            return ProofAttempt(await prove(card, entry))
        } catch {
            // A card of another kind, which knows no native commands.
            guard case .lost(let failure) = error, failure.code == .tagConnectionLost else { return unfit }
            return ProofAttempt(candidate.proof(error, nil))
        }
    }

    /// A tag of another kind: the profile does not fit it, unless its message says so.
    private var unfit: ProofAttempt? {
        guard candidate.isSelected else { return nil }
        return ProofAttempt(candidate.proof(.notProven, "the tag is not an NTAG 424 DNA, and cannot prove anything"))
    }

    private func keyVersion(_ card: SecureCard) async throws(CardFailure) -> UInt8? {
        let answer = try await card.send(0x64, [profile.number(of: Self.role) ?? 0])
        guard answer.status == .operationOK, answer.data.count == 1 else { return nil }
        return answer.data[0]
    }

    private func prove(_ card: SecureCard, _ entry: KeyRing.Entry) async -> TapProof {
        guard profile.derivation == .none || candidate.seenIdentifier != nil else {
            return candidate.proof(
                .notProven, "the tag hides its UID, from which its key follows; use method = \"sun\"", .mutual, entry)
        }
        let key: TagKey
        do {
            key = try profile.key(Self.role, of: candidate.seenIdentifier ?? [], from: entry.master)
        } catch {
            return candidate.proof(.incomplete, "the key could not be derived: \(error)", .mutual, entry)
        }
        guard !key.isPublished else {
            return candidate.proof(
                .unknownKey, "key \(entry.name) is published, so that it proves nothing", .mutual, entry)
        }
        do throws(CardFailure) {
            return profile.usesLRP ? try await lrp(card, key, entry) : try await ev2(card, key, entry)
        } catch {
            return candidate.proof(error, entry)
        }
    }

    private func ev2(_ card: SecureCard, _ key: TagKey, _ entry: KeyRing.Entry) async throws(CardFailure) -> TapProof {
        var session = try await card.authenticate(
            try attempt { () throws(SecureTagError) in
                try EV2Authentication(key: key.secret, keyNumber: profile.number(of: Self.role) ?? 0)
            })
        return try await conclude(card, &session, entry)
    }

    private func lrp(_ card: SecureCard, _ key: TagKey, _ entry: KeyRing.Entry) async throws(CardFailure) -> TapProof {
        var session = try await card.authenticate(
            try attempt { () throws(SecureTagError) in
                try LRPAuthentication(key: key.secret, keyNumber: profile.number(of: Self.role) ?? 0)
            })
        return try await conclude(card, &session, entry)
    }

    private func attempt<Attempt>(
        _ make: () throws(SecureTagError) -> Attempt
    ) throws(CardFailure) -> Attempt {
        do throws(SecureTagError) { return try make() } catch { throw .session(error) }
    }

    /// The tag knows the key: reads its UID, and the state of its loop, in the session.
    private func conclude(
        _ card: SecureCard, _ session: inout some SecureMessaging, _ entry: KeyRing.Entry
    ) async throws(CardFailure) -> TapProof {
        let uid = try await card.run(SecureCommand(0x51, mode: .full, answerLength: 7), in: &session)
        guard candidate.seenIdentifier == nil || candidate.seenIdentifier == uid else {
            return candidate.proof(.failed, "the UID of the tag is not the one that the reader saw", .mutual, entry)
        }
        var proof = TapProof(
            .proven, .mutual, profile: profile.name, key: entry.name, keyVersion: Int(entry.version),
            identifier: HexBytes(uid), scope: .everywhere)
        guard profile.expectsTamper else { return proof }
        proof.judge(tamper: try await card.run(SecureCommand(0xF7, mode: .full, answerLength: 2), in: &session))
        return proof
    }
}

extension TapProof {
    /// Judges the state of a tamper loop, two characters of ASCII: only one that was never opened is intact.
    mutating func judge(tamper bytes: [UInt8]) {
        guard bytes.count == 2 else { return }
        let words = bytes.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "?" }
        tamper = Tamper(permanent: words[0], current: words[1])
        guard words != ["C", "C"] else { return }
        status = .tamperOpen
        scope = nil
        reason =
            words == ["I", "I"]
            ? "the tamper loop is not enabled, though the profile expects it" : "the tamper loop is or was open"
    }
}

extension TagTechnology {
    /// Whether it is a card of ISO/IEC 14443-4.
    var isPart4: Bool { if case .iso14443Part4 = self { true } else { false } }
}
