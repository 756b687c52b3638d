import Cryptography

/// The credentials of an authenticator: the key that seals their ids, those that are discoverable, and the signature counter. A reset
/// replaces it.
struct CredentialStore: Sendable {
    /// The most discoverable credentials.
    static let capacity = 25

    private(set) var stored: [StoredCredential] = []
    private let master = SecretBytes(randomCount: 32)
    /// The ids of discoverable credentials that were deleted or replaced.
    private var deleted: Set<[UInt8]> = []
    private var counter: UInt32 = 0

    /// A new credential for a relying party.
    func newCredential(
        application: [UInt8], protection: Credential.Protection = .none
    ) throws(CTAPError) -> Credential {
        try Credential(master: master, application: application, protection: protection)
    }

    /// The credential of an id; nil where it is not of this authenticator, of another party, or was deleted.
    func credential(id: [UInt8], application: [UInt8]) -> Credential? {
        deleted.contains(id) ? nil : Credential(id: id, master: master, application: application)
    }

    /// What hmac-secret computes with.
    func randomness(of credential: Credential, isVerified: Bool) -> SecretBytes {
        credential.randomness(master, isVerified: isVerified)
    }

    /// Makes a credential discoverable, instead of that of the same user at the same party.
    mutating func store(_ new: StoredCredential) throws(CTAPError) {
        remove { $0.party == new.party && $0.userID == new.userID }
        guard stored.count < Self.capacity else { throw .storeFull }
        stored.append(new)
    }

    mutating func remove(_ isMeant: (StoredCredential) -> Bool) {
        deleted.formUnion(stored.filter(isMeant).map(\.credential.id))
        stored.removeAll(where: isMeant)
    }

    /// The signature counter, counted up: 4 bytes, big-endian.
    mutating func count() -> [UInt8] {
        counter += 1
        return (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
    }
}
