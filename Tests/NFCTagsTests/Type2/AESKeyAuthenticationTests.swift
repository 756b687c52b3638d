import Testing
import TestSupport

@testable import NFCTags

/// The values were computed with OpenSSL: AES-128-CBC without padding, with an IV of zeros.
@Suite struct `Authentication with an AES key` {
    /// A0, A1, A2 and so on.
    private struct Counting: RandomNumberGenerator {
        private var last: UInt64 = 0x9F
        mutating func next() -> UInt64 {
            last += 1
            return last
        }
    }

    private static let key = "0102030405060708090A0B0C0D0E0F10"
    /// B0 to BF, encrypted.
    private static let challenge = "E7C8D16C762ED8CA0D8D5EFC24553713"
    /// A0 to AF, then B1 to BF and B0, encrypted.
    private static let answer = "466BD3A94A1FFA639B33F0112A934316E916AEDE20D3529B3EBB7EFAB843907B"
    /// A1 to AF and A0, encrypted.
    private static let proof = "5F34ADE71E731DC57647EF6637D7C49F"

    private static func authentication() throws -> AESKeyAuthentication {
        var generator = Counting()
        return try AESKeyAuthentication(key: hex(key), using: &generator)
    }

    @Test func `answers with its own number and that of the tag, turned by one byte`() throws {
        let frame = try Self.authentication().frame(answering: hex("AF" + Self.challenge))
        #expect(frame == hex("AF" + Self.answer))
    }

    @Test func `takes the turned number for the proof`() throws {
        #expect(try Self.authentication().isProof(hex("00" + Self.proof)))
    }

    @Test(arguments: ["", "00", "AF" + proof, proof, "00" + challenge, "00" + proof + "00", "00" + proof.dropLast(2)])
    func `takes nothing else for it`(answer: String) throws {
        #expect(try !Self.authentication().isProof(hex(answer)))
    }

    @Test(arguments: ["", "AF", "00" + challenge, "AF" + challenge + "00", "AF0102030405060708"])
    func `refuses another challenge`(challenge: String) throws {
        let error = #expect(throws: TagError.self) {
            try Self.authentication().frame(answering: hex(challenge))
        }
        #expect(error?.code == .tagResponseError && error?.detail.contains("AES key") == true)
    }

    @Test(arguments: [0, 4, 15, 17, 24, 32]) func `refuses a key of another size`(count: Int) {
        var generator = Counting()
        let error = #expect(throws: TagError.self) {
            try AESKeyAuthentication(key: [UInt8](repeating: 1, count: count), using: &generator)
        }
        #expect(error?.code == .unsupportedFeature)
    }
}
