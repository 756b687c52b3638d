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
    func attempt() -> ProofAttempt? {
        guard let text = profile.url, let template = try? SUNTemplate(text, isLRP: profile.usesLRP) else { return nil }
        guard let uri = candidate.uri else { return unfit("the tag has no URI, which would prove it") }
        let found = template.verify(
            uri, profile: profile.name, keys: source, counters: CounterBook(), observedUID: candidate.seenIdentifier)
        // A message of another form is not of the profile, unless its host says so.
        guard found.status != .notProven || candidate.isSelected else { return nil }
        return ProofAttempt(proof(found), claim(found))
    }

    private func unfit(_ reason: String) -> ProofAttempt? {
        candidate.isSelected ? ProofAttempt(candidate.proof(.notProven, reason)) : nil
    }

    /// The keys that may fit: every version of the two, the current one first. All are tried on the text, which costs the tag nothing.
    private var source: SUNKeys {
        let (profile, keys) = (profile, candidate.keys)
        @Sendable func versions(_ role: TagProfile.Role, _ uid: [UInt8]) -> [SUNKey] {
            guard let name = profile.keys[role] else { return [] }
            return keys.versions(of: name).compactMap { entry in
                (try? profile.key(role, of: uid, from: entry.master)).map { SUNKey($0, version: entry.version) }
            }
        }
        return SUNKeys(metaReadKeys: versions(.meta, [])) { versions(.file, $0) }
    }

    private func proof(_ found: SUNProof) -> TapProof {
        TapProof(
            found.status, .sun, profile: profile.name, key: profile.keys[.file],
            keyVersion: found.keyVersion.map { Int($0) }, identifier: found.uid.map { HexBytes($0) },
            counter: found.counter.map { Int($0) },
            tamper: found.tamper.map { TapProof.Tamper(permanent: "\($0.permanent)", current: "\($0.current)") },
            reason: found.isProven ? nil : found.reason)
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
        return Array(
            SHA256.hash(Array("nfcd counter".utf8) + [UInt8(name.count & 0xFF)] + name + [version] + uid).prefix(16))
    }
}
