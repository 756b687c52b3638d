#if Daemon
    import Crypto
    import CryptoExtras
    import FoundationEssentials
#endif

/// AES-128 in CBC mode with an IV of zeros, without padding (FIPS 197, NIST SP 800-38A).
///
/// Of swift-crypto, which a package without the trait `Daemon` does not fetch: there, tags with AES keys are not supported.
struct AESCipher {
    private let key: [UInt8]

    /// - Throws: ``TagError`` 1 if the key does not have 16 bytes.
    init(key: [UInt8]) throws(TagError) {
        guard key.count == 16 else {
            throw TagError(.unsupportedFeature, "an AES key has 16 bytes, not \(key.count)")
        }
        self.key = key
    }

    /// Encrypts whole blocks of 16 bytes.
    func encrypt(_ blocks: [UInt8]) throws(TagError) -> [UInt8] {
        #if Daemon
            try Self.result {
                try AES._CBC.encrypt(blocks, using: SymmetricKey(data: key), iv: Self.zeros(), noPadding: true)
            }
        #else
            throw Self.isMissing
        #endif
    }

    /// Decrypts whole blocks of 16 bytes.
    func decrypt(_ blocks: [UInt8]) throws(TagError) -> [UInt8] {
        #if Daemon
            try Self.result {
                try AES._CBC.decrypt(blocks, using: SymmetricKey(data: key), iv: Self.zeros(), noPadding: true)
            }
        #else
            throw Self.isMissing
        #endif
    }

    #if Daemon
        private static func zeros() throws -> AES._CBC.IV { try AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16)) }

        private static func result(_ body: () throws -> Data) throws(TagError) -> [UInt8] {
            do {
                return Array(try body())
            } catch {
                throw TagError(.unsupportedFeature, "AES failed: \(error)")
            }
        }
    #else
        private static let isMissing = TagError(
            .unsupportedFeature, "AES keys need the package trait Daemon, without which this program was built")
    #endif
}
