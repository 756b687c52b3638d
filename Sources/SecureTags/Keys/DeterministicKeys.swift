import Cryptography

/// The keys of a Bolt Card, derived from an issuer key (boltcard: deterministic keys).
public struct BoltcardKeys: Sendable {
    /// The key of one card, from which keys 0, 2, 3 and 4 are.
    public let cardKey: TagKey
    /// Keys 0 to 4. Key 1 decrypts the PICC data and is the same on all cards of an issuer.
    public let keys: [TagKey]
    /// The card's name for the issuer: 16 bytes, which identify it and are not a secret.
    public let cardID: [UInt8]

    /// - Parameters:
    ///   - issuer: 16 bytes.
    ///   - uid: 7 bytes.
    ///   - version: the number of times that the card was set up, or 1.
    public init(issuer: TagKey, uid: [UInt8], version: UInt32) throws(SecureTagError) {
        guard uid.count == 7 else { throw .wrongLength(uid.count) }
        let card = try Self.key(issuer, 0x75, uid + [UInt8](littleEndian: Int(version), count: 4))
        cardKey = card
        keys = [
            try Self.key(card, 0x76), try Self.key(issuer, 0x77), try Self.key(card, 0x78), try Self.key(card, 0x79),
            try Self.key(card, 0x7A),
        ]
        cardID = try Self.key(issuer, 0x7B, uid).secret.withUnsafeBytes { Array($0) }
    }

    private static func key(_ key: TagKey, _ label: UInt8, _ rest: [UInt8] = []) throws(SecureTagError) -> TagKey {
        let secret: SecretBytes = try mapErrors { () throws(CryptographyError) in
            try BlockCipher.aes128(key.secret).cmac([0x2D, 0x00, 0x3F, label] + rest)
        }
        return TagKey(secret: secret, isPublished: key.isPublished)
    }
}

/// The keys of tags for sdm-backend, derived from a master key.
public struct SDMBackendKeys: Sendable {
    private let master: SecretBytes
    private let isPublished: Bool

    /// - Parameter master: 16 bytes.
    public init(master: TagKey) {
        self.master = master.secret
        isPublished = master.isPublished
    }

    /// A key of a tag. Key 1, which decrypts the PICC data, is the same for all.
    public func key(number: UInt8, uid: [UInt8]) throws(SecureTagError) -> TagKey {
        // The program gives zero keys for a zero master: tags as they are delivered.
        if master.isEqual([UInt8](repeating: 0, count: TagKey.length)) { return key(master) }
        guard number != 1 else {
            return key(HMACSHA256.secret(of: Array("PICCDataKey".utf8), key: master).slice(0..<16))
        }
        let slot = HMACSHA256.secret(of: Array("SlotMasterKey".utf8) + [number], key: master).slice(0..<16)
        let base = HMACSHA256.secret(of: Array("DivBaseKey".utf8), key: master)
        let input = HMACSHA256.secret(of: uid, key: base).slice(0..<16)
        return key(
            try mapErrors { () throws(CryptographyError) in
                try BlockCipher.aes128(slot).cmac(SecretBytes(joining: [0x01], input))
            })
    }

    private func key(_ secret: SecretBytes) -> TagKey { TagKey(secret: secret, isPublished: isPublished) }
}
