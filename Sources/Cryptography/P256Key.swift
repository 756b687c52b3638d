import CCrypto

/// A key pair of the curve P-256 (FIPS 186-5, SEC 2).
package final class P256Key: Sendable {
    package static let (numberLength, pointLength) = (32, 65)

    /// Not changed after init; libcrypto locks what it counts.
    nonisolated(unsafe) private let key: OpaquePointer

    private init(_ key: OpaquePointer) { self.key = key }

    /// A new key pair.
    package convenience init() {
        self.init(CryptographyLibrary.expect(ccrypto_p256_generate(CryptographyLibrary.context), "P-256"))
    }

    /// The key pair of a private number, 32 bytes.
    package convenience init(number: [UInt8]) throws(CryptographyError) {
        guard number.count == Self.numberLength,
            let key = ccrypto_p256_private(CryptographyLibrary.context, number)
        else { throw CryptographyError("reading a key of P-256") }
        self.init(key)
    }

    deinit { EVP_PKEY_free(key) }

    /// The private number: 32 bytes.
    package var number: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.numberLength)
        CryptographyLibrary.expect(ccrypto_p256_number(key, &bytes) == 1, "P-256")
        return bytes
    }

    /// The public point, uncompressed: 65 bytes (SEC 1, §2.3.3).
    package var point: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.pointLength)
        CryptographyLibrary.expect(ccrypto_p256_point(key, &bytes) == 1, "P-256")
        return bytes
    }

    /// ECDSA with SHA-256, in DER (RFC 3279, §2.2.3).
    package func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let state = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(state) }
        var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
        var count = signature.count
        guard EVP_DigestSignInit_ex(state, nil, "SHA256", CryptographyLibrary.context, nil, key, nil) == 1,
            EVP_DigestSign(state, &signature, &count, message, message.count) == 1
        else { throw CryptographyError("signing with P-256") }
        return Array(signature.prefix(count))
    }

    /// Whether a signature that ``sign(_:)`` makes is of a message and a point.
    package static func isSignature(_ signature: [UInt8], of message: [UInt8], point: [UInt8]) -> Bool {
        guard let key = try? publicKey(point) else { return false }
        let state = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(state) }
        return EVP_DigestVerifyInit_ex(state, nil, "SHA256", CryptographyLibrary.context, nil, key.key, nil) == 1
            && EVP_DigestVerify(state, signature, signature.count, message, message.count) == 1
    }

    /// The secret shared with the owner of a point: 32 bytes (SEC 1, §3.3.1).
    ///
    /// - Throws: if the point is not on the curve.
    package func agree(with point: [UInt8]) throws(CryptographyError) -> SecretBytes {
        let other = try Self.publicKey(point)
        let state = EVP_PKEY_CTX_new_from_pkey(CryptographyLibrary.context, key, nil)
        defer { EVP_PKEY_CTX_free(state) }
        return try SecretBytes(count: Self.numberLength) { secret throws(CryptographyError) in
            var count = secret.count
            guard EVP_PKEY_derive_init(state) == 1, EVP_PKEY_derive_set_peer(state, other.key) == 1,
                EVP_PKEY_derive(state, secret.baseAddress, &count) == 1, count == secret.count
            else { throw CryptographyError("agreeing on a secret with P-256") }
        }
    }

    private static func publicKey(_ point: [UInt8]) throws(CryptographyError) -> P256Key {
        guard point.count == pointLength, let key = ccrypto_p256_public(CryptographyLibrary.context, point) else {
            throw CryptographyError("reading a point of P-256")
        }
        return P256Key(key)
    }
}

/// Signatures of P-256 with SHA-256 as two numbers, r ‖ s (IEEE P1363).
package enum P256Signature {
    /// The bytes of a signature.
    package static let length = 64

    /// Whether bytes are a signature of a message and a point.
    package static func isValid(_ signature: [UInt8], of message: [UInt8], point: [UInt8]) -> Bool {
        guard signature.count == length, point.count == P256Key.pointLength else { return false }
        let hash = SHA256.hash(message)
        return ccrypto_ecdsa_verify_raw(
            CryptographyLibrary.context, "prime256v1", point, point.count, hash, hash.count, signature,
            signature.count) == 1
    }
}
