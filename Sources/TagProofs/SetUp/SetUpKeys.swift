import Cryptography
import SecureTags

/// The keys of the tags of a profile, by number and version: those of the key ring, and zero for version 0.
///
/// A key that the profile does not name is derived from the master key with the number of that key, so that it is never left at zero.
struct SetUpKeys: Sendable {
    let profile: TagProfile
    /// How many a tag has, numbered from 0.
    let count: UInt8
    private let ring: KeyRing
    private let masterName: String
    /// The number of the card master key of a DESFire.
    private let cardKey: UInt8?

    /// The keys of a profile.
    ///
    /// - Parameters:
    ///   - cardKey: the number that stands for the card master key of a DESFire.
    ///   - first: the role of key 0, from which keys without a role follow.
    /// - Throws: ``SetUpError`` if a tag of the profile could not be set up safely.
    init(
        _ profile: TagProfile, _ ring: KeyRing, count: UInt8, cardKey: UInt8? = nil,
        first: TagProfile.Role = .master
    ) throws(SetUpError) {
        guard let master = profile.keys[first] else {
            throw SetUpError(
                .unsuitable, "profile \(profile.name) names no \(first.rawValue) key, which key 0 needs")
        }
        guard profile.derivation != .none else {
            throw SetUpError(
                .unsuitable, "all tags of profile \(profile.name) would share key 0: whoever has one tag's has all")
        }
        (self.profile, self.ring, self.count, masterName, self.cardKey) = (profile, ring, count, master, cardKey)
        for number in 0..<count {
            guard let entry = ring.versions(of: name(number)).first, entry.state == .current else {
                throw SetUpError(.unsuitable, "key \(name(number)) has no current version")
            }
            guard entry.version != 0, !entry.master.isPublished else {
                throw SetUpError(.unsuitable, "key \(name(number)) is published, or has version 0")
            }
        }
    }

    /// The name of a key in the key ring.
    func name(_ number: UInt8) -> String { profile.keyName(number) ?? masterName }

    /// The version that tags get.
    func current(_ number: UInt8) -> UInt8 {
        ring.versions(of: name(number)).first { $0.state == .current }?.version ?? 0
    }

    /// The current versions of all keys.
    var current: [UInt8] { (0..<count).map(current) }

    /// Whether a key has other versions than the current one.
    func isRotated(_ number: UInt8) -> Bool { ring.versions(of: name(number)).count > 1 }

    /// Whether a tag with this version of a key can be one of the profile.
    func knows(_ number: UInt8, version: UInt8) -> Bool {
        version == 0 || ring.entry(name(number), version: version) != nil
    }

    /// The key of a tag.
    func key(_ number: UInt8, version: UInt8, uid: [UInt8]) async throws(SetUpError) -> SecretBytes {
        guard version != 0 else { return SecretBytes([UInt8](repeating: 0, count: TagKey.length)) }
        guard let entry = ring.entry(name(number), version: version) else {
            throw SetUpError(.foreign, "version \(version) of key \(number) is not in the key store")
        }
        do {
            if number == cardKey { return try await profile.cardKey(of: uid, from: entry.master).secret }
            if let role = profile.role(number) {
                return try await profile.key(role, of: uid, from: entry.master).secret
            }
            return try await profile.spareKey(number, of: uid, from: entry.master).secret
        } catch {
            throw SetUpError(
                error is UnavailableKey ? .keyUnavailable : .unsuitable,
                "key \(number) could not be derived from \(entry.name): \(error)")
        }
    }
}
