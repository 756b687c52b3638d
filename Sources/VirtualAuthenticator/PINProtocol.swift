import Cryptography

/// A PIN/UV auth protocol: how a program and an authenticator agree on a secret, and what they do with it (CTAP 2.1, §6.5.6, §6.5.7).
enum PINProtocol: Int, Sendable {
    case one = 1
    case two = 2

    /// The secret that an exchange of keys gives; nil for a point that is not on the curve.
    func secret(_ own: P256Key, with other: CBORValue) -> PINSecret? {
        guard other[1]?.asNumber == 2, other[3]?.asNumber == -25, other[-1]?.asNumber == 1,
            let x = other[-2]?.asBytes, let y = other[-3]?.asBytes, x.count == 32, y.count == 32,
            let point = try? own.agree(with: [0x04] + x + y)
        else { return nil }
        switch self {
        case .one:
            let key = SecretBytes(point.withUnsafeBytes { SHA256.hash($0) })
            return PINSecret(self, authentication: key, encryption: key)
        case .two:
            guard let authentication = Self.derive(point, "CTAP2 HMAC key"),
                let encryption = Self.derive(point, "CTAP2 AES key")
            else { return nil }
            return PINSecret(self, authentication: authentication, encryption: encryption)
        }
    }

    private static func derive(_ point: SecretBytes, _ purpose: String) -> SecretBytes? {
        try? HKDFSHA256.key(from: point, salt: [UInt8](repeating: 0, count: 32), purpose: Array(purpose.utf8))
    }

    /// The code that authenticates a message: 16 bytes in protocol 1, 32 in protocol 2.
    func code(_ key: SecretBytes, _ message: [UInt8]) -> [UInt8] {
        let code = HMACSHA256.code(of: message, key: key)
        return self == .one ? Array(code.prefix(16)) : code
    }
}

/// What a program and an authenticator agreed on.
struct PINSecret: Sendable {
    private let version: PINProtocol
    private let authentication: SecretBytes
    private let encryption: AESCBC

    fileprivate init(_ version: PINProtocol, authentication: SecretBytes, encryption: SecretBytes) {
        (self.version, self.authentication, self.encryption) = (version, authentication, AESCBC(key: encryption))
    }

    func isAuthentic(_ message: [UInt8], _ code: [UInt8]) -> Bool {
        SecretBytes.isEqual(version.code(authentication, message), code)
    }

    /// AES-256-CBC without padding. Protocol 2 puts a random IV in front.
    func encrypt(_ plain: [UInt8]) -> [UInt8] {
        let vector =
            version == .one ? [UInt8](repeating: 0, count: 16) : (0..<16).map { _ in UInt8.random(in: 0...255) }
        guard let cipher = try? encryption.encrypt(plain, vector: vector) else { return [] }
        return version == .one ? cipher : vector + cipher
    }

    /// Nil where the length is wrong.
    func decrypt(_ bytes: [UInt8]) -> [UInt8]? {
        let vector = version == .one ? [UInt8](repeating: 0, count: 16) : Array(bytes.prefix(16))
        let cipher = version == .one ? bytes : Array(bytes.dropFirst(16))
        guard vector.count == 16, !cipher.isEmpty, cipher.count.isMultiple(of: 16) else { return nil }
        return try? encryption.decrypt(cipher, vector: vector)
    }
}
