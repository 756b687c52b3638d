import NFCSessions
import NFCTags
import NFCTypes
import SecureTags

/// The proof of an NTAG 424 DNA by a challenge (NT4H2421Gx, §9.1), after its message was read: its application is selected.
///
/// The version of the key decides which key is tried, and one attempt is made: a tag counts failures, and other people's tags are left
/// alone.
struct NTAG424Proof: ChallengeProof {
    static let framing = SecureCard.Framing.single
    static let unfitReason = "the tag is not an NTAG 424 DNA, and cannot prove anything"
    static let hiddenIdentifierAdvice = "; use method = \"sun\""

    let candidate: Candidate

    var authentication: ChallengeAuthentication { profile.usesLRP ? .lrp : .ev2 }

    func prove(_ card: SecureCard) async throws(CardFailure) -> TapProof? {
        guard candidate.reading.status != .notSupported else { return nil }
        let answer = try await keyVersion(card)
        guard answer.status == .operationOK, answer.data.count == 1 else { return nil }
        guard answer.data[0] != 0 else {
            return candidate.proof(.unknownKey, "the tag still has the keys of its maker")
        }
        return await prove(card, version: answer.data[0])
    }

    /// Reads the UID, and the state of the loop.
    func conclude(
        _ card: SecureCard, _ session: inout some SecureMessaging, _ entry: KeyRing.Entry
    ) async throws(CardFailure) -> TapProof {
        let uid = try await identifier(card, &session)
        if let objection = objection(to: uid, entry) { return objection }
        var proof = proven(uid, entry)
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
