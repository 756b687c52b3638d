import Cryptography
import TestSupport
import Testing

@Suite("Cryptography")
struct CryptographyTests {
    /// FIPS 180-4 and the examples of NIST.
    @Test(arguments: [
        ("", "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"),
        ("616263", "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"),
    ])
    func `SHA-256 has the hashes of the standard`(message: String, hash: String) {
        #expect(hex(SHA256.hash(hex(message))) == hash)
    }

    /// FIPS 180-4 and the examples of NIST.
    @Test(arguments: [
        ("", "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709"), ("616263", "A9993E364706816ABA3E25717850C26C9CD0D89D"),
    ])
    func `SHA-1 has the hashes of the standard`(message: String, hash: String) {
        #expect(hex(SHA1.hash(hex(message))) == hash)
    }

    /// RFC 4231, test cases 1, 2 and 6; and no message, with no key.
    @Test(arguments: [
        ("", "", "B613679A0814D9EC772F95D778C35FC5FF1697C493715653C6C712144292C5AD"),
        (
            String(repeating: "0B", count: 20), "4869205468657265",
            "B0344C61D8DB38535CA8AFCEAF0BF12B881DC200C9833DA726E9376C2E32CFF7"
        ),
        (
            "4A656665", "7768617420646F2079612077616E7420666F72206E6F7468696E673F",
            "5BDCC146BF60754E6A042426089575C75A003F089D2739839DEC58B964EC3843"
        ),
        (
            String(repeating: "AA", count: 131),
            "54657374205573696E67204C6172676572205468616E20426C6F636B2D53697A65204B6579202D2048617368204B6579204669727374",
            "60E431591EE0B67F0D8A26AACBF5B77F8E0BC6213728C5140546040F0EE37F54"
        ),
    ])
    func `HMAC has the codes of the standard`(key: String, message: String, code: String) {
        #expect(hex(HMACSHA256.code(of: hex(message), key: SecretBytes(hex(key)))) == code)
    }

    /// RFC 5869, test case 1, the first 32 bytes.
    @Test func `HKDF has the key of the standard`() throws {
        let key = try HKDFSHA256.key(
            from: SecretBytes([UInt8](repeating: 0x0B, count: 22)), salt: hex("000102030405060708090A0B0C"),
            purpose: hex("F0F1F2F3F4F5F6F7F8F9"))
        #expect(
            hex(key.withUnsafeBytes { Array($0) }) == "3CB25F25FAACD57A90434F64D0362F2A2D2D0A90CF1A5A4C5DB02D56ECC4C5BF"
        )
    }

    /// NIST SP 800-38A, F.2.1 and F.2.5: the first two blocks.
    @Test(arguments: [
        (
            "2B7E151628AED2A6ABF7158809CF4F3C",
            "7649ABAC8119B246CEE98E9B12E9197D5086CB9B507219EE95DB113A917678B2"
        ),
        (
            "603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4",
            "F58C4C04D6E5F1BA779EABFB5F7BFBD69CFC4E967EDB808D679F777BC6702C7D"
        ),
    ])
    func `AES-CBC has the blocks of the standard, and reads them back`(key: String, cipher: String) throws {
        let plain = "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51"
        let vector = hex("000102030405060708090A0B0C0D0E0F")
        let aes = AESCBC(key: SecretBytes(hex(key)))
        #expect(hex(try aes.encrypt(hex(plain), vector: vector)) == cipher)
        #expect(hex(try aes.decrypt(hex(cipher), vector: vector)) == plain)
    }

    @Test(arguments: [(15, 16, 16), (16, 15, 16), (16, 16, 15), (16, 0, 16), (0, 16, 16), (17, 16, 32)])
    func `AES-CBC refuses keys, vectors and blocks of other lengths`(key: Int, vector: Int, count: Int) {
        let aes = AESCBC(key: SecretBytes([UInt8](repeating: 1, count: key)))
        let (vector, blocks) = ([UInt8](repeating: 2, count: vector), [UInt8](repeating: 3, count: count))
        #expect(throws: CryptographyError.self) { try aes.encrypt(blocks, vector: vector) }
        #expect(throws: CryptographyError.self) { try aes.decrypt(blocks, vector: vector) }
    }

    @Test func `what is sealed opens with the same key and bytes only, and unchanged`() throws {
        let (aes, other) = (AESGCM(key: SecretBytes(randomCount: 32)), AESGCM(key: SecretBytes(randomCount: 32)))
        let sealed = try aes.seal([1, 2, 3], authenticating: [9])
        #expect(try aes.open(sealed, authenticating: [9]) == [1, 2, 3])
        #expect(throws: CryptographyError.self) { try other.open(sealed, authenticating: [9]) }
        #expect(throws: CryptographyError.self) { try aes.open(sealed, authenticating: [8]) }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x80
            #expect(throws: CryptographyError.self) { try aes.open(changed, authenticating: [9]) }
            #expect(throws: CryptographyError.self) { try aes.open(Array(sealed[..<index]), authenticating: [9]) }
        }
    }

    /// RFC 6979, A.2.5: the key, and its public point.
    private static let number = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"
    private static let point =
        "0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
        + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"

    @Test func `a private number has the point of the standard`() throws {
        let key = try P256Key(number: hex(Self.number))
        #expect(hex(key.point) == Self.point)
        #expect(hex(key.number) == Self.number)
    }

    /// RFC 6979, A.2.5, with SHA-256, message "sample", as DER.
    @Test func `the signature of the standard is one, and no changed one`() throws {
        let signature = hex(
            "3046022100EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
                + "022100F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")
        #expect(P256Key.isSignature(signature, of: Array("sample".utf8), point: hex(Self.point)))
        #expect(!P256Key.isSignature(signature, of: Array("simple".utf8), point: hex(Self.point)))
        let own = try P256Key(number: hex(Self.number)).sign(Array("sample".utf8))
        #expect(P256Key.isSignature(own, of: Array("sample".utf8), point: hex(Self.point)))
        #expect(!P256Key.isSignature(own, of: Array("sample".utf8), point: P256Key().point))
    }

    /// The same signature as two numbers.
    @Test func `a signature of two numbers is one, and no changed one`() {
        let signature = hex(
            "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
                + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")
        let isValid = { P256Signature.isValid($0, of: Array("sample".utf8), point: hex(Self.point)) }
        #expect(isValid(signature))
        #expect(!P256Signature.isValid(signature, of: Array("simple".utf8), point: hex(Self.point)))
        #expect(!P256Signature.isValid(signature, of: Array("sample".utf8), point: P256Key().point))
        #expect(!P256Signature.isValid(signature, of: Array("sample".utf8), point: []))
        let zeros = [UInt8](repeating: 0, count: 32)
        let (r, s) = (Array(signature.prefix(32)), Array(signature.suffix(32)))
        let others: [[UInt8]] = [[], zeros, zeros + zeros, r + zeros, zeros + s, signature + [0]]
        for other in others { #expect(!isValid(other)) }
    }

    @Test func `two keys agree on the same secret`() throws {
        let (one, other) = (P256Key(), P256Key())
        let secrets = try [one.agree(with: other.point), other.agree(with: one.point)]
        #expect(secrets[0].withUnsafeBytes { Array($0) } == secrets[1].withUnsafeBytes { Array($0) })
        #expect(secrets[0].count == 32)
    }

    @Test(arguments: [
        "", "04", "04" + String(repeating: "00", count: 64), "04" + String(repeating: "11", count: 64),
        "02" + String(repeating: "11", count: 32), "06" + point.dropFirst(2), point + "00",
    ])
    func `a point that is not on the curve is refused`(point: String) throws {
        let key = P256Key()
        #expect(throws: CryptographyError.self) { try key.agree(with: hex(point)) }
        #expect(!P256Key.isSignature([0x30, 0], of: [], point: hex(point)))
    }

    @Test(arguments: [
        "", "00", String(repeating: "00", count: 32), String(repeating: "FF", count: 32),
        "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551", number + "00",
    ])
    func `a number outside the range of the curve is refused`(number: String) {
        #expect(throws: CryptographyError.self) { try P256Key(number: hex(number)) }
    }

    @Test func `a secret is not part of a description`() {
        let secret = SecretBytes(Array("password".utf8))
        #expect("\(secret)" == "(secret)")
        #expect(String(reflecting: [secret]).contains("(secret)"))
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("112") && !dumped.contains("memory"))
    }

    @Test func `codes are compared whole`() {
        #expect(SecretBytes.isEqual([], []))
        #expect(SecretBytes.isEqual([1, 2], [1, 2]))
        #expect(!SecretBytes.isEqual([1, 2], [1, 3]))
        #expect(!SecretBytes.isEqual([1, 2], [1]))
    }
}
