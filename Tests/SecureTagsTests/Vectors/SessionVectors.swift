import Cryptography
import TestSupport
import Testing

@testable import SecureTags

/// EV2 authentication and messaging.
enum SessionVectors {
    typealias Results = [String: VectorRow.Value]

    static func apdu(_ instruction: UInt8, _ field: [UInt8]) -> [UInt8] {
        [0x90, instruction, 0, 0] + (field.isEmpty ? [] : [UInt8(field.count)] + field) + [0]
    }

    private static func decrypted(_ row: VectorRow) throws -> SecretBytes {
        try BlockCipher.aes128(row.secret("key")).decryptCBC(
            row.bytes("enc_rnd_b"), vector: [UInt8](repeating: 0, count: 16))
    }

    /// The session keys are private: they are compared by what they compute.
    private static func keys(_ row: VectorRow, _ ours: SecretBytes, _ session: EV2Session) throws -> Results {
        let theirs = try decrypted(row)
        let context = SessionContext.bytes(ours: ours, theirs: theirs)
        let cipher = try BlockCipher.aes128(row.secret("key"))
        let encryption: SecretBytes = try cipher.cmac(SecretBytes(joining: hex("A55A00010080"), context))
        let code: SecretBytes = try cipher.cmac(SecretBytes(joining: hex("5AA500010080"), context))
        let expected = EV2Cipher(encryptionKey: encryption, codeKey: code)
        let message = SecretBytes([1, 2, 3])
        #expect(try session.cipher.code(message) == expected.code(message))
        #expect(
            try session.cipher.vector(.command, identifier: [1, 2, 3, 4], counter: 1)
                == expected.vector(.command, identifier: [1, 2, 3, 4], counter: 1))
        return [
            "rnd_b": .hexadecimal(theirs), "ses_enc": .hexadecimal(encryption), "ses_mac": .hexadecimal(code),
            "ti": .hexadecimal(session.identifier),
        ]
    }

    static func authenticate(_ row: VectorRow) throws -> Results {
        var authentication = try EV2Authentication(key: row.secret("key"), keyNumber: 0, nonce: row.secret("rnd_a"))
        let token = try authentication.token(for: row.bytes("enc_rnd_b"))
        let session = try authentication.session(for: row.bytes("response"))
        var results = try keys(row, row.secret("rnd_a"), session)
        results["part2_apdu"] = .hexadecimal(apdu(0xAF, token))
        let plain: SecretBytes = try BlockCipher.aes128(row.secret("key")).decryptCBC(
            row.bytes("response"), vector: [UInt8](repeating: 0, count: 16))
        results["pdcap2"] = .hexadecimal(plain.slice(20..<26))
        return results
    }

    static func authenticateAgain(_ row: VectorRow) throws -> Results {
        let nothing = EV2Cipher(encryptionKey: SecretBytes([]), codeKey: SecretBytes([]))
        let earlier = EV2Session(identifier: [8, 9, 10, 11], counter: 5, cipher: nothing)
        var authentication = try EV2Authentication(
            key: row.secret("key"), keyNumber: 0, continuing: earlier, nonce: row.secret("rnd_a"))
        let token = try authentication.token(for: row.bytes("enc_rnd_b"))
        let session = try authentication.session(for: row.bytes("response"))
        #expect(session.identifier == [8, 9, 10, 11])
        #expect(session.counter == 5)
        var results = try keys(row, row.secret("rnd_a"), session)
        results["part2_apdu"] = .hexadecimal(apdu(0xAF, token))
        results["rnd_a_ok"] = .truth(true)
        return results
    }

    static func observed(_ row: VectorRow) throws -> Results {
        let plain: SecretBytes = try BlockCipher.aes128(row.secret("key")).decryptCBC(
            row.bytes("token"), vector: [UInt8](repeating: 0, count: 16))
        let ours = plain.slice(0..<16)
        var authentication = try EV2Authentication(key: row.secret("key"), keyNumber: 0, nonce: ours)
        #expect(try authentication.token(for: row.bytes("enc_rnd_b")) == row.bytes("token"))
        return try keys(row, ours, authentication.session(for: row.bytes("response")))
    }

    static func sessionKeys(_ row: VectorRow) throws -> Results {
        let context = SessionContext.bytes(ours: row.secret("rnd_a"), theirs: row.secret("rnd_b"))
        let cipher = try BlockCipher.aes128(row.secret("key"))
        let encryption: SecretBytes = try cipher.cmac(SecretBytes(joining: hex("A55A00010080"), context))
        let code: SecretBytes = try cipher.cmac(SecretBytes(joining: hex("5AA500010080"), context))
        return ["ses_enc": .hexadecimal(encryption), "ses_mac": .hexadecimal(code)]
    }

    static func vector(_ row: VectorRow) throws -> Results {
        let cipher = EV2Cipher(encryptionKey: row.secret("ses_enc"), codeKey: row.secret("ses_enc"))
        let vector = try cipher.vector(
            row.text("direction") == "command" ? .command : .answer, identifier: row.bytes("ti"),
            counter: UInt16(row.number("cmd_ctr")))
        return ["iv": .hexadecimal(vector)]
    }

    static func exchange(_ row: VectorRow) throws -> Results {
        let keys = EV2Cipher(
            encryptionKey: row.has("ses_enc") ? row.secret("ses_enc") : SecretBytes([UInt8](repeating: 0, count: 16)),
            codeKey: row.secret("ses_mac"))
        var session = EV2Session(
            identifier: row.bytes("ti"), counter: UInt16(row.number("cmd_ctr")), cipher: keys)
        var results = try exchange(row, &session)
        results["cmd_ctr_after"] = .number(Int(session.counter))
        return results
    }

    /// A command and its answer, as the row has them.
    static func exchange<Cipher>(_ row: VectorRow, _ session: inout TransactionSession<Cipher>) throws -> Results {
        let modes: [String: CommunicationMode] = ["plain": .plain, "mac": .mac, "full": .full]
        let mode = try #require(modes[row.text("mode")])
        let answerMode = row.has("response_mode") ? modes[row.text("response_mode")] : mode
        let command = SecureCommand(
            row.bytes("ins")[0], header: row.bytes("header"), secret: row.secret("data"), mode: mode,
            answerMode: answerMode)
        var results: Results = ["apdu": .hexadecimal(apdu(command.instruction, try session.protect(command)))]
        guard row.has("response") || answerMode == nil else { return results }
        let status = row.has("sw2") ? row.bytes("sw2")[0] : command.instruction == 0x3C ? 0x90 : 0x00
        let earlier = row.bytes("mac_over")
        let answer = try session.open(earlier + row.bytes("response"), status: status)
        results["response_mac_ok"] = .truth(true)
        // The row has the last frame of an answer in several frames.
        results["response_plain"] = .hexadecimal(Array(answer.dropFirst(earlier.count)))
        return results
    }

    static func keyChange(_ row: VectorRow) throws -> Results {
        let change = KeyChange(
            number: row.has("old_key") ? 1 : 0, new: row.secret("new_key"),
            old: row.has("old_key") ? row.secret("old_key") : nil, version: UInt8(row.number("version")))
        return ["plain": .hexadecimal(change.plain)]
    }
}
