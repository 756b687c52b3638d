import Crypto
import CryptoExtras
import FoundationEssentials

/// A PIN/UV auth protocol: how a program and an authenticator agree on a secret, and what they do with it (CTAP 2.1, §6.5.6, §6.5.7).
enum PINProtocol: Int, Sendable {
    case one = 1
    case two = 2

    /// The secret that an exchange of keys gives; nil for a point that is not on the curve.
    func secret(_ own: P256.KeyAgreement.PrivateKey, with other: CBORValue) -> PINSecret? {
        guard other[1]?.asNumber == 2, other[3]?.asNumber == -25, other[-1]?.asNumber == 1,
            let x = other[-2]?.asBytes, let y = other[-3]?.asBytes, x.count == 32, y.count == 32,
            let key = try? P256.KeyAgreement.PublicKey(x963Representation: [0x04] + x + y),
            let agreed = try? own.sharedSecretFromKeyAgreement(with: key)
        else { return nil }
        let point = agreed.withUnsafeBytes { Array($0) }
        switch self {
        case .one:
            let key = Array(SHA256.hash(data: point))
            return PINSecret(self, authentication: key, encryption: key)
        case .two:
            return PINSecret(
                self, authentication: Self.derive(point, "CTAP2 HMAC key"),
                encryption: Self.derive(point, "CTAP2 AES key"))
        }
    }

    private static func derive(_ point: [UInt8], _ purpose: String) -> [UInt8] {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: point), salt: [UInt8](repeating: 0, count: 32),
            info: Array(purpose.utf8), outputByteCount: 32
        ).withUnsafeBytes { Array($0) }
    }

    /// The code that authenticates a message: 16 bytes in protocol 1, 32 in protocol 2.
    func code(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let code = Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
        return self == .one ? Array(code.prefix(16)) : code
    }
}

/// What a program and an authenticator agreed on.
struct PINSecret: Sendable {
    private let version: PINProtocol
    private let authentication: [UInt8]
    private let encryption: [UInt8]

    fileprivate init(_ version: PINProtocol, authentication: [UInt8], encryption: [UInt8]) {
        (self.version, self.authentication, self.encryption) = (version, authentication, encryption)
    }

    func isAuthentic(_ message: [UInt8], _ code: [UInt8]) -> Bool { version.code(authentication, message) == code }

    /// AES-256-CBC without padding. Protocol 2 puts a random IV in front.
    func encrypt(_ plain: [UInt8]) -> [UInt8] {
        let vector =
            version == .one ? [UInt8](repeating: 0, count: 16) : (0..<16).map { _ in UInt8.random(in: 0...255) }
        guard let cipher = try? crypt(plain, vector, AES._CBC.encrypt) else { return [] }
        return version == .one ? cipher : vector + cipher
    }

    /// Nil where the length is wrong.
    func decrypt(_ bytes: [UInt8]) -> [UInt8]? {
        let vector = version == .one ? [UInt8](repeating: 0, count: 16) : Array(bytes.prefix(16))
        let cipher = version == .one ? bytes : Array(bytes.dropFirst(16))
        guard vector.count == 16, !cipher.isEmpty, cipher.count.isMultiple(of: 16) else { return nil }
        return try? crypt(cipher, vector, AES._CBC.decrypt)
    }

    private func crypt(
        _ bytes: [UInt8], _ vector: [UInt8], _ operation: ([UInt8], SymmetricKey, AES._CBC.IV, Bool) throws -> Data
    ) throws -> [UInt8] {
        Array(try operation(bytes, SymmetricKey(data: encryption), AES._CBC.IV(ivBytes: vector), true))
    }
}
