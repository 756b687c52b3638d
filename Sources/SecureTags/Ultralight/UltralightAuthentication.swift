package import Cryptography

/// The authentication of MIFARE Ultralight C (MF0ICU2, §7.5) and Ultralight AES (MF0AES(H)20): frames as they are on the air.
package struct UltralightAuthentication: Sendable, CustomReflectable {
    package enum Product: Sendable {
        /// TDEA with two keys; a vector runs through the messages.
        case ultralightC
        /// AES-128; each message from a vector of zeros.
        case ultralightAES
    }

    private let product: Product
    private let key: SecretBytes
    private let keyNumber: UInt8
    private let ours: SecretBytes
    private var theirs: SecretBytes?
    private var vector: [UInt8] = []

    /// An attempt.
    ///
    /// - Parameters:
    ///   - key: 16 bytes, in the order of the computation: the delivered key of Ultralight C is `49454D4B41455242 214E4143554F5946`.
    ///   - keyNumber: of Ultralight AES: 0 data protection, 1 UID retrieval, 2 originality.
    ///   - nonce: RndA: 8 bytes for Ultralight C, 16 for Ultralight AES; random by default.
    package init(
        _ product: Product, key: SecretBytes, keyNumber: UInt8 = 0, nonce: SecretBytes? = nil
    ) throws(SecureTagError) {
        guard key.count == 16 else { throw .wrongKeyLength(key.count) }
        let length = product == .ultralightC ? 8 : 16
        self.product = product
        self.key = key
        self.keyNumber = keyNumber
        ours = nonce ?? SecretBytes(randomCount: length)
        guard ours.count == length else { throw .wrongLength(ours.count) }
    }

    package var customMirror: Mirror { Mirror(self, children: ["keyNumber": keyNumber]) }

    private func cipher() throws(CryptographyError) -> BlockCipher {
        try BlockCipher(product == .ultralightC ? .tripleDES : .aes, key: key)
    }

    /// The first frame.
    package var request: [UInt8] { [0x1A, keyNumber] }

    /// The second frame, for the answer to the first one.
    package mutating func frame(answering challenge: [UInt8]) throws(SecureTagError) -> [UInt8] {
        guard challenge.count == 1 + ours.count, challenge.first == 0xAF else { throw .wrongLength(challenge.count) }
        let (challenge, isChained) = (Array(challenge.dropFirst()), product == .ultralightC)
        let cipher = try mapErrors(cipher)
        let theirs: SecretBytes = try mapErrors { () throws(CryptographyError) in
            try cipher.decryptCBC(challenge, vector: cipher.zeroVector)
        }
        let token: [UInt8] = try mapErrors { () throws(CryptographyError) in
            try cipher.encryptCBC(
                SecretBytes(joining: ours, theirs.rotatedLeft), vector: isChained ? challenge : cipher.zeroVector)
        }
        self.theirs = theirs
        vector = isChained ? token.suffix(8) : cipher.zeroVector
        return [0xAF] + token
    }

    /// Checks the answer to the second frame.
    ///
    /// - Returns: what protects further frames if the tag is set to it (SEC_MSG_ACT); nil for Ultralight C, which cannot.
    /// - Throws: ``SecureTagError/wrongProof`` if the tag does not know the key.
    package func session(for answer: [UInt8]) throws(SecureTagError) -> UltralightAESSession? {
        guard let theirs else { throw .noSession }
        guard answer.count == 1 + ours.count, answer.first == 0x00 else { throw .wrongLength(answer.count) }
        let proof: SecretBytes = try mapErrors { () throws(CryptographyError) in
            try cipher().decryptCBC(Array(answer.dropFirst()), vector: vector)
        }
        guard proof.isEqual(ours.rotatedLeft) else { throw .wrongProof }
        guard product == .ultralightAES else { return nil }
        return try UltralightAESSession(key: key, ours: ours, theirs: theirs)
    }
}
