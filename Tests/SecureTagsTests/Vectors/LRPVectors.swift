import Cryptography
import TestSupport
import Testing

@testable import SecureTags

/// The leakage resilient primitive.
enum LRPVectors {
    typealias Results = [String: VectorRow.Value]

    static func plaintexts(_ row: VectorRow) throws -> Results {
        let plaintexts = try LRPKey.plaintexts(row.secret("key"))
        let chosen = row.list("indices").compactMap { value -> VectorRow.Value? in
            guard case .number(let index) = value else { return nil }
            return .hexadecimal(plaintexts.slice(16 * index..<16 * index + 16))
        }
        return ["plaintexts": .list(chosen)]
    }

    static func updatedKeys(_ row: VectorRow) throws -> Results {
        let keys = try (0..<row.number("count")).map { try LRPKey.updatedKey(row.secret("key"), $0) }
        return ["keys": .list(keys.map { .hexadecimal($0) })]
    }

    static func evaluate(_ row: VectorRow) throws -> Results {
        let nibbles = row.text("iv_nibbles").compactMap { $0.hexDigitValue.map(UInt8.init) }
        let key = try LRPKey(row.secret("key"), updatedKey: row.number("updated_key"))
        return ["result": .hexadecimal(try key.evaluate(nibbles, isFinal: row.number("finalize") == 1))]
    }

    static func encrypt(_ row: VectorRow) throws -> Results {
        var counter = row.bytes("counter")
        let plain = row.number("padding") == 1 ? SecretBytes(padding: row.secret("plain"), to: 16) : row.secret("plain")
        let key = try LRPKey(row.secret("key"))
        let cipher = try key.encrypt(plain, counter: &counter)
        var again = row.bytes("counter")
        #expect(try key.decrypt(cipher, counter: &again).isEqual(plain))
        return ["cipher": .hexadecimal(cipher)]
    }

    static func cmac(_ row: VectorRow) throws -> Results {
        let key = try LRPKey(row.secret("key"))
        let subkeys = try key.cmacSubkeys()
        return [
            "cmac": .hexadecimal(try key.cmac(row.secret("message"))), "k1": .hexadecimal(subkeys.first),
            "k2": .hexadecimal(subkeys.second),
        ]
    }

    static func master(_ row: VectorRow) throws -> Results {
        let master = try LRPCipher.master(
            key: row.secret("key"), ours: row.secret("rnd_a"), theirs: row.secret("rnd_b"))
        return ["master": .hexadecimal(master)]
    }

    static func authenticate(_ row: VectorRow) throws -> Results {
        var authentication = try LRPAuthentication(key: row.secret("key"), keyNumber: 0, nonce: row.secret("rnd_a"))
        let token = try authentication.token(for: [0x01] + row.bytes("rnd_b"))
        let session = try authentication.session(for: row.bytes("response"))
        #expect(session.cipher.blockCounter == 1)
        return [
            "part2_apdu": .hexadecimal(SessionVectors.apdu(0xAF, token)), "ti": .hexadecimal(session.identifier),
            "picc_response_ok": .truth(true),
        ]
    }

    static func exchange(_ row: VectorRow) throws -> Results {
        let cipher = try LRPCipher(master: row.secret("master"), blockCounter: UInt32(row.number("enc_ctr")))
        var session = LRPSession(
            identifier: row.bytes("ti"), counter: UInt16(row.number("cmd_ctr")), cipher: cipher)
        var results = try SessionVectors.exchange(row, &session)
        results["enc_ctr_after"] = .number(Int(session.cipher.blockCounter))
        return results
    }
}
