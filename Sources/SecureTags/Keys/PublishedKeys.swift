package import Cryptography
import NFCTypes

/// Keys that everyone knows: those of new tags, and those printed in application notes and examples. They prove nothing.
public enum PublishedKeys {
    /// Each with where it is from.
    private static let list: [(key: String, origin: String)] = [
        // AN12196 Rev 1.8: the keys of Tables 2 and 26 to 28, and those whose exchanges are printed.
        ("5ACE7E50AB65D5D51FD5BF5A16B8205B", "AN12196"),
        ("F3847D627727ED3BC9C4CC050489B966", "AN12196"),
        ("5004BF991F408672B1EF00F08F9E8647", "AN12196"),
        ("66A8CB93269DC9BC2885B7A91B9C697B", "AN12321"),
        // AN10922 and many examples; in both directions.
        ("00112233445566778899AABBCCDDEEFF", "AN10922"),
        ("FFEEDDCCBBAA99887766554433221100", "examples"),
        ("00112233445566778899AABBCCDDEEFF0102030405060708", "AN10922"),
        ("0102030405060708090A0B0C0D0E0F10", "examples"),
        ("000102030405060708090A0B0C0D0E0F", "examples"),
        ("0F0E0D0C0B0A09080706050403020100", "examples"),
        ("101112131415161718191A1B1C1D1E1F", "examples"),
        ("0123456789ABCDEF0123456789ABCDEF", "examples"),
        ("0123456789ABCDEFFEDCBA9876543210", "examples"),
        ("0123456789ABCDEF", "examples"),
        ("F3F9377698707B688EAF84ABE39E3791", "python-desfire"),
        ("00000000000000000000000000000001", "boltcard test vectors"),
        // Ultralight C, delivered: in computing order, as read in memory, and each half reversed.
        ("49454D4B41455242214E4143554F5946", "MF0ICU2"),
        ("425245414B4D454946594F5543414E21", "MF0ICU2"),
        ("214E4143554F594649454D4B41455242", "MF0ICU2"),
        ("46594F5543414E21425245414B4D4549", "MF0ICU2"),
        // NIST SP 800-38A, SP 800-38B.
        ("2B7E151628AED2A6ABF7158809CF4F3C", "NIST"),
        // sdm-backend: the master keys of its tests.
        ("C9EB67DF090AFF47C3B19A2516680B9D", "sdm-backend"),
        ("B95F4C27E3D0BC333792EA968545217F", "sdm-backend"),
        // Published vectors of boltcard.
        ("0C3B25D92B38AE443229DD59AD34B85D", "boltcard test vectors"),
        ("B45775776CB224C75BCDE7CA3704E933", "boltcard test vectors"),
    ]

    private static let secrets: [SecretBytes] = list.map { SecretBytes(Hexadecimal.bytes($0.key) ?? []) }

    /// Whether a key is published: one of the list, or one byte repeated, as `00` and `FF`.
    ///
    /// The time depends on the length only.
    public static func contains(_ key: TagKey) -> Bool { contains(key.secret) }

    package static func contains(_ key: SecretBytes) -> Bool {
        var isPublished = isRepeated(key)
        for secret in secrets {
            let isSame = secret.isEqual(key)
            isPublished = isPublished || isSame
        }
        return isPublished
    }

    /// Whether a key of DES is published: the lowest bit of each byte does not matter.
    ///
    /// The time depends on the length only.
    package static func containsDES(_ key: SecretBytes) -> Bool {
        let key = withoutParity(key)
        var isPublished = isRepeated(key)
        for secret in secrets {
            let isSame = withoutParity(secret).isEqual(key)
            isPublished = isPublished || isSame
        }
        return isPublished
    }

    private static func withoutParity(_ key: SecretBytes) -> SecretBytes {
        SecretBytes(count: key.count) { memory in
            key.withUnsafeBytes { bytes in
                for index in bytes.indices { memory[index] = bytes[index] & 0xFE }
            }
        }
    }

    /// Whether an AES-128 key that is not revealed is published, by its AES-CMAC of a message.
    package static func contains(keyWithCode code: SecretBytes, of message: [UInt8]) -> Bool {
        let repeated = (UInt8.min...UInt8.max).map { SecretBytes([UInt8](repeating: $0, count: TagKey.length)) }
        return (secrets.filter { $0.count == TagKey.length } + repeated).contains { secret in
            let known: SecretBytes? = try? BlockCipher.aes128(secret).cmac(message)
            return known?.isEqual(code) == true
        }
    }

    private static func isRepeated(_ key: SecretBytes) -> Bool {
        key.withUnsafeBytes { bytes in
            bytes.reduce(UInt8(0)) { $0 | ($1 ^ (bytes.first ?? 0)) } == 0
        }
    }
}
