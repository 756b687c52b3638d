import Cryptography
import TestSupport
import Testing

@testable import SecureTags

/// Derived keys, codes and check sums.
enum KeyVectors {
    typealias Results = [String: VectorRow.Value]

    static func diversify(_ row: VectorRow) throws -> Results {
        let master = try #require(row.key("master_key"))
        let key =
            row.text("algorithm") == "aes128"
            ? try KeyDiversification.aes128(
                master: master, input: row.bytes("div_input"),
                padding: row.has("pad_to_two_blocks") && row.number("pad_to_two_blocks") == 0
                    ? .wholeBlocks : .twoBlocks)
            : try KeyDiversification.tripleDES(master: master, input: row.bytes("div_input"))
        return ["key": .hexadecimal(key.secret)]
    }

    static func boltcard(_ row: VectorRow) throws -> Results {
        let keys = try BoltcardKeys(
            issuer: try #require(row.key("issuer_key")), uid: row.bytes("uid"), version: UInt32(row.number("version")))
        var results: Results = [
            "card_key": .hexadecimal(keys.cardKey.secret), "card_id": .hexadecimal(keys.cardID),
        ]
        for (number, key) in keys.keys.enumerated() { results["k\(number)"] = .hexadecimal(key.secret) }
        return results
    }

    static func sdmBackend(_ row: VectorRow) throws -> Results {
        let keys = SDMBackendKeys(master: try #require(row.key("master_key")))
        return ["key": .hexadecimal(try keys.key(number: UInt8(row.number("key_no")), uid: row.bytes("uid")).secret)]
    }

    static func aesCMAC(_ row: VectorRow) throws -> Results { try cmac(row, .aes) }
    static func tripleDESCMAC(_ row: VectorRow) throws -> Results { try cmac(row, .tripleDES) }

    private static func cmac(_ row: VectorRow, _ algorithm: BlockCipher.Algorithm) throws -> Results {
        let cipher = try BlockCipher(algorithm, key: row.secret("key"))
        let code: [UInt8] = try cipher.cmac(row.bytes("message"))
        #expect(try cipher.chainedCMAC(row.bytes("message"), vector: cipher.zeroVector) == code)
        return ["cmac": .hexadecimal(code)]
    }

    static func subkeys(_ row: VectorRow) throws -> Results {
        let subkeys = try BlockCipher(.tripleDES, key: row.secret("key")).cmacSubkeys()
        return ["k1": .hexadecimal(subkeys.first), "k2": .hexadecimal(subkeys.second)]
    }

    static func checkSum(_ row: VectorRow) throws -> Results {
        ["crc_wire": .hexadecimal(CRC32.checkSum(row.bytes("data")))]
    }

    static func transactionMAC(_ row: VectorRow) throws -> Results {
        let keys = try TransactionMACKeys(
            key: row.secret("key"), counter: UInt32(row.number("tmc")), uid: row.bytes("uid"))
        return ["k_mac": .hexadecimal(keys.code), "k_enc": .hexadecimal(keys.encryption)]
    }

    static func originality(_ row: VectorRow) throws -> Results {
        let signer = UIDSignature.signer(of: row.bytes("uid"), signature: row.bytes("signature"))
        return ["valid": .truth(signer?.point == row.bytes("public_key"))]
    }

    static func icode(_ row: VectorRow) throws -> Results {
        let masked = try ICODEPassword.masked(row.bytes("password"), random: row.bytes("random"))
        return ["xor_password": .hexadecimal(masked)]
    }
}
