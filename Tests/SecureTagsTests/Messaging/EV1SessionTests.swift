import Cryptography
import TestSupport
import Testing

@testable import SecureTags

/// Secure messaging of DESFire EV1, against a card's side written here from its rules.
@Suite struct EV1SessionTests {
    /// The card's side: it follows commands, and answers.
    struct Card {
        let cipher: BlockCipher
        var vector: [UInt8]

        init(_ algorithm: BlockCipher.Algorithm, key: SecretBytes) throws {
            cipher = try BlockCipher(algorithm, key: key)
            vector = cipher.zeroVector
        }

        mutating func code(_ message: [UInt8]) throws -> [UInt8] {
            vector = try cipher.chainedCMAC(message, vector: vector)
            return Array(vector.prefix(8))
        }

        mutating func decrypt(_ blocks: [UInt8]) throws -> [UInt8] {
            let plain: [UInt8] = try cipher.decryptCBC(blocks, vector: vector)
            vector = blocks.suffix(cipher.blockLength)
            return plain
        }

        mutating func encrypted(_ data: [UInt8], status: UInt8 = 0) throws -> [UInt8] {
            var plain = data + CRC32.checkSum(data + [status]).withUnsafeBytes { Array($0) }
            while !plain.count.isMultiple(of: cipher.blockLength) { plain.append(0) }
            let blocks: [UInt8] = try cipher.encryptCBC(plain, vector: vector)
            vector = blocks.suffix(cipher.blockLength)
            return blocks
        }

        mutating func coded(_ data: [UInt8], status: UInt8 = 0) throws -> [UInt8] { data + (try code(data + [status])) }
    }

    static let keys: [(BlockCipher.Algorithm, String)] = [
        (.aes, "0F1E2D3C4B5A69788796A5B4C3D2E1F0"), (.tripleDES, "0F1E2D3C4B5A6978"),
        (.tripleDES, "0F1E2D3C4B5A69788796A5B4C3D2E1F0"),
        (.tripleDES, "0F1E2D3C4B5A69788796A5B4C3D2E1F0A1B2C3D4E5F60718"),
    ]

    private func pair(_ algorithm: BlockCipher.Algorithm, _ key: String) throws -> (EV1Session, Card) {
        let key = SecretBytes(hex(key))
        return (try EV1Session(algorithm, key: key), try Card(algorithm, key: key))
    }

    @Test(arguments: keys) func `one vector runs through commands and answers`(
        algorithm: BlockCipher.Algorithm, key: String
    ) throws {
        var (session, card) = try pair(algorithm, key)
        // A command without data has no code, and moves the vector on.
        #expect(try session.protect(SecureCommand(0x45, mode: .mac)) == [])
        _ = try card.code([0x45])
        #expect(try session.open(card.coded([0x0F, 0x85]), status: 0) == [0x0F, 0x85])
        // Encrypted data of an answer.
        #expect(try session.protect(SecureCommand(0x51, mode: .full, answerLength: 7)) == [])
        _ = try card.code([0x51])
        #expect(try session.open(card.encrypted([4, 1, 2, 3, 4, 5, 6]), status: 0) == [4, 1, 2, 3, 4, 5, 6])
        // A write to a file of mode MAC.
        let header = hex("01 000000 030000")
        let field = try session.protect(SecureCommand(0x3D, header: header, data: [7, 8, 9], mode: .mac))
        #expect(field == header + [7, 8, 9] + (try card.code([0x3D] + header + [7, 8, 9])))
        #expect(try session.open(card.coded([]), status: 0) == [])
        // A write to an encrypted file.
        let secret = try session.protect(SecureCommand(0x3D, header: header, data: [7, 8, 9], mode: .full))
        let plain = try card.decrypt(Array(secret.dropFirst(7)))
        let sum = CRC32.checkSum([0x3D] + header + [7, 8, 9]).withUnsafeBytes { Array($0) }
        #expect(Array(plain.prefix(7)) == [7, 8, 9] + sum)
        #expect(plain.dropFirst(7).allSatisfy { $0 == 0 })
        #expect(try session.open(card.coded([]), status: 0) == [])
        #expect(session.isUsable)
    }

    @Test func `a skipped command breaks what follows`() throws {
        var (session, card) = try pair(.aes, Self.keys[0].1)
        _ = try session.protect(SecureCommand(0x45, mode: .mac))
        #expect(throws: SecureTagError.wrongCode) { try session.open(card.coded([1]), status: 0) }
        #expect(!session.isUsable)
    }

    @Test func `an encrypted answer needs a length, and has that length`() throws {
        var (session, card) = try pair(.aes, Self.keys[0].1)
        #expect(throws: SecureTagError.unknownAnswerLength) { try session.protect(SecureCommand(0x51, mode: .full)) }
        let opened = (session, card)
        for (length, isRight) in [(7, true), (6, false), (8, false), (12, false), (0, false), (1000, false)] {
            (session, card) = opened
            _ = try session.protect(SecureCommand(0x51, mode: .full, answerLength: length))
            _ = try card.code([0x51])
            let answer = try card.encrypted([4, 1, 2, 3, 4, 5, 6])
            #expect(((try? session.open(answer, status: 0)) != nil) == isRight)
        }
    }

    @Test func `the master key of a new card becomes an AES key`() throws {
        var (session, card) = try pair(.tripleDES, Self.keys[1].1)
        let new = SecretBytes(hex("00102030405060708090A0B0B0A09080"))
        let field = try session.protect(KeyChange(number: 0x80, new: new, old: nil, version: 0x10))
        #expect(field.count == 1 + 24)
        let plain = try card.decrypt(Array(field.dropFirst()))
        let data = hex("00102030405060708090A0B0B0A09080 10")
        #expect(Array(plain.prefix(21)) == data + CRC32.checkSum([0xC4, 0x80] + data).withUnsafeBytes { Array($0) })
        #expect(try session.open([], status: 0) == [])
        #expect(!session.isUsable)
    }

    @Test func `another key is changed by the difference to the old one`() throws {
        var (session, card) = try pair(.aes, Self.keys[0].1)
        let (new, old) = (SecretBytes(randomCount: 16), SecretBytes(randomCount: 16))
        let field = try session.protect(KeyChange(number: 2, new: new, old: old, version: 3))
        let plain = try card.decrypt(Array(field.dropFirst()))
        let data = SecretBytes(joining: new.exclusiveOr(old), [3])
        let expected = SecretBytes(
            joining: data, CRC32.checkSum(SecretBytes(joining: [0xC4, 2], data)), CRC32.checkSum(new))
        #expect(expected.isEqual(Array(plain.prefix(25))))
        #expect(try session.open(card.coded([]), status: 0) == [])
        #expect(session.isUsable)
    }

    @Test(arguments: keys) func `any bytes as an answer are refused without a trap`(
        algorithm: BlockCipher.Algorithm, key: String
    ) throws {
        var generator = SplitMix(seed: 38)
        for count in 0..<80 {
            var (session, _) = try pair(algorithm, key)
            _ = try session.protect(SecureCommand(0x51, mode: .full, answerLength: count % 20))
            let answer = generator.bytes(count: count)
            #expect(throws: SecureTagError.self) { try session.open(answer, status: 0) }
        }
    }
}
