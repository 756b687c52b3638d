import ISO7816
import Testing

@testable import NFCTags

@Suite struct `Signatures on secp128r1` {
    /// Public key, message and signature. The keys and signatures are OpenSSL's (`openssl pkeyutl -sign` on the unhashed
    /// message).
    static let signed: [(key: String, message: String, signature: String)] = [
        (
            "DCA05CBE45F6E75BE9A1FBD672B885C7EB95871F003BAD02C3C4B591019A377F", "220847D7355D84",
            "AE9F6F71E679FBE8BB5C19E95FA7F54EC658544F595156E0EC22F6659920582D"
        ),
        (
            "DCA05CBE45F6E75BE9A1FBD672B885C7EB95871F003BAD02C3C4B591019A377F", "8C56E2F7",
            "BD7C9A981DE1753E17F504988ECD699BC371EFBC1B2BB6681C746BF38AB9C2DC"
        ),
        (
            "DCA05CBE45F6E75BE9A1FBD672B885C7EB95871F003BAD02C3C4B591019A377F", "39C55F0318561E18E62F629FBC90C4DC",
            "B5E477A43C2A0178C73E9C543DC7132FF65243745DD304079B1E22558595AB0C"
        ),
        (
            "07B6A1EEB3B1D03C490F401F3002DEF90F719D02EB4D68108DE35812B87337C6", "00000000000000",
            "08216BC7EAA5760D79B92F5BB411E934CF1098990BF31DBBAAEFE2A52253A4BD"
        ),
        (
            "39D030761ADBF502E52FFE7753A4DF0148EE8B829B43F81D8AF95DA64AFD2444", "8B0B1F4698235F",
            "B5D69B1F4464804EA04BAAB2D88702E152E17F55E153BF96024364E01826280D"
        ),
        (
            "8E9642B2C0B057532A885D179886F24B7F80B4E0DD1506B05F863B30056A7227", "AD6DA26285569E7D876B40E6440A55BD",
            "F706C6182E2BB65B8E9491271AA658AEA5029F173C38B4999EB34F84047B5979"
        ),
    ]

    static let order = "FFFFFFFE0000000075A30D1B9038A115"

    private static func bytes(_ text: String) throws -> [UInt8] { try #require(Hexadecimal.bytes(text)) }

    private static func point(_ text: String) throws -> SECP128R1.Point {
        let bytes = try bytes(text)
        func number(_ part: ArraySlice<UInt8>) -> UInt128 { part.reduce(0) { $0 << 8 | UInt128($1) } }
        return .init(x: number(bytes.prefix(16)), y: number(bytes.suffix(16)))
    }

    @Test(arguments: signed)
    func `a signature is valid for its message and key only`(
        row: (key: String, message: String, signature: String)
    ) throws {
        let (key, message) = (try Self.point(row.key), try Self.bytes(row.message))
        let signature = try Self.bytes(row.signature)
        #expect(SECP128R1.isValid(signature, of: message, key: key))
        for index in [0, 15, 16, 31] {
            var changed = signature
            changed[index] ^= 0x01
            #expect(!SECP128R1.isValid(changed, of: message, key: key), "byte \(index)")
        }
        var other = message
        other[other.count - 1] ^= 0x80
        #expect(!SECP128R1.isValid(signature, of: other, key: key))
        #expect(!SECP128R1.isValid(signature, of: message, key: try Self.point(Self.otherKey)))
    }

    /// NXP's key for NTAG21x: a point of the curve that signed nothing above.
    private static let otherKey = "494E1A386D3D3CFE3DC10E5DE68A499B1C202DB5B132393E89ED19FE5BE8BC61"

    /// r and s that are 0, the order, above it, or all ones.
    @Test(arguments: [String(repeating: "0", count: 32), order, "FFFFFFFE0000000075A30D1B9038A116", "F"])
    func `r and s outside of the order are refused`(number: String) throws {
        let row = try #require(Self.signed.first)
        let (key, message) = (try Self.point(row.key), try Self.bytes(row.message))
        let number = number.count == 1 ? String(repeating: number, count: 32) : number
        let (r, s) = (String(row.signature.prefix(32)), String(row.signature.suffix(32)))
        for text in [number + s, r + number, number + number] {
            #expect(!SECP128R1.isValid(try Self.bytes(text), of: message, key: key), "\(text)")
        }
    }

    /// s and the order minus s are both valid: ECDSA. r plus the order does not fit 16 bytes or is refused.
    @Test func `the mirrored signature is valid as well`() throws {
        let row = try #require(Self.signed.first)
        let s = try Self.point(row.signature).y
        let mirrored = 0xFFFF_FFFE_0000_0000_75A3_0D1B_9038_A115 - s
        let text = String(mirrored, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 32 - text.count) + text
        let signature = try Self.bytes(row.signature.prefix(32) + padded)
        #expect(SECP128R1.isValid(signature, of: try Self.bytes(row.message), key: try Self.point(row.key)))
    }

    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "DCA05CBE45F6E75BE9A1FBD672B885C7EB95871F003BAD02C3C4B591019A377E",
        "FFFFFFFDFFFFFFFFFFFFFFFFFFFFFFFFEB95871F003BAD02C3C4B591019A377F",
        "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
    ])
    func `nothing is valid with a point off the curve`(key: String) throws {
        let row = try #require(Self.signed.first)
        let key = try Self.point(key)
        #expect(!key.isOnCurve)
        #expect(!SECP128R1.isValid(try Self.bytes(row.signature), of: try Self.bytes(row.message), key: key))
    }

    @Test func `nothing is valid with another length`() throws {
        let row = try #require(Self.signed.first)
        let (key, message) = (try Self.point(row.key), try Self.bytes(row.message))
        let signature = try Self.bytes(row.signature)
        #expect(!SECP128R1.isValid([], of: message, key: key))
        #expect(!SECP128R1.isValid(signature.dropLast(), of: message, key: key))
        #expect(!SECP128R1.isValid(signature + [0], of: message, key: key))
        #expect(!SECP128R1.isValid(signature, of: [UInt8](repeating: 0, count: 17), key: key))
    }

    /// Sums that meet themselves, their opposite and the point at infinity: the base point as the key, with small numbers.
    @Test(arguments: [1, 2, 3] as [UInt8])
    func `small numbers do not trap`(value: UInt8) {
        let base = SECP128R1.Point(
            x: 0x161F_F752_8B89_9B2D_0C28_607C_A52C_5B86, y: 0xCF5A_C839_5BAF_EB13_C02D_A292_DDED_7A83)
        #expect(base.isOnCurve)
        let number = [UInt8](repeating: 0, count: 15) + [value]
        #expect(!SECP128R1.isValid(number + number, of: number, key: base))
        #expect(!SECP128R1.isValid(number + number, of: [], key: base))
    }
}
