import TestSupport
import Testing

@testable import VirtualTags

/// The published examples of AES and its modes.
@Suite struct AES128Tests {
    private static let key = "2B7E151628AED2A6ABF7158809CF4F3C"
    private static let text =
        "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51"
        + "30C81C46A35CE411E5FBC1191A0A52EFF69F2445DF4F9B17AD2B417BE66C3710"

    /// FIPS 197, appendices B and C.1.
    @Test(arguments: [
        (key, "3243F6A8885A308D313198A2E0370734", "3925841D02DC09FBDC118597196A0B32"),
        ("000102030405060708090A0B0C0D0E0F", "00112233445566778899AABBCCDDEEFF", "69C4E0D86A7B0430D8CDB78070B4C55A"),
    ])
    func `a block is encrypted and decrypted`(key: String, plain: String, encrypted: String) {
        let cipher = AES128(key: hex(key))
        #expect(hex(cipher.encrypt(hex(plain))) == encrypted)
        #expect(hex(cipher.decrypt(hex(encrypted))) == plain)
    }

    /// NIST SP 800-38A, F.2.1.
    @Test func `blocks are chained`() {
        let cipher = AES128(key: hex(Self.key))
        let vector = hex("000102030405060708090A0B0C0D0E0F")
        let encrypted =
            "7649ABAC8119B246CEE98E9B12E9197D5086CB9B507219EE95DB113A917678B2"
            + "73BED6B8E3C1743B7116E69E222295163FF1CAA1681FAC09120ECA307586E1A7"
        #expect(hex(cipher.encryptCBC(hex(Self.text), vector: vector)) == encrypted)
        #expect(hex(cipher.decryptCBC(hex(encrypted), vector: vector)) == Self.text)
    }

    /// NIST SP 800-38B, D.1, and RFC 4493.
    @Test(arguments: [
        (0, "BB1D6929E95937287FA37D129B756746"), (16, "070A16B46B4D4144F79BDD9DD04A287C"),
        (40, "DFA66747DE9AE63030CA32611497C827"), (64, "51F0BEBF7E3B9D92FC49741779363CFE"),
    ])
    func `a message has a code`(length: Int, code: String) {
        #expect(hex(AES128(key: hex(Self.key)).authenticationCode(Array(hex(Self.text).prefix(length)))) == code)
    }

    @Test(arguments: [0, 1, 15, 16, 17]) func `padding is added and removed`(count: Int) {
        let bytes = (0..<count).map { UInt8($0) }
        let padded = AES128.padded(bytes)
        #expect(padded.count == (count / 16 + 1) * 16)
        #expect(AES128.unpadded(padded) == bytes)
    }

    @Test(arguments: [
        "", "00000000000000000000000000000000", "000000000000000000000000000081",
        "80" + String(repeating: "00", count: 16),
    ])
    func `bytes without padding are found`(text: String) {
        #expect(AES128.unpadded(hex(text)) == nil)
    }
}
