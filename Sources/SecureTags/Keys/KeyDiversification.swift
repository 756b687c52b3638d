import Cryptography

/// Keys of tags derived from a master key (NXP AN10922).
public enum KeyDiversification: Sendable {
    /// How a short input is padded for AES-128. It decides the key of a tag: never guess it.
    public enum Padding: String, Sendable, CaseIterable {
        /// To 32 bytes, always: as the note says.
        case twoBlocks = "an10922"
        /// To whole blocks: an ordinary CMAC, as libfreefare and python-desfire have it. Up to 15 bytes of input, it gives other keys.
        case wholeBlocks = "cmac"
    }

    /// The longest input of AES-128.
    public static let longestInput = 31

    /// A key of AES-128.
    ///
    /// - Parameters:
    ///   - master: 16 bytes.
    ///   - input: M, 1 to 31 bytes: the UID, and what separates the uses of a master (application, key number, system).
    /// - Throws: ``SecureTagError/wrongKeyLength(_:)``, or ``SecureTagError/malformed(_:)`` for an input of another length.
    public static func aes128(
        master: TagKey, input: [UInt8], padding: Padding = .twoBlocks
    ) throws(SecureTagError) -> TagKey {
        guard master.secret.count == TagKey.length else { throw .wrongKeyLength(master.secret.count) }
        guard 1...longestInput ~= input.count else { throw .malformed("an input of 1 to 31 bytes") }
        let message = [0x01] + input
        let secret: SecretBytes = try mapErrors { () throws(CryptographyError) in
            let cipher = try BlockCipher.aes128(master.secret)
            return padding == .twoBlocks ? try cipher.code(message, paddedTo: 32) : try cipher.cmac(message)
        }
        return TagKey(secret: secret, isPublished: master.isPublished)
    }

    /// A key of TDEA with two keys (16 bytes) or three (24 bytes), as many as the master has. The version bits are as computed.
    ///
    /// - Parameter input: M, 1 to 15 bytes.
    public static func tripleDES(master: TagKey, input: [UInt8]) throws(SecureTagError) -> TagKey {
        guard [16, 24].contains(master.secret.count) else { throw .wrongKeyLength(master.secret.count) }
        guard 1...15 ~= input.count else { throw .malformed("an input of 1 to 15 bytes") }
        let labels: [UInt8] = master.secret.count == 16 ? [0x21, 0x22] : [0x31, 0x32, 0x33]
        let secret = try mapErrors { () throws(CryptographyError) -> SecretBytes in
            let cipher = try BlockCipher(.tripleDES, key: master.secret)
            var key = SecretBytes([])
            for label in labels { key = SecretBytes(joining: key, try cipher.code([label] + input, paddedTo: 16)) }
            return key
        }
        return TagKey(secret: secret, isPublished: master.isPublished)
    }
}

extension BlockCipher {
    /// The code of a message that is padded to a length: with subkey 1 if it has that length, else with subkey 2.
    fileprivate func code(_ message: [UInt8], paddedTo length: Int) throws(CryptographyError) -> SecretBytes {
        let subkeys = try cmacSubkeys()
        let isWhole = message.count == length
        let padded = isWhole ? SecretBytes(message) : SecretBytes(padding: message, to: length)
        return try cbcMAC(padded, subkey: isWhole ? subkeys.first : subkeys.second, vector: zeroVector)
    }
}
