import ISO7816
import Testing

@testable import NFCTags

@Suite struct `NXP's originality signature` {
    /// UIDs with their signatures, as published by people who read their tags, and the answer to GET_VERSION.
    static let genuine: [(version: String, identifier: String, signature: String)] = [
        (
            "0004040201001103", "04AB87F2CA1190",
            "67B1750BCCEB1174F9A33BF20E0226551A6366939B31F949848C3C087350FA90"
        ),
        (
            "0004040201000F03", "04E10CDA993C80",
            "8B76052EE42F5567BEB53238B3E3F9950707C0DCC956B5C5EFCFDB709B2D82B3"
        ),
        (
            "0004040201001303", "04DB0BDA993C80",
            "6048EFD9417CD10F6B7F1818D471A7FE5B46868D2EABDC6307A1E0AAE139D8D0"
        ),
        (
            "0004030101000B03", "04C1285A373080",
            "CEA2EB0B3C95D0844A95B824A7553703B3702378033BF0987899DB70151A19E7"
        ),
        (
            "0004030101000E03", "04C2285A373080",
            "A561506723D422D29ED9F93E60D20B9ED1E05CC1BF81DA19FE500CA0B81CC0ED"
        ),
    ]

    private static func check(_ signature: String, of identifier: String, version: String) throws -> TagOriginality {
        let answer = try #require(Hexadecimal.bytes(version))
        let version = try #require(Type2Version(answer))
        return OriginalitySignature.check(
            try #require(Hexadecimal.bytes(signature)), of: try #require(Hexadecimal.bytes(identifier)),
            version: version)
    }

    @Test(arguments: genuine)
    func `a published signature is genuine for its UID only`(
        row: (version: String, identifier: String, signature: String)
    ) throws {
        #expect(try Self.check(row.signature, of: row.identifier, version: row.version) == .genuine)
        #expect(try Self.check(row.signature, of: "04112233445566", version: row.version) == .notGenuine)
        #expect(try Self.check(row.signature, of: "", version: row.version) == .notGenuine)
        let zeros = String(repeating: "0", count: 64)
        #expect(try Self.check(zeros, of: row.identifier, version: row.version) == .notGenuine)
    }

    @Test func `a signature for another product is not genuine`() throws {
        let row = try #require(Self.genuine.first)
        let ultralight = "0004030101000B03"
        #expect(try Self.check(row.signature, of: row.identifier, version: ultralight) == .notGenuine)
    }

    @Test(arguments: [
        ("another vendor", "0053040201001103"), ("NTAG210", "0004040101000B03"), ("NTAG I2C", "0004040502011303"),
        ("NTAG I2C Plus", "0004040502021303"), ("a later revision of NTAG213", "0004040201010F03"),
    ])
    func `without a public key it is unknown`(name: String, version: String) throws {
        let zeros = String(repeating: "0", count: 64)
        #expect(try Self.check(zeros, of: "04AB87F2CA1190", version: version) == .unknown, "\(name)")
    }

    @Test func `every public key is a point of the curve`() {
        let keys = Type2Product.all.compactMap(\.originalityKey)
        #expect(keys.count == 5)
        for key in keys { #expect(key.isOnCurve) }
    }
}
