import NFCTypes
import Testing

@testable import NDEF

@Suite("OpenPrintTag, UUIDs")
struct OpenPrintTagUUIDTests {
    private static let identifier: [UInt8] = [0xE0, 0x04, 0x01, 0x08, 0x66, 0x2F, 0x6F, 0xBC]

    private static func uuids(main: String, identifier: [UInt8]? = identifier) throws -> OpenPrintTagUUIDs {
        let record = try OpenPrintTagRecord(payload: [0xA0] + bytes(main))
        return OpenPrintTagUUIDs(of: record, tagIdentifier: identifier, sha1: SHA1.hash)
    }

    @Test(arguments: [
        ("", "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709"), ("abc", "A9993E364706816ABA3E25717850C26C9CD0D89D"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983E441C3BD26EBAAE4AA1F95129E5E54670F1"),
    ])
    func `the hash of these tests is SHA-1`(_ text: String, _ hash: String) {
        #expect(SHA1.hash(Array(text.utf8)).hexadecimal == hash)
    }

    @Test func `UUIDs follow from names, and from the tag's identifier`() throws {
        let uuids = try Self.uuids(main: "BF 0B 69 50727573616D656E74 FF")
        #expect(uuids.brand?.hexadecimal == "AE5FF34E298E50C98F7792A97FB30B09")
        #expect(uuids.instance?.hexadecimal == "BF63E92D9CA553D79FABFFDD0240C585")
        #expect(uuids.material == nil)
        #expect(uuids.package == nil)
        #expect(try Self.uuids(main: "BF 0B 69 50727573616D656E74 FF", identifier: nil).instance == nil)
        // Without a brand, nothing is known.
        #expect(try Self.uuids(main: "BF 04 01 0A 6161 FF") == Self.uuids(main: "A0"))
    }

    @Test func `a UUID on the tag takes precedence, and others follow from it`() throws {
        let given = "000102030405060708090A0B0C0D0E0F"
        let uuids = try Self.uuids(main: "BF 00 50\(given) 03 50\(given) 0A 6161 0B 6162 FF")
        #expect(uuids.brand?.hexadecimal == given)
        #expect(uuids.instance?.hexadecimal == given)
        #expect(uuids.material != nil)
        #expect(try uuids.material != Self.uuids(main: "BF 0A 6161 0B 6162 FF").material)
    }

    @Test(
        .enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing),
        arguments: SpoolVectors.rows("openprinttag.uuid"))
    func `the UUIDs of the shared vectors`(_ row: SpoolRow) throws {
        func text(_ name: String) throws -> [UInt8] { CBORWriter.text(try #require(row.given[name]?.string)) }
        let gtin = try #require(row.given["gtin"]?.string.flatMap(UInt64.init))
        let main = try CBORWriter.map([
            [0x04] + CBORWriter.unsigned(gtin), [0x0A] + text("material_name"), [0x0B] + text("brand_name"),
        ])
        let record = try OpenPrintTagRecord(payload: [0xA0] + main)
        let uuids = try OpenPrintTagUUIDs(of: record, tagIdentifier: row.givenBytes("uid"), sha1: SHA1.hash)
        check(uuids, row.expect)
    }

    @Test(
        .enabled(if: !SpoolVectors.rows.isEmpty, SpoolVectors.missing),
        arguments: SpoolVectors.rows("openprinttag.image").filter { $0.given["uid"]?.string != nil })
    func `the UUIDs of whole tags`(_ row: SpoolRow) throws {
        let record = try OpenPrintTagRecord(payload: row.imagePayload().payload)
        let uuids = try OpenPrintTagUUIDs(of: record, tagIdentifier: row.givenBytes("uid"), sha1: SHA1.hash)
        check(uuids, try #require(row.expect["uuids"]))
    }

    private func check(_ uuids: OpenPrintTagUUIDs, _ expected: VectorValue) {
        let all = [
            ("brand", uuids.brand), ("material", uuids.material), ("package", uuids.package),
            ("instance", uuids.instance),
        ]
        for (name, uuid) in all {
            let digits = expected["\(name)_uuid"]?.string?.filter { $0 != "-" }.uppercased()
            #expect(uuid?.hexadecimal == digits, "\(name)")
        }
    }
}

/// SHA-1 (FIPS 180-4), for these tests alone.
private enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        bytes += UInt64(message.count * 8).bigEndianBytes
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for start in stride(from: 0, to: bytes.count, by: 64) { add(bytes[start..<start + 64], to: &state) }
        return state.flatMap(\.bigEndianBytes)
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<80 {
            words.append(rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (mix, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotated(a, 5) &+ mix &+ e &+ constant &+ words[index]
            (a, b, c, d, e) = (next, a, rotated(b, 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] = state[index] &+ value }
    }

    private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}
