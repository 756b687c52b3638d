package import Cryptography

/// AuthenticateLRPFirst or NonFirst (NT4H2421Gx, §9.2.5 and §9.2.6).
package struct LRPAuthentication: CardAuthentication, CustomReflectable {
    private static let nonceLength = 16
    /// PCDcap2 with the bit for LRP, after its length.
    private static let capabilities: [UInt8] = [6, 2, 0, 0, 0, 0, 0]

    private let key: SecretBytes
    private let keyNumber: UInt8
    private let ours: SecretBytes
    private let earlier: LRPSession?
    private var theirs: SecretBytes?
    private var master: SecretBytes?

    /// An attempt with a key; as ``EV2Authentication/init(key:keyNumber:continuing:nonce:)``.
    package init(
        key: SecretBytes, keyNumber: UInt8, continuing earlier: LRPSession? = nil,
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
    package var parameters: [UInt8] { [keyNumber] + (earlier == nil ? Self.capabilities : []) }

    package mutating func token(for challenge: [UInt8]) throws(SecureTagError) -> [UInt8] {
        guard challenge.count == 1 + Self.nonceLength, challenge.first == 0x01 else {
            throw .wrongLength(challenge.count)
        }
        let theirs = SecretBytes(challenge.dropFirst())
        let master = try LRPCipher.master(key: key, ours: ours, theirs: theirs)
        self.theirs = theirs
        self.master = master
        let code = try LRPKey(master).cmac(SecretBytes(joining: ours, theirs))
        return SecretBytes(joining: ours, code).withUnsafeBytes { Array($0) }
    }

    package func session(for answer: [UInt8]) throws(SecureTagError) -> LRPSession {
        guard let theirs, let master else { throw .noSession }
        guard answer.count == (earlier == nil ? 32 : 16) else { throw .wrongLength(answer.count) }
        let data = Array(answer.dropLast(16))
        let code = try LRPKey(master).cmac(SecretBytes(joining: theirs, ours, data))
        guard code.isEqual(Array(answer.suffix(16))) else { throw .wrongProof }
        var cipher = try LRPCipher(master: master)
        if let earlier { return LRPSession(identifier: earlier.identifier, counter: earlier.counter, cipher: cipher) }
        let identifier = try cipher.decrypt(data).slice(0..<4).withUnsafeBytes { Array($0) }
        return LRPSession(identifier: identifier, cipher: cipher)
    }
}
