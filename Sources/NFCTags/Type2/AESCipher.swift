#if Cryptography
    import Cryptography
#endif

/// AES-128 in CBC mode with an IV of zeros, without padding (FIPS 197, NIST SP 800-38A).
///
/// A package that uses this one without the trait `Cryptography` does not need libcrypto: there, tags with AES keys are not supported.
struct AESCipher {
    #if Cryptography
        private static let zeros = [UInt8](repeating: 0, count: AESCBC.blockLength)
        private let aes: AESCBC
    #endif

    /// - Throws: ``TagError`` 1 if the key does not have 16 bytes.
    init(key: [UInt8]) throws(TagError) {
        guard key.count == 16 else {
            throw TagError(.unsupportedFeature, "an AES key has 16 bytes, not \(key.count)")
        }
        #if Cryptography
            aes = AESCBC(key: SecretBytes(key))
        #else
            throw Self.isMissing
        #endif
    }

    #if Cryptography
        /// Encrypts whole blocks of 16 bytes.
        func encrypt(_ blocks: [UInt8]) throws(TagError) -> [UInt8] {
            do { return try aes.encrypt(blocks, vector: Self.zeros) } catch { throw Self.failure(error) }
        }

        /// Decrypts whole blocks of 16 bytes.
        func decrypt(_ blocks: [UInt8]) throws(TagError) -> [UInt8] {
            do { return try aes.decrypt(blocks, vector: Self.zeros) } catch { throw Self.failure(error) }
        }

        private static func failure(_ error: CryptographyError) -> TagError {
            TagError(.unsupportedFeature, "\(error)")
        }
    #else
        func encrypt(_ blocks: [UInt8]) throws(TagError) -> [UInt8] { throw Self.isMissing }
        func decrypt(_ blocks: [UInt8]) throws(TagError) -> [UInt8] { throw Self.isMissing }

        private static let isMissing = TagError(
            .unsupportedFeature, "AES keys need the package trait Cryptography, without which this program was built")
    #endif
}
