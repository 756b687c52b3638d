package import NFCTags
package import NFCTypes
package import TapJournal

/// Asks tags to prove what they are, by the profiles of the configuration, before any client is notified of the tap.
package protocol TagProver: Sendable {
    /// Proves a tag over the connection on which its message was read.
    ///
    /// - Parameter reader: the family of the reader, which decides how frames of a Type 2 tag are sent.
    /// - Returns: nil if no profile fits the tag. A failure, also of the connection, is part of the result.
    func prove(
        _ tag: TagIdentity, _ reading: NDEFReading, over channel: any CardChannel, on reader: ReaderProfile
    ) async -> ProofAttempt?
}

/// What a tag has answered, before its counter is compared with those that were seen.
package struct ProofAttempt: Sendable, Hashable {
    /// The proof, if its counter is new.
    package var proof: TapProof
    /// Its counter; nil if it does not depend on one.
    package var claim: CounterClaim?

    /// An attempt.
    package init(_ proof: TapProof, _ claim: CounterClaim? = nil) {
        self.proof = proof
        self.claim = claim
    }

    /// The proof if its counter cannot be stored, so that a copy of the message would look new.
    func uncounted(_ reason: String) -> TapProof {
        guard claim != nil, proof.isCounted else { return proof }
        var proof = proof
        (proof.status, proof.scope, proof.reason) = (.incomplete, nil, reason)
        return proof
    }
}
