package import Cryptography

/// A session after AuthenticateLRPFirst or NonFirst (NT4H2421Gx, §9.2).
package typealias LRPSession = TransactionSession<LRPCipher>

/// The session keys of LRP, and the counter of encrypted blocks.
package struct LRPCipher: MessageCipher, CustomReflectable {
    private let codeKey: LRPKey
    private let encryptionKey: LRPKey
    /// EncCtr: the number of blocks encrypted so far, in both directions.
    package private(set) var blockCounter: UInt32

    /// - Parameters:
    ///   - master: SesAuthMaster, 16 bytes.
    ///   - blockCounter: 0 after an authentication; First then encrypts a block.
    package init(master: SecretBytes, blockCounter: UInt32 = 0) throws(SecureTagError) {
        codeKey = try LRPKey(master)
        encryptionKey = try codeKey.sibling(master, updatedKey: 1)
        self.blockCounter = blockCounter
    }

    /// SesAuthMaster of a key and two nonces of 16 bytes (§9.2.7).
    package static func master(
        key: SecretBytes, ours: SecretBytes, theirs: SecretBytes
    ) throws(SecureTagError) -> SecretBytes {
        try LRPKey(key).cmac(
            SecretBytes(joining: [0, 1, 0, 0x80], SessionContext.bytes(ours: ours, theirs: theirs), [0x96, 0x69]))
    }

    package var customMirror: Mirror { Mirror(self, children: ["blockCounter": blockCounter]) }

    package func code(_ message: SecretBytes) throws(SecureTagError) -> [UInt8] {
        try codeKey.cmac(message).withUnsafeBytes { Array($0) }
    }

    package mutating func encrypt(
        _ data: SecretBytes, identifier: [UInt8], counter: UInt16
    ) throws(SecureTagError) -> [UInt8] {
        var bytes = blockCounter.bigEndian4
        defer { blockCounter = UInt32(bigEndian4: bytes) }
        return try encryptionKey.encrypt(data, counter: &bytes)
    }

    package mutating func decrypt(
        _ data: [UInt8], identifier: [UInt8], counter: UInt16
    ) throws(SecureTagError) -> SecretBytes {
        try decrypt(data)
    }

    /// Decrypts blocks at the counter.
    mutating func decrypt(_ data: [UInt8]) throws(SecureTagError) -> SecretBytes {
        var bytes = blockCounter.bigEndian4
        defer { blockCounter = UInt32(bigEndian4: bytes) }
        return try encryptionKey.decrypt(data, counter: &bytes)
    }
}

extension UInt32 {
    fileprivate var bigEndian4: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> UInt32($0)) }
    }

    fileprivate init(bigEndian4 bytes: [UInt8]) { self = bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
