import CCrypto

/// A block cipher with its key: AES (FIPS 197) or TDEA (NIST SP 800-67), in ECB and CBC mode without padding (NIST SP 800-38A) and
/// as CMAC (SP 800-38B).
///
/// libcrypto keeps a key that it works with in memory that it overwrites.
package struct BlockCipher: Sendable {
    package enum Algorithm: Sendable { case aes, tripleDES }

    package let algorithm: Algorithm
    private let key: SecretBytes

    /// AES with a key of 16, 24 or 32 bytes; TDEA with one of 24, of 16 (two keys) or of 8 (DES: one key, three times).
    package init(_ algorithm: Algorithm, key: SecretBytes) throws(CryptographyError) {
        self.algorithm = algorithm
        switch (algorithm, key.count) {
        case (.aes, 16), (.aes, 24), (.aes, 32), (.tripleDES, 24): self.key = key
        case (.tripleDES, 16): self.key = SecretBytes(joining: key, key.slice(0..<8))
        case (.tripleDES, 8): self.key = SecretBytes(joining: key, key, key)
        default: throw CryptographyError("taking a key of \(key.count) bytes")
        }
    }

    /// AES with a key of 16 bytes.
    package static func aes128(_ key: SecretBytes) throws(CryptographyError) -> BlockCipher {
        guard key.count == 16 else { throw CryptographyError("taking a key of \(key.count) bytes for AES-128") }
        return try BlockCipher(.aes, key: key)
    }

    package var blockLength: Int { algorithm == .aes ? 16 : 8 }

    /// An initial vector of zeros.
    package var zeroVector: [UInt8] { [UInt8](repeating: 0, count: blockLength) }

    private var name: String { algorithm == .aes ? "AES-\(key.count * 8)" : "DES-EDE3" }

    // MARK: Modes

    /// Encrypts whole blocks, each alone.
    package func encryptECB<Output: ByteStorage>(_ blocks: some ByteStorage) throws(CryptographyError) -> Output {
        try run(blocks, vector: nil, isEncryption: true)
    }

    /// Decrypts whole blocks, each alone.
    package func decryptECB<Output: ByteStorage>(_ blocks: some ByteStorage) throws(CryptographyError) -> Output {
        try run(blocks, vector: nil, isEncryption: false)
    }

    /// Encrypts whole blocks; each depends on those before it.
    package func encryptCBC<Output: ByteStorage>(
        _ blocks: some ByteStorage, vector: [UInt8]
    ) throws(CryptographyError) -> Output {
        try run(blocks, vector: vector, isEncryption: true)
    }

    /// Decrypts what ``encryptCBC(_:vector:)`` encrypted.
    package func decryptCBC<Output: ByteStorage>(
        _ blocks: some ByteStorage, vector: [UInt8]
    ) throws(CryptographyError) -> Output {
        try run(blocks, vector: vector, isEncryption: false)
    }

    private func run<Output: ByteStorage>(
        _ blocks: some ByteStorage, vector: [UInt8]?, isEncryption: Bool
    ) throws(CryptographyError) -> Output {
        let name = name + (vector == nil ? "-ECB" : "-CBC")
        guard blocks.count.isMultiple(of: blockLength), vector.map({ $0.count == blockLength }) ?? true else {
            throw CryptographyError("\(name) of \(blocks.count) bytes")
        }
        let state = EVP_CIPHER_CTX_new()
        let cipher = EVP_CIPHER_fetch(CryptographyLibrary.context, name, nil)
        defer {
            EVP_CIPHER_CTX_free(state)
            EVP_CIPHER_free(cipher)
        }
        let isReady = key.withUnsafeBytes {
            EVP_CipherInit_ex2(
                state, cipher, $0.bindMemory(to: UInt8.self).baseAddress, vector, isEncryption ? 1 : 0, nil)
        }
        guard cipher != nil, isReady == 1 else { throw CryptographyError(name) }
        EVP_CIPHER_CTX_set_padding(state, 0)
        return try Output(length: blocks.count) { output throws(CryptographyError) in
            guard !output.isEmpty else { return }
            var count: Int32 = 0
            let isDone = blocks.read {
                EVP_CipherUpdate(
                    state, output.bindMemory(to: UInt8.self).baseAddress, &count,
                    $0.bindMemory(to: UInt8.self).baseAddress, Int32($0.count))
            }
            guard isDone == 1, Int(count) == output.count else { throw CryptographyError(name) }
        }
    }

    // MARK: CMAC

    /// The CMAC of a message: a block.
    package func cmac<Output: ByteStorage>(_ message: some ByteStorage) throws(CryptographyError) -> Output {
        let name = name + "-CBC"
        return try Output(length: blockLength) { code throws(CryptographyError) in
            let empty: [UInt8] = [0]
            let result = key.withUnsafeBytes { key in
                message.read { message in
                    empty.withUnsafeBytes { empty in
                        EVP_Q_mac(
                            CryptographyLibrary.context, "CMAC", nil, name, nil, key.baseAddress, key.count,
                            (message.baseAddress ?? empty.baseAddress)?.assumingMemoryBound(to: UInt8.self),
                            message.count, code.baseAddress, code.count, nil)
                    }
                }
            }
            guard result != nil else { throw CryptographyError("CMAC") }
        }
    }

    /// The two subkeys of CMAC (SP 800-38B, §6.1).
    package func cmacSubkeys() throws(CryptographyError) -> (first: SecretBytes, second: SecretBytes) {
        let zero: SecretBytes = try encryptECB(zeroVector)
        let reduction: UInt8 = algorithm == .aes ? 0x87 : 0x1B
        let first = zero.doubled(reduction)
        return (first, first.doubled(reduction))
    }

    /// The CMAC of a message after other messages, whose last code is the vector; with zeros, the CMAC of the message.
    package func chainedCMAC<Output: ByteStorage>(
        _ message: some ByteStorage, vector: [UInt8]
    ) throws(CryptographyError) -> Output {
        let subkeys = try cmacSubkeys()
        let isWhole = message.count > 0 && message.count.isMultiple(of: blockLength)
        let padded = isWhole ? SecretBytes(joining: message) : SecretBytes(padding: message, to: blockLength)
        return try cbcMAC(padded, subkey: isWhole ? subkeys.first : subkeys.second, vector: vector)
    }

    /// The last block of CBC over whole blocks, where a subkey is added to the last one.
    package func cbcMAC<Output: ByteStorage>(
        _ blocks: SecretBytes, subkey: SecretBytes, vector: [UInt8]
    ) throws(CryptographyError) -> Output {
        guard blocks.count >= blockLength else { throw CryptographyError("a code of \(blocks.count) bytes") }
        let last = blocks.slice(blocks.count - blockLength..<blocks.count).exclusiveOr(subkey)
        let chain: SecretBytes = try encryptCBC(
            SecretBytes(joining: blocks.slice(0..<blocks.count - blockLength), last), vector: vector)
        return try Output(length: blockLength) { code throws(CryptographyError) in
            chain.withUnsafeBytes { code.copyBytes(from: $0.suffix(code.count)) }
        }
    }
}
