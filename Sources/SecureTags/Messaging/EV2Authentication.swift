package import Cryptography

/// AuthenticateEV2First or NonFirst with AES (NT4H2421Gx, §9.1.5 and §9.1.6).
package struct EV2Authentication: CardAuthentication, CustomReflectable {
    private static let nonceLength = 16

    private let key: SecretBytes
    private let keyNumber: UInt8
    private let ours: SecretBytes
    private let earlier: EV2Session?
    private var theirs: SecretBytes?

    /// An attempt with a key.
    ///
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - earlier: the session that continues with another key, for NonFirst; nil for First.
    ///   - nonce: RndA, 16 bytes; from the system's generator by default.
    package init(
        key: SecretBytes, keyNumber: UInt8, continuing earlier: EV2Session? = nil,
        nonce: SecretBytes = SecretBytes(randomCount: 16)
    ) throws(SecureTagError) {
        guard key.count == 16 else { throw .wrongKeyLength(key.count) }
        guard nonce.count == Self.nonceLength else { throw .wrongLength(nonce.count) }
        self.key = key
        self.keyNumber = keyNumber
        self.earlier = earlier
        ours = nonce
    }

    package var customMirror: Mirror { Mirror(self, children: ["keyNumber": keyNumber]) }
    package var instruction: UInt8 { earlier == nil ? 0x71 : 0x77 }
    package var parameters: [UInt8] { earlier == nil ? [keyNumber, 0x00] : [keyNumber] }

    /// Whether the data of the first answer is that of a card in LRP mode: `01`, and a nonce in clear.
    package static func isLRP(_ challenge: [UInt8]) -> Bool { challenge.count == 17 && challenge.first == 0x01 }

    package mutating func token(for challenge: [UInt8]) throws(SecureTagError) -> [UInt8] {
        guard challenge.count == Self.nonceLength else { throw .wrongLength(challenge.count) }
        let theirs: SecretBytes = try mapErrors { () throws(CryptographyError) in
            let cipher = try BlockCipher.aes128(key)
            return try cipher.decryptCBC(challenge, vector: cipher.zeroVector)
        }
        self.theirs = theirs
        return try mapErrors { () throws(CryptographyError) in
            let cipher = try BlockCipher.aes128(key)
            return try cipher.encryptCBC(SecretBytes(joining: ours, theirs.rotatedLeft), vector: cipher.zeroVector)
        }
    }

    package func session(for answer: [UInt8]) throws(SecureTagError) -> EV2Session {
        guard let theirs else { throw .noSession }
        guard answer.count == (earlier == nil ? 32 : 16) else { throw .wrongLength(answer.count) }
        let plain: SecretBytes = try mapErrors { () throws(CryptographyError) in
            let cipher = try BlockCipher.aes128(key)
            return try cipher.decryptCBC(answer, vector: cipher.zeroVector)
        }
        let proof = earlier == nil ? plain.slice(4..<20) : plain
        guard proof.isEqual(ours.rotatedLeft) else { throw .wrongProof }
        let cipher = try EV2Cipher(key: key, ours: ours, theirs: theirs)
        if let earlier { return EV2Session(identifier: earlier.identifier, counter: earlier.counter, cipher: cipher) }
        return EV2Session(identifier: plain.slice(0..<4).withUnsafeBytes { Array($0) }, cipher: cipher)
    }
}
