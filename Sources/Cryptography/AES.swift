import CCrypto

/// AES in CBC mode without padding (FIPS 197, NIST SP 800-38A).
package struct AESCBC: Sendable {
    package static let blockLength = 16

    private let key: SecretBytes

    /// - Parameter key: 16 or 32 bytes; with another length, everything fails.
    package init(key: SecretBytes) { self.key = key }

    /// Encrypts whole blocks.
    package func encrypt(_ blocks: [UInt8], vector: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try crypt(blocks, vector, isEncryption: true)
    }

    /// Decrypts whole blocks.
    package func decrypt(_ blocks: [UInt8], vector: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try crypt(blocks, vector, isEncryption: false)
    }

    private func crypt(
        _ blocks: [UInt8], _ vector: [UInt8], isEncryption: Bool
    ) throws(CryptographyError) -> [UInt8] {
        guard vector.count == Self.blockLength, blocks.count.isMultiple(of: Self.blockLength) else {
            throw CryptographyError("AES of \(blocks.count) bytes with a vector of \(vector.count)")
        }
        let cipher = try CipherRun("AES-\(key.count * 8)-CBC", key, vector, isEncryption: isEncryption)
        return try cipher.update(blocks) + cipher.finish()
    }
}

/// AES in Galois/Counter Mode with 32-byte keys (NIST SP 800-38D).
package struct AESGCM: Sendable {
    private static let (vectorLength, tagLength) = (12, 16)

    private let key: SecretBytes

    /// - Parameter key: 32 bytes; with another length, everything fails.
    package init(key: SecretBytes) { self.key = key }

    /// A random vector, the encrypted bytes and a tag, which also authenticates other bytes.
    package func seal(_ bytes: [UInt8], authenticating other: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let vector = (0..<Self.vectorLength).map { _ in UInt8.random(in: .min ... .max) }
        let cipher = try CipherRun("AES-\(key.count * 8)-GCM", key, vector, isEncryption: true)
        try cipher.authenticate(other)
        let sealed = try cipher.update(bytes) + cipher.finish()
        return vector + sealed + (try cipher.tag(Self.tagLength))
    }

    /// What was sealed.
    ///
    /// - Throws: if it was sealed with another key or other bytes, or was changed.
    package func open(_ sealed: [UInt8], authenticating other: [UInt8]) throws(CryptographyError) -> [UInt8] {
        guard sealed.count >= Self.vectorLength + Self.tagLength else { throw CryptographyError("opening") }
        let cipher = try CipherRun(
            "AES-\(key.count * 8)-GCM", key, Array(sealed.prefix(Self.vectorLength)), isEncryption: false)
        try cipher.authenticate(other)
        let bytes = try cipher.update(Array(sealed.dropFirst(Self.vectorLength).dropLast(Self.tagLength)))
        try cipher.expect(tag: Array(sealed.suffix(Self.tagLength)))
        return bytes + (try cipher.finish())
    }
}

/// One encryption or decryption.
private final class CipherRun {
    private let name: String
    private let state = EVP_CIPHER_CTX_new()

    init(
        _ name: String, _ key: SecretBytes, _ vector: [UInt8], isEncryption: Bool
    ) throws(CryptographyError) {
        self.name = name
        let cipher = EVP_CIPHER_fetch(CryptographyLibrary.context, name, nil)
        defer { EVP_CIPHER_free(cipher) }
        let isDone = key.withUnsafeBytes { key in
            cipher != nil && key.count == EVP_CIPHER_get_key_length(cipher)
                && EVP_CipherInit_ex2(
                    state, cipher, key.bindMemory(to: UInt8.self).baseAddress, vector, isEncryption ? 1 : 0, nil) == 1
        }
        try check(isDone)
        EVP_CIPHER_CTX_set_padding(state, 0)
    }

    deinit { EVP_CIPHER_CTX_free(state) }

    private func check(_ isDone: Bool) throws(CryptographyError) {
        guard isDone else { throw CryptographyError(name) }
    }

    func authenticate(_ bytes: [UInt8]) throws(CryptographyError) {
        var count: Int32 = 0
        try check(EVP_CipherUpdate(state, nil, &count, bytes, Int32(bytes.count)) == 1)
    }

    func update(_ bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var (result, count) = ([UInt8](repeating: 0, count: bytes.count + AESCBC.blockLength), Int32(0))
        try check(EVP_CipherUpdate(state, &result, &count, bytes, Int32(bytes.count)) == 1)
        return Array(result.prefix(Int(count)))
    }

    func finish() throws(CryptographyError) -> [UInt8] {
        var (result, count) = ([UInt8](repeating: 0, count: AESCBC.blockLength), Int32(0))
        try check(EVP_CipherFinal_ex(state, &result, &count) == 1)
        return Array(result.prefix(Int(count)))
    }

    func tag(_ length: Int) throws(CryptographyError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: length)
        try check(EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_GET_TAG, Int32(length), &tag) == 1)
        return tag
    }

    func expect(tag: [UInt8]) throws(CryptographyError) {
        var tag = tag
        try check(EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1)
    }
}
