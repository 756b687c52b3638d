import Cryptography
import TestSupport
import Testing

@testable import SecureTags

/// Authentications that have to fail, and those that a card of the test answers.
@Suite struct AuthenticationTests {
    static let key = SecretBytes(hex("0F1E2D3C4B5A69788796A5B4C3D2E1F0"))

    private static func cbc(_ plain: SecretBytes, key: SecretBytes) throws -> [UInt8] {
        try BlockCipher.aes128(key).encryptCBC(plain, vector: [UInt8](repeating: 0, count: 16))
    }

    /// The nonce of the reader in a token, as a card reads it.
    private static func nonce(_ token: [UInt8], key: SecretBytes) throws -> SecretBytes {
        let plain: SecretBytes = try BlockCipher.aes128(key).decryptCBC(token, vector: [UInt8](repeating: 0, count: 16))
        return plain.slice(0..<16)
    }

    @Test func `a card with the key gives a session, one with another key none`() throws {
        for (cardKey, isRight) in [(Self.key, true), (SecretBytes(randomCount: 16), false)] {
            var attempt = try EV2Authentication(key: Self.key, keyNumber: 3)
            #expect(attempt.instruction == 0x71)
            #expect(attempt.parameters == [3, 0])
            let token = try attempt.token(for: Self.cbc(SecretBytes(randomCount: 16), key: cardKey))
            let ours = try Self.nonce(token, key: cardKey)
            let answer = try Self.cbc(
                SecretBytes(joining: [1, 2, 3, 4], ours.rotatedLeft, [UInt8](repeating: 0, count: 12)), key: cardKey)
            if isRight {
                #expect(try attempt.session(for: answer).identifier == [1, 2, 3, 4])
            } else {
                #expect(throws: SecureTagError.wrongProof) { try attempt.session(for: answer) }
            }
        }
    }

    @Test func `the reader's token sent back proves nothing`() throws {
        var attempt = try EV2Authentication(key: Self.key, keyNumber: 0)
        let token = try attempt.token(for: Self.cbc(SecretBytes(randomCount: 16), key: Self.key))
        #expect(throws: SecureTagError.wrongProof) { try attempt.session(for: token) }
    }

    @Test(arguments: [0, 1, 15, 17, 31, 32, 33, 64])
    func `challenges and answers of other lengths are refused`(count: Int) throws {
        let bytes = [UInt8](repeating: 1, count: count)
        var attempt = try EV2Authentication(key: Self.key, keyNumber: 0)
        #expect(throws: SecureTagError.self) { try attempt.session(for: bytes) }
        #expect(throws: SecureTagError.wrongLength(count)) { try attempt.token(for: bytes) }
        _ = try attempt.token(for: [UInt8](repeating: 1, count: 16))
        #expect(throws: SecureTagError.self) { try attempt.session(for: bytes) }
        var lrp = try LRPAuthentication(key: Self.key, keyNumber: 0)
        #expect(throws: SecureTagError.self) { try lrp.session(for: bytes) }
        if count != 17 { #expect(throws: SecureTagError.wrongLength(count)) { try lrp.token(for: bytes) } }
        _ = try lrp.token(for: [1] + [UInt8](repeating: 1, count: 16))
        #expect(throws: SecureTagError.self) { try lrp.session(for: bytes) }
    }

    @Test(arguments: [0, 8, 15, 24, 32])
    func `keys of other lengths are refused`(count: Int) {
        let key = SecretBytes([UInt8](repeating: 1, count: count))
        #expect(throws: SecureTagError.wrongKeyLength(count)) { try EV2Authentication(key: key, keyNumber: 0) }
        #expect(throws: SecureTagError.wrongKeyLength(count)) { try LRPAuthentication(key: key, keyNumber: 0) }
        #expect(throws: SecureTagError.wrongKeyLength(count)) { try EV1Authentication(.aes, key: key, keyNumber: 0) }
        #expect(throws: SecureTagError.wrongKeyLength(count)) {
            try UltralightAuthentication(.ultralightAES, key: key)
        }
    }

    @Test func `each attempt has another nonce`() throws {
        let challenge = [UInt8](repeating: 1, count: 16)
        let tokens = try (0..<50).map { _ in
            var attempt = try EV2Authentication(key: Self.key, keyNumber: 0)
            return try attempt.token(for: challenge)
        }
        #expect(Set(tokens).count == 50)
    }

    @Test func `an LRP card with another key is refused`() throws {
        var attempt = try LRPAuthentication(key: Self.key, keyNumber: 1)
        #expect(attempt.parameters == hex("01 06 02 00 00 00 00 00"))
        let theirs = SecretBytes(randomCount: 16)
        let token = try attempt.token(for: [1] + theirs.withUnsafeBytes { Array($0) })
        let ours = SecretBytes(token.prefix(16))
        for (key, isRight) in [(Self.key, true), (SecretBytes(randomCount: 16), false)] {
            let master = try LRPCipher.master(key: key, ours: ours, theirs: theirs)
            var cipher = try LRPCipher(master: master)
            let data = try cipher.encrypt(
                SecretBytes([9, 8, 7, 6] + [UInt8](repeating: 0, count: 12)), identifier: [], counter: 0)
            let code = try cipher.code(SecretBytes(joining: theirs, ours, data))
            let session = try? attempt.session(for: data + code)
            #expect(session?.identifier == (isRight ? [9, 8, 7, 6] : nil))
        }
    }

    @Test func `Ultralight AES protects frames after its authentication`() throws {
        var attempt = try UltralightAuthentication(.ultralightAES, key: Self.key, keyNumber: 1)
        #expect(attempt.request == [0x1A, 1])
        let theirs = SecretBytes(randomCount: 16)
        let frame = try attempt.frame(answering: [0xAF] + Self.cbc(theirs, key: Self.key))
        let ours = try Self.nonce(Array(frame.dropFirst()), key: Self.key)
        let answer = try [0x00] + Self.cbc(ours.rotatedLeft, key: Self.key)
        var session = try #require(try attempt.session(for: answer))
        let code: SecretBytes = try BlockCipher.aes128(Self.key).cmac(
            SecretBytes(joining: hex("5AA500010080"), SessionContext.bytes(ours: ours, theirs: theirs)))
        func codeOf(_ bytes: [UInt8]) throws -> [UInt8] {
            let whole: [UInt8] = try BlockCipher.aes128(code).cmac(bytes)
            return whole.everyOtherByte
        }
        #expect(try session.protect([0x30, 4]) == [0x30, 4] + codeOf([0, 0, 0x30, 4]))
        #expect(try session.open([1, 2, 3] + codeOf([1, 0, 1, 2, 3])) == [1, 2, 3])
        #expect(try session.protect([0x30, 8]) == [0x30, 8] + codeOf([2, 0, 0x30, 8]))
        #expect(throws: SecureTagError.wrongCode) { try session.open([1, 2, 3] + codeOf([1, 0, 1, 2, 3])) }
        #expect(throws: SecureTagError.noSession) { try session.protect([0x30, 0]) }
    }

    @Test func `a D40 card with another key is refused`() throws {
        let keys = [hex("0011223344556677"), hex("00112233445566778899AABBCCDDEEFF")]
        for key in keys {
            for (cardKey, isRight) in [(key, true), (keys[0].reversed() + key.dropFirst(8), false)] {
                var attempt = try D40Authentication(key: SecretBytes(key), keyNumber: 0)
                let card = try BlockCipher(.tripleDES, key: SecretBytes(cardKey))
                let challenge: [UInt8] = try card.encryptCBC(SecretBytes(randomCount: 8), vector: card.zeroVector)
                // A card encrypts each block of the token, and combines it with the block before it.
                let token = try attempt.token(for: challenge)
                let ours: SecretBytes = try card.encryptECB(Array(token.prefix(8)))
                let answer: [UInt8] = try card.encryptECB(ours.rotatedLeft)
                #expect(((try? attempt.session(for: answer))?.count == key.count) == isRight)
            }
        }
    }

    @Test func `any bytes of a card are refused without a trap`() throws {
        var generator = SplitMix(seed: 7816)
        for count in 0..<70 {
            let (one, two) = (generator.bytes(count: count), generator.bytes(count: 70 - count))
            var attempts: [any CardAuthentication] = [
                try EV2Authentication(key: Self.key, keyNumber: 0), try LRPAuthentication(key: Self.key, keyNumber: 0),
                try EV1Authentication(.aes, key: Self.key, keyNumber: 0),
                try EV1Authentication(.tripleDES, key: Self.key, keyNumber: 0),
                try D40Authentication(key: Self.key, keyNumber: 0),
            ]
            for index in attempts.indices {
                _ = try? attempts[index].token(for: one)
                #expect(throws: SecureTagError.self) { _ = try attempts[index].session(for: two) }
            }
            for product in [UltralightAuthentication.Product.ultralightC, .ultralightAES] {
                var attempt = try UltralightAuthentication(product, key: Self.key)
                _ = try? attempt.frame(answering: one)
                #expect(throws: SecureTagError.self) { _ = try attempt.session(for: two) }
            }
        }
    }
}
