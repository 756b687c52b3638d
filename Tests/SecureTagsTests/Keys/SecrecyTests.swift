import Cryptography
import TestSupport
import Testing

@testable import SecureTags

/// What holds a secret shows nothing of it.
@Suite struct SecrecyTests {
    /// 16 bytes that are easy to find: 201 to 216, C9 to D8.
    static let bytes = (201...216).map(UInt8.init)
    static let secret = SecretBytes(bytes)

    private static func holders() throws -> [Any] {
        let (key, secret) = (try #require(TagKey(bytes)), secret)
        let ev2 = EV2Cipher(encryptionKey: secret, codeKey: secret)
        var session = EV2Session(identifier: [1, 2, 3, 4], cipher: ev2)
        let change = KeyChange(number: 1, new: secret, old: secret, version: 1)
        var authentication = try EV2Authentication(key: secret, keyNumber: 0, nonce: secret)
        _ = try authentication.token(for: [UInt8](repeating: 1, count: 16))
        var lrp = try LRPAuthentication(key: secret, keyNumber: 0, nonce: secret)
        _ = try lrp.token(for: [1] + [UInt8](repeating: 1, count: 16))
        var ev1 = try EV1Authentication(.aes, key: secret, keyNumber: 0, nonce: secret)
        _ = try ev1.token(for: [UInt8](repeating: 1, count: 16))
        let message = PICCData(uid: [4, 1, 2, 3, 4, 5, 6], counter: 1)
        let pending = session
        _ = try session.protect(change)
        return [
            secret, key, SUNKey(key, version: 1), change, ev2, session, pending, authentication, lrp, ev1,
            SecureCommand(0x8D, header: [2], data: bytes, mode: .full),
            LRPSession(identifier: [1, 2, 3, 4], cipher: try LRPCipher(master: secret)), try LRPKey(secret),
            try EV1Session(.aes, key: secret), try EV1Session(.tripleDES, key: secret),
            try D40Authentication(key: secret, keyNumber: 0, nonce: secret.slice(0..<8)), try D40Cipher(key: secret),
            try UltralightAuthentication(.ultralightAES, key: secret, nonce: secret),
            try UltralightAESSession(key: secret, ours: secret, theirs: secret),
            try SDMSession(key: secret, data: message), try SDMSession(key: secret, data: message, isLRP: true),
            try TransactionMACKeys(key: secret, counter: 1, uid: message.uid), SDMBackendKeys(master: key),
            try BoltcardKeys(issuer: key, uid: message.uid, version: 1).keys, try BlockCipher(.aes, key: secret),
            SUNKeys(metaReadKeys: [SUNKey(key, version: 1)]) { _ in [] }, Optional(key) as Any, [key], ["key": key],
            Result<TagKey, SecureTagError>.success(key),
        ]
    }

    @Test func `no description, reflection or dump shows a key, a nonce or data`() throws {
        for holder in try Self.holders() {
            var text = String(describing: holder) + String(reflecting: holder) + "\(holder)"
            dump(holder, to: &text)
            let lower = text.lowercased()
            for byte in Self.bytes {
                #expect(!text.contains("\(byte)"), "\(type(of: holder)): \(text)")
            }
            #expect(!lower.contains("cacb") && !lower.contains("0xca"), "\(type(of: holder))")
        }
    }

    @Test func `errors have no bytes of what failed`() throws {
        let errors: [SecureTagError] = [
            .wrongProof, .wrongCode, .wrongLength(3), .wrongPadding, .refused(status: 0xAE), .refused(status: 0x77),
            .noSession, .commandsExhausted, .unknownAnswerLength, .wrongKeyLength(3), .invalidSettings("x"),
            .malformed("x"),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect(SecureTagError.refused(status: 0xAE).description.contains("91AE (authentication error)"))
        #expect(SecureTagError.refused(status: 0x07).description.contains("9107"))
    }

    @Test(arguments: [
        "00000000000000000000000000000000", "ffffffffffffffffffffffffffffffff", "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
        "49454D4B41455242214E4143554F5946", "425245414B4D454946594F5543414E21", "00112233445566778899aabbccddeeff",
        "5ACE7E50AB65D5D51FD5BF5A16B8205B", "0000000000000000",
    ])
    func `a published key is known as one`(text: String) throws {
        let key = try #require(TagKey(hexadecimal: text))
        #expect(key.isPublished)
        #expect(PublishedKeys.contains(key))
        guard key.secret.count == 16 else { return }
        // What is derived from it is as well known.
        #expect(try KeyDiversification.aes128(master: key, input: [1]).isPublished)
        #expect(try BoltcardKeys(issuer: key, uid: [4, 1, 2, 3, 4, 5, 6], version: 1).keys.allSatisfy(\.isPublished))
        #expect(try SDMBackendKeys(master: key).key(number: 2, uid: [4]).isPublished)
    }

    /// Found at random: the differences of their bytes to the first one cancel out where they are not collected bit by bit.
    @Test(arguments: [
        "FF2FB37ACC14A0BA164BF14809F009FF", "FF93D6A60FCC88D48CA8D701537B92DE", "FF75D081AC1CD086EC6F256084D180AF",
        "FF793DA7EAAE00DAB20DC06A848D60F3", "00000000000000000000000000000080", "80000000000000000000000000000000",
    ])
    func `a key that begins or ends like a repeated byte is not published`(text: String) throws {
        #expect(try #require(TagKey(hexadecimal: text)).isPublished == false)
    }

    @Test func `other keys are not published, and are equal only to themselves`() throws {
        for _ in 0..<100 {
            let key = TagKey.random()
            #expect(!key.isPublished)
            #expect(key.isEqual(to: key) && !key.isEqual(to: .random()))
        }
        #expect(try !KeyDiversification.aes128(master: .random(), input: [1]).isPublished)
    }

    @Test(arguments: [
        "", "0", "00", "zz", String(repeating: "0", count: 31), String(repeating: "g", count: 32),
        String(repeating: "ä", count: 16),
    ])
    func `text that is not a key is refused`(text: String) {
        #expect(TagKey(hexadecimal: text) == nil)
    }

    @Test func `inputs of other lengths give no key`() throws {
        let (key, short) = (TagKey.random(), try #require(TagKey([UInt8](repeating: 1, count: 8))))
        for count in [0, 32, 100] {
            #expect(throws: SecureTagError.self) {
                try KeyDiversification.aes128(master: key, input: [UInt8](repeating: 1, count: count))
            }
        }
        #expect(throws: SecureTagError.self) {
            try KeyDiversification.tripleDES(master: key, input: [UInt8](repeating: 1, count: 16))
        }
        #expect(throws: SecureTagError.self) { try KeyDiversification.tripleDES(master: short, input: [1]) }
        #expect(throws: SecureTagError.self) { try KeyDiversification.aes128(master: short, input: [1]) }
        #expect(throws: SecureTagError.self) { try BoltcardKeys(issuer: key, uid: [1], version: 1) }
        #expect(throws: SecureTagError.self) { try ICODEPassword.masked([1, 2, 3], random: [1, 2]) }
        #expect(throws: SecureTagError.self) { try ICODEPassword.masked([1, 2, 3, 4], random: [1]) }
    }

    @Test func `the paddings differ for short inputs only`() throws {
        let key = TagKey.random()
        for count in 1...31 {
            let input = [UInt8](repeating: 7, count: count)
            let note = try KeyDiversification.aes128(master: key, input: input)
            let other = try KeyDiversification.aes128(master: key, input: input, padding: .wholeBlocks)
            #expect(note.isEqual(to: other) == (count >= 16), "\(count)")
        }
    }

    @Test func `a signature of another UID, or a changed one, has no signer`() throws {
        let uid = hex("04A9707A0B1090")
        let signature = hex(
            "03F0A17889E3063D2D01CD8750734601BC031C26812705A1BD3B7536"
                + "1604B19B762DC285DCE303A5B6DE5F2814F0449BA64AB445A7AEC4CF")
        #expect(UIDSignature.keys.count == 6)
        #expect(UIDSignature.signer(of: uid, signature: signature)?.products.contains("NTAG 424") == true)
        #expect(UIDSignature.signer(of: hex("04A9707A0B1091"), signature: signature) == nil)
        for bytes in [
            [], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: 56),
            [UInt8](repeating: 255, count: 56),
        ] {
            #expect(UIDSignature.signer(of: uid, signature: bytes) == nil)
        }
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(UIDSignature.signer(of: uid, signature: changed) == nil)
        }
        #expect(UIDSignature.signer(of: Array(uid.prefix(4)), signature: signature) == nil)
    }
}
