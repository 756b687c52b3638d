package import Cryptography

/// The keys with which DESFire EV2 and later sign a transaction (MF2DLHX0, §10.3).
package struct TransactionMACKeys: Sendable, CustomReflectable {
    package let code: SecretBytes
    package let encryption: SecretBytes

    /// - Parameters:
    ///   - key: AppTransactionMACKey, 16 bytes.
    ///   - counter: TMC as the file has it; the keys are of the next one.
    ///   - uid: 7 bytes.
    package init(key: SecretBytes, counter: UInt32, uid: [UInt8]) throws(SecureTagError) {
        guard uid.count == 7 else { throw .wrongLength(uid.count) }
        guard counter < .max else { throw .commandsExhausted }
        let rest: [UInt8] = [0x00, 0x01, 0x00, 0x80] + [UInt8](littleEndian: Int(counter) + 1, count: 4) + uid
        let keys = try mapErrors { () throws(CryptographyError) -> (SecretBytes, SecretBytes) in
            let cipher = try BlockCipher.aes128(key)
            return (try cipher.cmac([0x5A] + rest), try cipher.cmac([0xA5] + rest))
        }
        (code, encryption) = keys
    }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// How many parameters of a command are its header, which stays in clear in full mode.
package enum DESFireHeader {
    private static let lengths: [UInt8: Int] = [
        0xC4: 1, 0xC6: 2, 0x5C: 1, 0x5F: 1, 0xF5: 1, 0x64: 1, 0x6C: 1, 0x0C: 1, 0xDC: 1, 0x1C: 1, 0xCE: 5,
        0xAD: 7, 0xBD: 7, 0x8D: 7, 0x3D: 7, 0xAB: 7, 0xBB: 7, 0x8B: 7, 0x3B: 7, 0xDB: 10, 0xBA: 10, 0xEB: 1,
    ]

    /// The number of bytes; nil where all parameters are header, such as those of commands that create or delete.
    package static func length(of instruction: UInt8) -> Int? { lengths[instruction] }
}
