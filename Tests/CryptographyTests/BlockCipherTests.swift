import TestSupport
import Testing

@testable import Cryptography

/// AES and TDEA by block, and codes over them.
@Suite struct BlockCipherTests {
    /// FIPS 197, appendix C; NIST SP 800-67 with three keys; DES as one key three times (FIPS 81).
    @Test(arguments: [
        (
            BlockCipher.Algorithm.aes, "000102030405060708090A0B0C0D0E0F", "00112233445566778899AABBCCDDEEFF",
            "69C4E0D86A7B0430D8CDB78070B4C55A"
        ),
        (
            .aes, "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
            "00112233445566778899AABBCCDDEEFF",
            "8EA2B7CA516745BFEAFC49904B496089"
        ),
        (
            .tripleDES, "0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123", "5468652071756663",
            "A826FD8CE53B855F"
        ),
        (.tripleDES, "0123456789ABCDEF", "4E6F772069732074", "3FA40E8A984D4815"),
        (.tripleDES, "0123456789ABCDEF0123456789ABCDEF", "4E6F772069732074", "3FA40E8A984D4815"),
    ])
    func `blocks are those of the standard`(
        algorithm: BlockCipher.Algorithm, key: String, plain: String, expected: String
    ) throws {
        let cipher = try BlockCipher(algorithm, key: SecretBytes(hex(key)))
        let encrypted: [UInt8] = try cipher.encryptECB(hex(plain))
        #expect(hex(encrypted) == expected)
        let decrypted: SecretBytes = try cipher.decryptECB(encrypted)
        #expect(decrypted.isEqual(hex(plain)))
        let chained: [UInt8] = try cipher.encryptCBC(hex(plain), vector: cipher.zeroVector)
        #expect(hex(chained) == expected)
    }

    @Test(arguments: [BlockCipher.Algorithm.aes, .tripleDES], [0, 1, 7, 9, 15, 17, 20, 33])
    func `keys, blocks and vectors of other lengths are refused`(algorithm: BlockCipher.Algorithm, count: Int) throws {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(throws: CryptographyError.self) { try BlockCipher(algorithm, key: SecretBytes(bytes)) }
        #expect(throws: CryptographyError.self) { try BlockCipher.aes128(SecretBytes(bytes)) }
        let cipher = try BlockCipher(algorithm, key: SecretBytes([UInt8](repeating: 1, count: 16)))
        if count > 0 {
            #expect(throws: CryptographyError.self) { let _: [UInt8] = try cipher.encryptECB(bytes) }
        }
        #expect(throws: CryptographyError.self) {
            let _: [UInt8] = try cipher.decryptCBC(cipher.zeroVector, vector: bytes)
        }
    }

    /// RFC 4493, §4.
    @Test(arguments: [
        ("", "BB1D6929E95937287FA37D129B756746"),
        ("6BC1BEE22E409F96E93D7E117393172A", "070A16B46B4D4144F79BDD9DD04A287C"),
        (
            "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E5130C81C46A35CE411",
            "DFA66747DE9AE63030CA32611497C827"
        ),
    ])
    func `CMAC has the codes of the standard`(message: String, code: String) throws {
        let cipher = try BlockCipher.aes128(SecretBytes(hex("2B7E151628AED2A6ABF7158809CF4F3C")))
        let result: [UInt8] = try cipher.cmac(hex(message))
        #expect(hex(result) == code)
        #expect(hex(try cipher.cmacSubkeys().first.withUnsafeBytes { Array($0) }) == "FBEED618357133667C85E08F7236A8DE")
    }

    @Test(arguments: [(BlockCipher.Algorithm.aes, 16), (.aes, 32), (.tripleDES, 8), (.tripleDES, 16), (.tripleDES, 24)])
    func `a chained code from zeros is the library's`(algorithm: BlockCipher.Algorithm, keyLength: Int) throws {
        var generator = SplitMix(seed: 4493)
        for count in 0..<70 {
            let cipher = try BlockCipher(algorithm, key: SecretBytes(generator.bytes(count: keyLength)))
            let message = generator.bytes(count: count)
            let code: [UInt8] = try cipher.cmac(message)
            #expect(try cipher.chainedCMAC(message, vector: cipher.zeroVector) == code)
        }
    }
}
