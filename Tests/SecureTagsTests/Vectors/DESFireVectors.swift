import Cryptography
import TestSupport
import Testing

@testable import SecureTags

/// DESFire before EV2, and Ultralight C.
enum DESFireVectors {
    typealias Results = [String: VectorRow.Value]

    static func authenticateAES(_ row: VectorRow) throws -> Results { try authenticate(row, .aes) }
    static func authenticateISO(_ row: VectorRow) throws -> Results { try authenticate(row, .tripleDES) }

    private static func authenticate(_ row: VectorRow, _ algorithm: BlockCipher.Algorithm) throws -> Results {
        var authentication = try EV1Authentication(
            algorithm, key: row.secret("key"), keyNumber: 0, nonce: row.secret("rnd_a"))
        let token = try authentication.token(for: row.bytes("enc_rnd_b"))
        _ = try authentication.session(for: row.bytes("response"))
        let cipher = try BlockCipher(algorithm, key: row.secret("key"))
        let theirs: SecretBytes = try cipher.decryptCBC(row.bytes("enc_rnd_b"), vector: cipher.zeroVector)
        let key = DESFireSessionKey.key(
            algorithm, keyLength: row.bytes("key").count, ours: row.secret("rnd_a"), theirs: theirs)
        return [
            "rnd_b": .hexadecimal(theirs), "token": .hexadecimal(token), "rnd_a_ok": .truth(true),
            "session_key": .hexadecimal(key),
        ]
    }

    static func authenticateD40(_ row: VectorRow) throws -> Results {
        var authentication = try D40Authentication(key: row.secret("key"), keyNumber: 0, nonce: row.secret("rnd_a"))
        let token = try authentication.token(for: row.bytes("enc_rnd_b"))
        let key = try authentication.session(for: row.bytes("response"))
        return [
            "rnd_b": .hexadecimal(try D40Cipher(key: row.secret("key")).receive(row.bytes("enc_rnd_b"))),
            "token": .hexadecimal(token), "rnd_a_ok": .truth(true), "session_key": .hexadecimal(key),
        ]
    }

    static func block(_ row: VectorRow) throws -> Results {
        let cipher = try D40Cipher(key: row.secret("key"))
        return [
            "out": row.text("direction") == "receive"
                ? .hexadecimal(try cipher.receive(row.bytes("data")))
                : .hexadecimal(try cipher.send(row.secret("data")))
        ]
    }

    static func keyChange(_ row: VectorRow) throws -> Results {
        var session = try EV1Session(.tripleDES, key: row.secret("session_key"))
        let field = try session.protect(
            KeyChange(number: 0x80, new: row.secret("new_key"), old: nil, version: UInt8(row.number("version"))))
        return [
            "apdu": .hexadecimal(SessionVectors.apdu(0xC4, field)),
            "cryptogram": .hexadecimal(Array(field.dropFirst())),
        ]
    }

    static func ultralightC(_ row: VectorRow) throws -> Results {
        let cipher = try BlockCipher(.tripleDES, key: row.secret("key"))
        let theirs: SecretBytes = try cipher.decryptCBC(row.bytes("enc_rnd_b"), vector: cipher.zeroVector)
        let plain: SecretBytes = try cipher.decryptCBC(row.bytes("token"), vector: row.bytes("enc_rnd_b"))
        let ours = plain.slice(0..<8)
        var authentication = try UltralightAuthentication(.ultralightC, key: row.secret("key"), nonce: ours)
        let frame = try authentication.frame(answering: [0xAF] + row.bytes("enc_rnd_b"))
        var isProof = true
        do { _ = try authentication.session(for: [0x00] + row.bytes("response")) } catch { isProof = false }
        return [
            "rnd_b": .hexadecimal(theirs), "rnd_a": .hexadecimal(ours), "rnd_a_ok": .truth(isProof),
            "rnd_b_ok": .truth(frame == [0xAF] + row.bytes("token")),
        ]
    }
}
