package import Cryptography

/// A key of the leakage resilient primitive (NXP AN12304): plaintexts and updated keys, made from one key of AES-128.
package struct LRPKey: Sendable, CustomReflectable {
    package static let blockLength = 16
    private static let plaintextCount = 16

    /// Sixteen plaintexts, one for each value of a nibble.
    private let plaintexts: SecretBytes
    private let updatedKey: SecretBytes

    private init(plaintexts: SecretBytes, updatedKey: SecretBytes) {
        self.plaintexts = plaintexts
        self.updatedKey = updatedKey
    }

    /// The key for codes (updated key 0) and the one for encryption (updated key 1), …
    ///
    /// - Parameter key: 16 bytes.
    package init(_ key: SecretBytes, updatedKey number: Int = 0) throws(SecureTagError) {
        self.init(
            plaintexts: try Self.plaintexts(key),
            updatedKey: try Self.updatedKey(key, number))
    }

    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The same plaintexts with another updated key.
    ///
    /// - Parameter key: the key that the plaintexts are of.
    package func sibling(_ key: SecretBytes, updatedKey number: Int) throws(SecureTagError) -> LRPKey {
        LRPKey(plaintexts: plaintexts, updatedKey: try Self.updatedKey(key, number))
    }

    // MARK: Derivation (AN12304, algorithms 1 and 2)

    private static func encrypt(_ key: SecretBytes, _ byte: UInt8) throws(SecureTagError) -> SecretBytes {
        try encrypt(key, [UInt8](repeating: byte, count: blockLength))
    }

    private static func encrypt(
        _ key: SecretBytes, _ block: some ByteStorage
    ) throws(SecureTagError) -> SecretBytes {
        try mapErrors { () throws(CryptographyError) in try BlockCipher.aes128(key).encryptECB(block) }
    }

    /// The plaintexts of a key, one after the other.
    package static func plaintexts(_ key: SecretBytes) throws(SecureTagError) -> SecretBytes {
        var chain = try encrypt(key, 0x55)
        var result = SecretBytes([])
        for _ in 0..<plaintextCount {
            result = SecretBytes(joining: result, try encrypt(chain, 0xAA))
            chain = try encrypt(chain, 0x55)
        }
        return result
    }

    /// One of the updated keys of a key.
    package static func updatedKey(_ key: SecretBytes, _ number: Int) throws(SecureTagError) -> SecretBytes {
        var chain = try encrypt(key, 0xAA)
        for _ in 0..<max(0, number) { chain = try encrypt(chain, 0x55) }
        return try encrypt(chain, 0xAA)
    }

    // MARK: Evaluation (AN12304, algorithm 3)

    /// The value of the function for nibbles, each a number below 16.
    package func evaluate(
        _ nibbles: some Sequence<UInt8>, isFinal: Bool = true
    ) throws(SecureTagError) -> SecretBytes {
        var value = updatedKey
        for nibble in nibbles {
            let start = Int(nibble & 0x0F) * Self.blockLength
            value = try Self.encrypt(value, plaintexts.slice(start..<start + Self.blockLength))
        }
        return isFinal ? try Self.encrypt(value, 0x00) : value
    }

    /// Each byte as two nibbles, the high one first.
    private func evaluate(bytes: SecretBytes) throws(SecureTagError) -> SecretBytes {
        try evaluate(
            (0..<2 * bytes.count).lazy.map { index in
                let byte = bytes[index / 2] ?? 0
                return index.isMultiple(of: 2) ? byte >> 4 : byte & 0x0F
            })
    }

    // MARK: Codes (AN12304, §3.3)

    /// The two subkeys of CMAC.
    package func cmacSubkeys() throws(SecureTagError) -> (first: SecretBytes, second: SecretBytes) {
        let zero = try evaluate([UInt8](repeating: 0, count: 2 * Self.blockLength))
        return (zero.doubled, zero.doubled.doubled)
    }

    /// The CMAC of a message: 16 bytes.
    package func cmac(_ message: SecretBytes) throws(SecureTagError) -> SecretBytes {
        let subkeys = try cmacSubkeys()
        let isWhole = message.count > 0 && message.count.isMultiple(of: Self.blockLength)
        let padded = isWhole ? message : SecretBytes(padding: message, to: Self.blockLength)
        let last = padded.count - Self.blockLength
        var value = SecretBytes([UInt8](repeating: 0, count: Self.blockLength))
        for start in stride(from: 0, to: last, by: Self.blockLength) {
            value = try evaluate(bytes: value.exclusiveOr(padded.slice(start..<start + Self.blockLength)))
        }
        let block = value.exclusiveOr(padded.slice(last..<padded.count))
        return try evaluate(bytes: block.exclusiveOr(isWhole ? subkeys.first : subkeys.second))
    }

    // MARK: Encryption in counter mode (AN12304, §3.2: LRICB)

    /// Encrypts whole blocks, and advances a counter by one for each.
    package func encrypt(_ blocks: SecretBytes, counter: inout [UInt8]) throws(SecureTagError) -> [UInt8] {
        let result: SecretBytes = try crypt(blocks, &counter, isEncryption: true)
        return result.withUnsafeBytes { Array($0) }
    }

    /// Decrypts what ``encrypt(_:counter:)`` encrypted.
    package func decrypt(_ blocks: [UInt8], counter: inout [UInt8]) throws(SecureTagError) -> SecretBytes {
        try crypt(SecretBytes(blocks), &counter, isEncryption: false)
    }

    private func crypt(
        _ blocks: SecretBytes, _ counter: inout [UInt8], isEncryption: Bool
    ) throws(SecureTagError) -> SecretBytes {
        guard blocks.count.isMultiple(of: Self.blockLength) else { throw .wrongLength(blocks.count) }
        var result = SecretBytes([])
        for start in stride(from: 0, to: blocks.count, by: Self.blockLength) {
            let key = try evaluate(bytes: SecretBytes(counter))
            let block = blocks.slice(start..<start + Self.blockLength)
            let other: SecretBytes = try mapErrors { () throws(CryptographyError) in
                let cipher = try BlockCipher.aes128(key)
                return isEncryption ? try cipher.encryptECB(block) : try cipher.decryptECB(block)
            }
            result = SecretBytes(joining: result, other)
            counter.increment()
        }
        return result
    }
}

extension [UInt8] {
    /// Adds one to a number with the highest byte first; the highest number becomes 0.
    fileprivate mutating func increment() {
        for index in indices.reversed() {
            self[index] &+= 1
            if self[index] != 0 { return }
        }
    }
}
