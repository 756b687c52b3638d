package import Cryptography

/// AuthenticateAES (AA) and AuthenticateISO (1A) of DESFire EV1 and later.
package struct EV1Authentication: CardAuthentication, CustomReflectable {
    private let key: SecretBytes
    private let keyNumber: UInt8
    private let algorithm: BlockCipher.Algorithm
    private let ours: SecretBytes
    private var theirs: SecretBytes?
    private var vector: [UInt8] = []

    /// AA: AES, 16 bytes. 1A: DES with 8 bytes, TDEA with 16 or 24. A TDEA key of two equal halves is one of DES.
    ///
    /// - Parameter nonce: RndA, as long as a block: 16 bytes for AES and for a key of 24 bytes, else 8; random by default.
    package init(
        _ algorithm: BlockCipher.Algorithm, key: SecretBytes, keyNumber: UInt8, nonce: SecretBytes? = nil
    ) throws(SecureTagError) {
        let lengths = algorithm == .aes ? [16] : [8, 16, 24]
        guard lengths.contains(key.count) else { throw .wrongKeyLength(key.count) }
        let isSingle = algorithm == .tripleDES && key.count == 16 && key.slice(0..<8).isEqual(key.slice(8..<16))
        self.key = isSingle ? key.slice(0..<8) : key
        self.keyNumber = keyNumber
        self.algorithm = algorithm
        let length = algorithm == .aes || key.count == 24 ? 16 : 8
        ours = nonce ?? SecretBytes(randomCount: length)
        guard ours.count == length else { throw .wrongLength(ours.count) }
    }

    package var customMirror: Mirror { Mirror(self, children: ["keyNumber": keyNumber]) }
    package var instruction: UInt8 { algorithm == .aes ? 0xAA : 0x1A }
    package var parameters: [UInt8] { [keyNumber] }

    private func cipher() throws(CryptographyError) -> BlockCipher { try BlockCipher(algorithm, key: key) }

    package mutating func token(for challenge: [UInt8]) throws(SecureTagError) -> [UInt8] {
        guard challenge.count == ours.count else { throw .wrongLength(challenge.count) }
        let cipher = try mapErrors(cipher)
        let theirs: SecretBytes = try mapErrors { () throws(CryptographyError) in
            try cipher.decryptCBC(challenge, vector: cipher.zeroVector)
        }
        let token: [UInt8] = try mapErrors { () throws(CryptographyError) in
            try cipher.encryptCBC(
                SecretBytes(joining: ours, theirs.rotatedLeft), vector: challenge.suffix(cipher.blockLength))
        }
        self.theirs = theirs
        vector = token.suffix(cipher.blockLength)
        return token
    }

    package func session(for answer: [UInt8]) throws(SecureTagError) -> EV1Session {
        guard let theirs else { throw .noSession }
        guard answer.count == ours.count else { throw .wrongLength(answer.count) }
        let proof: SecretBytes = try mapErrors { () throws(CryptographyError) in
            try cipher().decryptCBC(answer, vector: vector)
        }
        guard proof.isEqual(ours.rotatedLeft) else { throw .wrongProof }
        let sessionKey = DESFireSessionKey.key(algorithm, keyLength: key.count, ours: ours, theirs: theirs)
        return try EV1Session(algorithm, key: sessionKey)
    }
}

/// Session keys of D40 and EV1: parts of both nonces.
package enum DESFireSessionKey {
    /// - Parameter keyLength: of the key of the authentication: 8, 16 or 24 bytes.
    package static func key(
        _ algorithm: BlockCipher.Algorithm, keyLength: Int, ours: SecretBytes, theirs: SecretBytes
    ) -> SecretBytes {
        let starts: [Int] =
            switch (algorithm, keyLength) {
            case (.aes, _): [0, 12]
            case (.tripleDES, 24): [0, 6, 12]
            case (.tripleDES, 16): [0, 4]
            case (.tripleDES, _): [0]
            }
        return starts.reduce(SecretBytes([])) { key, start in
            SecretBytes(joining: key, ours.slice(start..<start + 4), theirs.slice(start..<start + 4))
        }
    }
}
