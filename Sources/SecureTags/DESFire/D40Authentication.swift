package import Cryptography

/// Authenticate (0A) of the first DESFire, with DES or TDEA of two keys. Later cards know it too; use ``EV1Authentication`` there.
///
/// The reader only decrypts: in "send mode" each block is combined with the one before it, then decrypted.
package struct D40Authentication: CardAuthentication, CustomReflectable {
    private let cipher: D40Cipher
    private let keyLength: Int
    private let keyNumber: UInt8
    private let ours: SecretBytes
    private var theirs: SecretBytes?

    /// - Parameters:
    ///   - key: 8 or 16 bytes.
    ///   - nonce: RndA, 8 bytes.
    package init(
        key: SecretBytes, keyNumber: UInt8, nonce: SecretBytes = SecretBytes(randomCount: 8)
    ) throws(SecureTagError) {
        guard [8, 16].contains(key.count) else { throw .wrongKeyLength(key.count) }
        guard nonce.count == 8 else { throw .wrongLength(nonce.count) }
        cipher = try D40Cipher(key: key)
        keyLength = key.count == 16 && key.slice(0..<8).isEqual(key.slice(8..<16)) ? 8 : key.count
        self.keyNumber = keyNumber
        ours = nonce
    }

    package var customMirror: Mirror { Mirror(self, children: ["keyNumber": keyNumber]) }
    package var instruction: UInt8 { 0x0A }
    package var parameters: [UInt8] { [keyNumber] }

    package mutating func token(for challenge: [UInt8]) throws(SecureTagError) -> [UInt8] {
        guard challenge.count == 8 else { throw .wrongLength(challenge.count) }
        let theirs = try cipher.receive(challenge)
        self.theirs = theirs
        return try cipher.send(SecretBytes(joining: ours, theirs.rotatedLeft))
    }

    /// The session key: 8 or 16 bytes. Messages of D40 are not protected by it here; change to AES first.
    package func session(for answer: [UInt8]) throws(SecureTagError) -> SecretBytes {
        guard let theirs else { throw .noSession }
        guard answer.count == 8 else { throw .wrongLength(answer.count) }
        guard try cipher.receive(answer).isEqual(ours.rotatedLeft) else { throw .wrongProof }
        return DESFireSessionKey.key(.tripleDES, keyLength: keyLength, ours: ours, theirs: theirs)
    }
}

/// The two directions of D40, from an initial vector of zeros.
package struct D40Cipher: Sendable, CustomReflectable {
    private let cipher: BlockCipher

    /// - Parameter key: 8 or 16 bytes.
    package init(key: SecretBytes) throws(SecureTagError) {
        cipher = try mapErrors { () throws(CryptographyError) in try BlockCipher(.tripleDES, key: key) }
    }

    package var customMirror: Mirror { Mirror(self, children: []) }

    /// What a card encrypted in CBC mode.
    package func receive(_ blocks: [UInt8]) throws(SecureTagError) -> SecretBytes {
        try mapErrors { () throws(CryptographyError) in try cipher.decryptCBC(blocks, vector: cipher.zeroVector) }
    }

    /// Blocks for a card, which encrypts them to read them.
    package func send(_ blocks: SecretBytes) throws(SecureTagError) -> [UInt8] {
        var (result, last) = ([UInt8](), cipher.zeroVector)
        for start in stride(from: 0, to: blocks.count, by: 8) {
            let block = blocks.slice(start..<start + 8).exclusiveOr(last)
            last = try mapErrors { () throws(CryptographyError) in try cipher.decryptECB(block) }
            result += last
        }
        return result
    }
}
