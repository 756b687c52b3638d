import Synchronization

/// The originality signature of virtual tags: ECDSA on the curve secp224r1 over the UID itself, without a hash (AN12196, §8.2).
///
/// The key is one for tests; it proves nothing about a chip.
enum NTAG424Originality {
    private static let privateKey = VirtualP224.Scalar([
        0x6E, 0x66, 0x63, 0x64, 0x20, 0x76, 0x69, 0x72, 0x74, 0x75, 0x61, 0x6C, 0x20, 0x74, 0x61, 0x67, 0x20, 0x74,
        0x65,
        0x73, 0x74, 0x20, 0x72, 0x6F, 0x6F, 0x74, 0x20, 0x31,
    ])
    private static let known = Mutex<[[UInt8]: [UInt8]]>([:])

    /// The public key, 57 bytes: 04, x, y.
    static let publicKey: [UInt8] = {
        let point = VirtualP224.multiplied(privateKey)
        return [0x04] + point.x.bytes + point.y.bytes
    }()

    /// The four keys of the level above the application, by their numbers from 1.
    static let keys: [UInt8: [UInt8]] = Dictionary(
        uniqueKeysWithValues: (1...4).map { number in
            (UInt8(number), [UInt8](repeating: 0xD0 | UInt8(number), count: 16))
        })

    /// The signature over a UID, 56 bytes: r, s.
    static func signature(over identifier: [UInt8]) -> [UInt8] {
        known.withLock { known in
            if let signature = known[identifier] { return signature }
            let signature = made(identifier)
            known[identifier] = signature
            return signature
        }
    }

    private static func made(_ identifier: [UInt8]) -> [UInt8] {
        let nonce = nonce(identifier)
        let r = VirtualP224.Scalar(VirtualP224.multiplied(nonce).x.bytes)
        let s = nonce.inverse * (VirtualP224.Scalar(identifier) + r * privateKey)
        return r.bytes + s.bytes
    }

    /// A number that depends on the UID only.
    private static func nonce(_ identifier: [UInt8]) -> VirtualP224.Scalar {
        let cipher = AES128(key: Array(privateKey.bytes.prefix(AES128.blockSize)))
        let bytes = cipher.authenticationCode([0x01] + identifier) + cipher.authenticationCode([0x02] + identifier)
        return VirtualP224.Scalar(Array(bytes.prefix(VirtualP224.size)))
    }
}
