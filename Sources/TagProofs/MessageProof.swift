import Cryptography
import NFCSessions
import NFCTypes
import SecureTags
import TapJournal

/// The proof of an NTAG 424 DNA by the code in its message (SUN, NT4H2421Gx, §9.3). Nothing more is sent to the tag.
struct MessageProof: Sendable {
    let candidate: Candidate

    private var profile: TagProfile { candidate.profile }

    /// What the message proves, before its counter is compared; nil if the profile does not fit it.
    func attempt() async -> ProofAttempt? {
        guard let uri = candidate.uri else { return unfit("the tag has no URI, which would prove it") }
        // The journal compares the counter.
        let found = await profile.verify(
            uri, candidate.keys, counters: CounterBook(), observedUID: candidate.seenIdentifier)
        // A message of another form is not of the profile, unless its host says so.
        guard let found, found.status != .notProven || candidate.isSelected else { return nil }
        return ProofAttempt(found.tapProof(by: profile), claim(found))
    }

    private func unfit(_ reason: String) -> ProofAttempt? {
        candidate.isSelected ? ProofAttempt(candidate.proof(.notProven, reason)) : nil
    }

    private func claim(_ found: SUNProof) -> CounterClaim? {
        guard let uid = found.uid, let counter = found.counter, let version = found.keyVersion,
            let name = profile.keys[.file]
        else { return nil }
        return CounterClaim(line: Self.line(key: name, version: version, uid: uid), value: Int64(counter))
    }

    /// What a counter belongs to, as the journal stores it: not the UID itself, which it may have to leave out.
    static func line(key: String, version: UInt8, uid: [UInt8]) -> [UInt8] {
        let name = Array(key.utf8)
        let text = Array("nfcd counter".utf8) + [UInt8(name.count & 0xFF)] + name + [version] + uid
        return Array(SHA256.hash(text).prefix(16))
    }
}
