import CCrypto

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The bytes of a hash.
    package static let length = 32

    /// The hash of bytes: 32 bytes.
    package static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        return [UInt8](unsafeUninitializedCapacity: length) { hash, count in
            let isDone = EVP_Q_digest(
                CryptographyLibrary.context, "SHA256", nil, bytes, bytes.count, hash.baseAddress, &count)
            CryptographyLibrary.expect(isDone == 1, "SHA-256")
        }
    }
}

/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
    /// The code of a message: 32 bytes.
    package static func code(of message: some Collection<UInt8>, key: SecretBytes) -> [UInt8] {
        let message = Array(message)
        return [UInt8](unsafeUninitializedCapacity: SHA256.length) { code, count in
            let result = key.withUnsafeBytes {
                EVP_Q_mac(
                    CryptographyLibrary.context, "HMAC", nil, "SHA256", nil, $0.baseAddress, $0.count, message,
                    message.count, code.baseAddress, code.count, &count)
            }
            CryptographyLibrary.expect(result != nil, "HMAC")
        }
    }

    /// The code of a message, which is a key: 32 bytes.
    package static func secret(of message: [UInt8], key: SecretBytes) -> SecretBytes {
        SecretBytes(count: SHA256.length) { code in
            let result = key.withUnsafeBytes {
                EVP_Q_mac(
                    CryptographyLibrary.context, "HMAC", nil, "SHA256", nil, $0.baseAddress, $0.count, message,
                    message.count, code.baseAddress, code.count, nil)
            }
            CryptographyLibrary.expect(result != nil, "HMAC")
        }
    }
}

/// HKDF with SHA-256 (RFC 5869).
package enum HKDFSHA256 {
    /// A key of 32 bytes.
    package static func key(
        from secret: SecretBytes, salt: [UInt8], purpose: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        try SecretBytes(count: SHA256.length) { key throws(CryptographyError) in
            let isDone = secret.withUnsafeBytes {
                ccrypto_hkdf_sha256(
                    CryptographyLibrary.context, $0.baseAddress, $0.count, salt, salt.count, purpose, purpose.count,
                    key.baseAddress, key.count)
            }
            guard isDone == 1 else { throw CryptographyError("HKDF") }
        }
    }
}

/// SHA-1 (FIPS 180-4), for the names that a format derives with it: it protects nothing.
package enum SHA1 {
    /// The hash of bytes: 20 bytes.
    package static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        return [UInt8](unsafeUninitializedCapacity: 20) { hash, count in
            let isDone = EVP_Q_digest(
                CryptographyLibrary.context, "SHA1", nil, bytes, bytes.count, hash.baseAddress, &count)
            CryptographyLibrary.expect(isDone == 1, "SHA-1")
        }
    }
}
