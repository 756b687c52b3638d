import Cryptography

/// A credential: its key pair and its id. The id holds the key, sealed with the authenticator's own key, so that a credential that is
/// not discoverable takes no memory.
struct Credential: Sendable {
    /// Who may find a credential (CTAP 2.1, §12.1).
    enum Protection: UInt8, Sendable {
        case none = 1
        /// Without verification, only a program that has its id.
        case needsIDOrVerification = 2
        case needsVerification = 3
    }

    let id: [UInt8]
    let key: P256Key
    let protection: Protection

    /// A new credential for a relying party.
    init(master: SecretBytes, application: [UInt8], protection: Protection) throws(CTAPError) {
        let key = P256Key()
        guard let id = try? AESGCM(key: master).seal(key.number + [protection.rawValue], authenticating: application)
        else { throw .limitExceeded }
        (self.id, self.key, self.protection) = (id, key, protection)
    }

    /// The credential of an id; nil where it is not of this authenticator, or of another relying party.
    init?(id: [UInt8], master: SecretBytes, application: [UInt8]) {
        guard let raw = try? AESGCM(key: master).open(id, authenticating: application),
            let key = try? P256Key(number: Array(raw.prefix(P256Key.numberLength))),
            let protection = raw.last.flatMap(Protection.init)
        else { return nil }
        (self.id, self.key, self.protection) = (id, key, protection)
    }

    /// ECDSA with SHA-256, in DER.
    func sign(_ message: [UInt8]) throws(CTAPError) -> [UInt8] {
        guard let signature = try? key.sign(message) else { throw .limitExceeded }
        return signature
    }

    /// The public key as COSE (RFC 9053, §7.1.1).
    var publicKey: CBORValue { Self.key(key.point, algorithm: -7) }

    /// The public key as a point, 65 bytes (SEC 1, §2.3.3).
    var point: [UInt8] { key.point }

    /// The credential as programs name it.
    var descriptor: CBORValue { .map([.text("id"): .bytes(id), .text("type"): .text("public-key")]) }

    /// What hmac-secret computes with; another one for a request with a PIN.
    func randomness(_ master: SecretBytes, isVerified: Bool) -> SecretBytes {
        SecretBytes(HMACSHA256.code(of: id + [isVerified ? 1 : 0], key: master))
    }

    /// A point of P-256, 65 bytes, as a COSE key.
    static func key(_ point: [UInt8], algorithm: Int) -> CBORValue {
        .fields([
            1: .number(2), 3: .number(algorithm), -1: .number(1), -2: .bytes(Array(point[1..<33])),
            -3: .bytes(Array(point[33..<65])),
        ])
    }
}

/// A discoverable credential with what it is found by.
struct StoredCredential: Sendable {
    let credential: Credential
    let party: String
    var user: CBORValue

    var application: [UInt8] { Self.hash(party) }
    var userID: [UInt8]? { user["id"]?.asBytes }

    static func hash(_ party: String) -> [UInt8] { SHA256.hash(party.utf8) }
}
