package import Cryptography

/// The UID and the counter of a message: what a tag says who it is, and how often it was read.
public struct PICCData: Sendable, Equatable {
    /// 7 bytes; empty if not mirrored.
    public let uid: [UInt8]
    /// SDMReadCtr; nil if not mirrored.
    public let counter: UInt32?

    /// The data of a message.
    public init(uid: [UInt8], counter: UInt32?) {
        self.uid = uid
        self.counter = counter
    }

    /// The data of 16 decrypted bytes: a tag byte, what it says, random bytes. Nil unless the tag byte is right.
    package init?(plain: SecretBytes) {
        let bytes = plain.withUnsafeBytes { Array($0) }
        // UID and counter, UID alone, counter alone.
        guard bytes.count == 16, [0xC7, 0x87, 0x40].contains(bytes[0]) else { return nil }
        let uidLength = bytes[0] & 0x80 == 0 ? 0 : 7
        let counter = bytes[0] & 0x40 == 0 ? nil : bytes.part(1 + uidLength, 3)
        self.init(uid: Array(bytes[1..<1 + uidLength]), counter: counter.map { UInt32($0.littleEndianNumber) })
    }

    /// UID ‖ counter, the low byte first.
    var bytes: [UInt8] { uid + (counter.map { [UInt8](littleEndian: Int($0), count: 3) } ?? []) }

    /// Decrypts the PICC data of a message: 16 bytes with AES, 24 in LRP mode.
    package static func decrypt(_ data: [UInt8], key: SecretBytes, isLRP: Bool) throws(SecureTagError) -> SecretBytes {
        guard data.count == (isLRP ? 24 : 16) else { throw .wrongLength(data.count) }
        if isLRP {
            var counter = Array(data.prefix(8))
            return try LRPKey(key).decrypt(Array(data.dropFirst(8)), counter: &counter)
        }
        return try mapErrors { () throws(CryptographyError) in
            let cipher = try BlockCipher.aes128(key)
            return try cipher.decryptCBC(data, vector: cipher.zeroVector)
        }
    }
}

/// The keys of one message of a tag, and what they do (NT4H2421Gx, §9.3.9).
package struct SDMSession: Sendable, CustomReflectable {
    private enum Keys: Sendable {
        case aes(code: SecretBytes, encryption: SecretBytes)
        case lrp(code: LRPKey, encryption: LRPKey)
    }

    private let keys: Keys
    private let data: PICCData

    /// - Parameters:
    ///   - key: SDMFileReadKey, 16 bytes.
    ///   - data: UID and counter as far as the tag mirrors them.
    package init(key: SecretBytes, data: PICCData, isLRP: Bool = false) throws(SecureTagError) {
        self.data = data
        keys = isLRP ? try Self.lrpKeys(key, data) : try Self.aesKeys(key, data)
    }

    package var customMirror: Mirror { Mirror(self, children: []) }

    /// What the session key for codes (SV2) or for encryption (SV1) is computed from; in LRP mode both from one.
    package static func vector(_ label: [UInt8], _ data: PICCData, end: [UInt8] = []) -> [UInt8] {
        let start = label + [0x00, 0x01, 0x00, 0x80] + data.bytes
        let rest = (16 - (start.count + end.count) % 16) % 16
        return start + [UInt8](repeating: 0, count: rest) + end
    }

    private static func aesKeys(_ key: SecretBytes, _ data: PICCData) throws(SecureTagError) -> Keys {
        try mapErrors { () throws(CryptographyError) in
            let cipher = try BlockCipher.aes128(key)
            return .aes(
                code: try cipher.cmac(vector([0x3C, 0xC3], data)),
                encryption: try cipher.cmac(vector([0xC3, 0x3C], data)))
        }
    }

    private static func lrpKeys(_ key: SecretBytes, _ data: PICCData) throws(SecureTagError) -> Keys {
        let master = try lrpMaster(key, data)
        let code = try LRPKey(master)
        return .lrp(code: code, encryption: try code.sibling(master, updatedKey: 1))
    }

    /// The master key of LRP mode.
    static func lrpMaster(_ key: SecretBytes, _ data: PICCData) throws(SecureTagError) -> SecretBytes {
        try LRPKey(key).cmac(SecretBytes(vector([], data, end: [0x1E, 0xE1])))
    }

    /// The session keys of AES, for tests of published messages; nil in LRP mode.
    var aesKeys: (code: SecretBytes, encryption: SecretBytes)? {
        if case .aes(let code, let encryption) = keys { (code, encryption) } else { nil }
    }

    /// The whole code of a text: 16 bytes.
    package func code(_ text: [UInt8]) throws(SecureTagError) -> [UInt8] {
        switch keys {
        case .aes(let code, _):
            try mapErrors { () throws(CryptographyError) in try BlockCipher.aes128(code).cmac(text) }
        case .lrp(let code, _): try code.cmac(SecretBytes(text)).withUnsafeBytes { Array($0) }
        }
    }

    /// Whether 8 bytes are the code of a text.
    package func isCode(_ code: [UInt8], of text: [UInt8]) throws(SecureTagError) -> Bool {
        SecretBytes.isEqual(try self.code(text).everyOtherByte, code)
    }

    /// The plaintext of encrypted file data: as many bytes.
    package func decrypt(_ bytes: [UInt8]) throws(SecureTagError) -> [UInt8] {
        guard bytes.count.isMultiple(of: 16) else { throw .wrongLength(bytes.count) }
        let counter = [UInt8](littleEndian: Int(data.counter ?? 0), count: 3)
        switch keys {
        case .lrp(_, let encryption):
            var start = counter + [0, 0, 0]
            return try encryption.decrypt(bytes, counter: &start).withUnsafeBytes { Array($0) }
        case .aes(_, let key):
            return try mapErrors { () throws(CryptographyError) in
                let cipher = try BlockCipher.aes128(key)
                let vector: [UInt8] = try cipher.encryptECB(counter + [UInt8](repeating: 0, count: 13))
                return try cipher.decryptCBC(bytes, vector: vector)
            }
        }
    }
}
