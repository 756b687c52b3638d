package import Cryptography

/// A session after AuthenticateEV2First or NonFirst with AES (NT4H2421Gx, §9.1).
package typealias EV2Session = TransactionSession<EV2Cipher>

/// The session keys of EV2, and what they do (NT4H2421Gx, §9.1.4 to §9.1.10).
package struct EV2Cipher: MessageCipher, CustomReflectable {
    /// What an initial vector is for.
    package enum Direction: Sendable { case command, answer }

    private let encryptionKey: SecretBytes
    private let codeKey: SecretBytes

    /// - Parameters: keys of 16 bytes.
    package init(encryptionKey: SecretBytes, codeKey: SecretBytes) {
        self.encryptionKey = encryptionKey
        self.codeKey = codeKey
    }

    /// The session keys of a key and two nonces of 16 bytes.
    package init(key: SecretBytes, ours: SecretBytes, theirs: SecretBytes) throws(SecureTagError) {
        let context = SessionContext.bytes(ours: ours, theirs: theirs)
        let keys = try mapErrors { () throws(CryptographyError) -> (SecretBytes, SecretBytes) in
            let cipher = try BlockCipher.aes128(key)
            return (
                try cipher.cmac(SecretBytes(joining: [0xA5, 0x5A, 0, 1, 0, 0x80], context)),
                try cipher.cmac(SecretBytes(joining: [0x5A, 0xA5, 0, 1, 0, 0x80], context))
            )
        }
        self.init(encryptionKey: keys.0, codeKey: keys.1)
    }

    package var customMirror: Mirror { Mirror(self, children: []) }

    package func code(_ message: SecretBytes) throws(SecureTagError) -> [UInt8] {
        try mapErrors { () throws(CryptographyError) in try BlockCipher.aes128(codeKey).cmac(message) }
    }

    /// The initial vector of a command or an answer.
    package func vector(
        _ direction: Direction, identifier: [UInt8], counter: UInt16
    ) throws(SecureTagError) -> [UInt8] {
        let label: [UInt8] = direction == .command ? [0xA5, 0x5A] : [0x5A, 0xA5]
        let block = label + identifier + [UInt8](littleEndian: Int(counter), count: 2) + [UInt8](repeating: 0, count: 8)
        return try mapErrors { () throws(CryptographyError) in try BlockCipher.aes128(encryptionKey).encryptECB(block) }
    }

    package func encrypt(
        _ data: SecretBytes, identifier: [UInt8], counter: UInt16
    ) throws(SecureTagError) -> [UInt8] {
        let vector = try vector(.command, identifier: identifier, counter: counter)
        return try mapErrors { () throws(CryptographyError) in
            try BlockCipher.aes128(encryptionKey).encryptCBC(data, vector: vector)
        }
    }

    package func decrypt(
        _ data: [UInt8], identifier: [UInt8], counter: UInt16
    ) throws(SecureTagError) -> SecretBytes {
        let vector = try vector(.answer, identifier: identifier, counter: counter)
        return try mapErrors { () throws(CryptographyError) in
            try BlockCipher.aes128(encryptionKey).decryptCBC(data, vector: vector)
        }
    }
}

/// What the session keys of EV2, LRP and Ultralight AES depend on besides the key.
package enum SessionContext {
    /// RndA[0..1] ‖ (RndA[2..7] xor RndB[0..5]) ‖ RndB[6..15] ‖ RndA[8..15]: 32 bytes (NT4H2421Gx, §9.1.7).
    package static func bytes(ours: SecretBytes, theirs: SecretBytes) -> SecretBytes {
        SecretBytes(
            joining: ours.slice(0..<2), ours.slice(2..<8).exclusiveOr(theirs.slice(0..<6)), theirs.slice(6..<16),
            ours.slice(8..<16))
    }
}
