import Cryptography
import TestSupport
import Testing

@testable import SecureTags

/// What a session of EV2 and LRP accepts and refuses.
@Suite struct TransactionSessionTests {
    static let read = SecureCommand(0xAD, header: hex("02000000100000"), mode: .full)
    static let data = hex("00112233445566778899AABBCCDDEEFF")

    @Test(arguments: [CommunicationMode.plain, .mac, .full], [0, 1, 15, 16, 17, 200])
    func `data of an answer comes back`(mode: CommunicationMode, count: Int) throws {
        var generator = SplitMix(seed: UInt64(count))
        let data = generator.bytes(count: count)
        var (ev2, card) = try CardSide<EV2Cipher>.session()
        for _ in 0..<3 {
            _ = try ev2.protect(SecureCommand(0xAD, header: [2], mode: mode))
            #expect(try ev2.open(card.answer(data, mode: mode), status: 0) == data)
        }
        #expect(ev2.counter == 3)
    }

    @Test func `LRP counts blocks in both directions`() throws {
        var (session, card) = try CardSide<LRPCipher>.session()
        _ = try session.protect(Self.read)
        #expect(try session.open(card.answer(Self.data, mode: .full), status: 0) == Self.data)
        #expect(session.cipher.blockCounter == 3)
        let write = SecureCommand(0x8D, header: hex("02000000010000"), data: [7], mode: .full)
        let field = try session.protect(write)
        #expect(field.count == 7 + 16 + 8)
        #expect(session.cipher.blockCounter == 4)
        #expect(try session.open(card.answer([], mode: .full), status: 0) == [])
    }

    @Test func `any changed bit of an answer is refused, and ends the session`() throws {
        for mode in [CommunicationMode.mac, .full] {
            let count = try answer(mode).count
            for bit in 0..<count * 8 {
                var (session, card) = try CardSide<EV2Cipher>.session()
                _ = try session.protect(SecureCommand(0xAD, header: [2], mode: mode))
                var answer = try card.answer(Self.data, mode: mode)
                answer[bit / 8] ^= 1 << (bit % 8)
                #expect(throws: SecureTagError.wrongCode) { try session.open(answer, status: 0) }
                #expect(!session.isUsable)
            }
        }
    }

    private func answer(_ mode: CommunicationMode) throws -> [UInt8] {
        var (_, card) = try CardSide<EV2Cipher>.session()
        return try card.answer(Self.data, mode: mode)
    }

    @Test func `a truncated answer is refused`() throws {
        for count in 0..<(try answer(.full)).count {
            var (session, card) = try CardSide<EV2Cipher>.session()
            _ = try session.protect(Self.read)
            let answer = try card.answer(Self.data, mode: .full)
            #expect(throws: SecureTagError.wrongCode) { try session.open(Array(answer.prefix(count)), status: 0) }
        }
    }

    @Test func `an old answer is refused`() throws {
        var (session, card) = try CardSide<EV2Cipher>.session()
        _ = try session.protect(Self.read)
        let old = try card.answer(Self.data, mode: .full)
        _ = try session.open(old, status: 0)
        _ = try session.protect(Self.read)
        #expect(throws: SecureTagError.wrongCode) { try session.open(old, status: 0) }
    }

    @Test func `an answer of another session is refused`() throws {
        var (session, _) = try CardSide<EV2Cipher>.session()
        var (_, other) = try CardSide<LRPCipher>.session()
        _ = try session.protect(Self.read)
        #expect(throws: SecureTagError.wrongCode) { try session.open(other.answer(Self.data, mode: .full), status: 0) }
    }

    @Test(arguments: [0x1E, 0x7E, 0x9D, 0xAE, 0xAF, 0x90, 0xFF] as [UInt8])
    func `a status that is not OK ends the session, whatever the data`(status: UInt8) throws {
        var (session, card) = try CardSide<EV2Cipher>.session()
        _ = try session.protect(Self.read)
        let answer = try card.answer(Self.data, mode: .full, status: status)
        #expect(throws: SecureTagError.refused(status: status)) { try session.open(answer, status: status) }
        #expect(!session.isUsable)
        #expect(throws: SecureTagError.noSession) { try session.protect(Self.read) }
    }

    @Test func `Read_Sig answers with status 90, which its code covers`() throws {
        for (status, isRight) in [(UInt8(0x90), true), (0x00, false)] {
            var (session, card) = try CardSide<EV2Cipher>.session()
            _ = try session.protect(SecureCommand(0x3C, header: [0], mode: .full))
            let answer = try card.answer(Self.data, mode: .full, status: 0x90)
            #expect(isRight == ((try? session.open(answer, status: status)) == Self.data))
        }
    }

    @Test func `commands and answers alternate`() throws {
        var (session, card) = try CardSide<EV2Cipher>.session()
        #expect(throws: SecureTagError.noSession) { try session.open([], status: 0) }
        #expect(!session.isUsable)
        (session, card) = try CardSide<EV2Cipher>.session()
        _ = try session.protect(Self.read)
        #expect(throws: SecureTagError.noSession) { try session.protect(Self.read) }
        let answer = try card.answer(Self.data, mode: .full)
        #expect(throws: SecureTagError.noSession) { try session.open(answer, status: 0) }
    }

    @Test func `the last command number is not used`() throws {
        var (session, card) = try CardSide<EV2Cipher>.session(counter: 0xFFFE)
        _ = try session.protect(Self.read)
        _ = try session.open(card.answer(Self.data, mode: .full), status: 0)
        #expect(session.counter == 0xFFFF)
        #expect(!session.isUsable)
        #expect(throws: SecureTagError.commandsExhausted) {
            try session.protect(SecureCommand(0x60, mode: .plain))
        }
    }

    @Test func `the change of another key has a code, that of the session's key ends it`() throws {
        let (new, old) = (SecretBytes(randomCount: 16), SecretBytes(randomCount: 16))
        var (session, card) = try CardSide<EV2Cipher>.session()
        let field = try session.protect(KeyChange(number: 2, new: new, old: old, version: 1))
        #expect(field.count == 1 + 32 + 8)
        #expect(try session.open(card.answer([], mode: .full), status: 0) == [])
        _ = try session.protect(KeyChange(number: 0, new: new, old: nil, version: 1))
        #expect(try session.open([], status: 0) == [])
        #expect(!session.isUsable)
    }

    @Test func `an answer with right code and wrong padding is refused`() throws {
        let key = SecretBytes(hex("101112131415161718191A1B1C1D1E1F"))
        let (opened, _) = try CardSide<EV2Cipher>.session()
        for plain in [hex("00000000000000000000000000000000"), hex("00112233445566778899AABBCCDDEE81")] {
            var session = opened
            _ = try session.protect(Self.read)
            let vector = try session.cipher.vector(.answer, identifier: session.identifier, counter: 1)
            let data: [UInt8] = try BlockCipher.aes128(key).encryptCBC(plain, vector: vector)
            let code = try session.cipher.code(SecretBytes([0, 1, 0] + session.identifier + data)).everyOtherByte
            #expect(throws: SecureTagError.wrongPadding) { try session.open(data + code, status: 0) }
        }
    }

    @Test func `an answer of another length than asked for is refused`() throws {
        var (session, card) = try CardSide<EV2Cipher>.session()
        _ = try session.protect(SecureCommand(0x51, mode: .full, answerLength: 7))
        #expect(throws: SecureTagError.wrongLength(16)) {
            try session.open(card.answer(Self.data, mode: .full), status: 0)
        }
    }
}
