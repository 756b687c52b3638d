import Foundation
import TestSupport
import Testing

@testable import VirtualTags

/// The rows of secure-tags.jsonl.
enum SecureTagVectors {
    /// A row, its values in hexadecimal or as numbers.
    struct Row {
        let id: String
        let inputs: [String: Any]
        let expected: [String: Any]

        func input(_ name: String) -> [UInt8] { hex(inputs[name] as? String ?? "") }
        func expects(_ name: String) -> [UInt8]? { (expected[name] as? String).map { hex($0) } }
    }

    static let path: String = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return folder + "/secure-tags.jsonl" }
        let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return root.appending(path: "../shared/vectors/secure-tags.jsonl").standardizedFileURL.path
    }()

    static let isAvailable = FileManager.default.isReadableFile(atPath: path)

    /// The rows of an operation, at least so many.
    static func rows(_ operation: String, atLeast count: Int = 1) throws -> [Row] {
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        let rows = try text.split(separator: "\n").compactMap { line -> Row? in
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let row, row["op"] as? String == operation else { return nil }
            return Row(
                id: row["id"] as? String ?? "", inputs: row["inputs"] as? [String: Any] ?? [:],
                expected: row["expected"] as? [String: Any] ?? [:])
        }
        #expect(rows.count >= count)
        return rows
    }
}

/// Published values for DESFire cards from the shared vectors, computed by the model's code.
@Suite(.enabled(if: SecureTagVectors.isAvailable, "secure-tags.jsonl is not available"))
struct `Published values for DESFire` {
    static func cipher(_ key: [UInt8]) -> DESFireCipher { DESFireCipher(des: key) }

    @Test func `hold for codes`() throws {
        for row in try SecureTagVectors.rows("tdes_cmac_subkeys", atLeast: 2) {
            let cipher = Self.cipher(row.input("key"))
            #expect(cipher.subkey(1) == row.expects("k1"), "\(row.id)")
            #expect(cipher.subkey(2) == row.expects("k2"), "\(row.id)")
        }
        for row in try SecureTagVectors.rows("tdes_cmac", atLeast: 8) {
            let cipher = Self.cipher(row.input("key"))
            #expect(
                cipher.authenticationCode(row.input("message"), vector: cipher.zero) == row.expects("cmac"), "\(row.id)"
            )
        }
        for row in try SecureTagVectors.rows("aes_cmac", atLeast: 2) {
            let cipher = DESFireCipher(aes: row.input("key"))
            #expect(
                cipher.authenticationCode(row.input("message"), vector: cipher.zero) == row.expects("cmac"), "\(row.id)"
            )
        }
    }

    @Test func `hold for checksums and blocks`() throws {
        for row in try SecureTagVectors.rows("crc32_desfire", atLeast: 2) {
            #expect(DESFireChecksum.long(row.input("data")) == row.expects("crc_wire"), "\(row.id)")
        }
        // What a reader of D40 receives, it decrypts.
        for row in try SecureTagVectors.rows("d40_block") {
            let cipher = Self.cipher(row.input("key"))
            #expect(cipher.decryptCBC(row.input("data"), vector: cipher.zero) == row.expects("out"), "\(row.id)")
        }
    }

    static let authentications: [(String, DESFireAuthentication, DESFireKeyKind)] = [
        ("ev1_aes_auth", .aes, .aes), ("iso_des_auth", .standard, .des), ("d40_des_auth", .legacy, .des),
    ]

    @Test(arguments: authentications)
    func `hold for authentications`(operation: String, method: DESFireAuthentication, kind: DESFireKeyKind) throws {
        for row in try SecureTagVectors.rows(operation) {
            let given = row.input("key")
            let key = DESFireKey(kind, given.count == 8 ? given + given : given)
            let randomB = try #require(row.expects("rnd_b"))
            let handshake = DESFireHandshake(method, number: 0, key: key, randomB: randomB)
            #expect(handshake.challenge == row.input("enc_rnd_b"), "\(row.id)")
            let token = try #require(row.expects("token"))
            #expect(try handshake.finished(token, transaction: []).answer == row.input("response"), "\(row.id)")
            #expect(key.sessionKey(row.input("rnd_a"), randomB) == row.expects("session_key"), "\(row.id)")
            var wrong = token
            wrong[token.count - 1] ^= 1
            #expect(throws: NativeStatus.authenticationError) { try handshake.finished(wrong, transaction: []) }
        }
    }

    @Test func `hold for authentications of EV2`() throws {
        var count = 0
        for row in try SecureTagVectors.rows("ev2_auth_first", atLeast: 3) {
            // One row has no RndB.
            guard let randomB = row.expects("rnd_b") else { continue }
            count += 1
            let transaction = try #require(row.expects("ti"))
            let handshake = DESFireHandshake(
                .first, number: 0, key: DESFireKey(.aes, row.input("key")), randomB: randomB)
            #expect(handshake.challenge == row.input("enc_rnd_b"), "\(row.id)")
            let keys = DESFireCountedMessaging.sessionKeys(
                key: row.input("key"), randomA: row.input("rnd_a"), randomB: randomB)
            #expect(keys.encryption == row.expects("ses_enc"), "\(row.id)")
            #expect(keys.authentication == row.expects("ses_mac"), "\(row.id)")
            guard let part2 = row.expects("part2_apdu"), row.expects("pcdcap2") == nil else { continue }
            let answer = try handshake.finished(Array(part2[5..<37]), transaction: transaction).answer
            #expect(answer == row.input("response"), "\(row.id)")
        }
        #expect(count >= 2)
    }

    @Test func `hold for messages of EV2 with DESFire Light`() throws {
        var count = 0
        for row in try SecureTagVectors.rows("ev2_exchange", atLeast: 20)
        where ["ev2-cmd-10", "ev2-cmd-11", "ev2-cmd-13"].contains(row.id) {
            count += 1
            try Self.exchange(row)
        }
        #expect(count == 3)
        for row in try SecureTagVectors.rows("ev2_iv") {
            let isResponse = row.inputs["direction"] as? String == "response"
            let messaging = Self.messaging(row)
            let vector = messaging.vector(
                isResponse ? [0x5A, 0xA5] : [0xA5, 0x5A], row.inputs["cmd_ctr"] as? Int ?? 0)
            #expect(vector == row.expects("iv"), "\(row.id)")
        }
    }

    private static func messaging(_ row: SecureTagVectors.Row) -> DESFireCountedMessaging {
        DESFireCountedMessaging(
            encryption: row.input("ses_enc"), authentication: row.input("ses_mac"),
            transaction: DESFireTransaction(
                identifier: row.input("ti"), counter: row.inputs["cmd_ctr"] as? Int ?? 0))
    }

    /// The card's side of an exchange: it opens the command and protects the answer.
    private static func exchange(_ row: SecureTagVectors.Row) throws {
        var messaging = messaging(row)
        let apdu = try #require(row.expects("apdu"))
        let payload = Array(apdu.dropFirst(5).dropLast())
        let header = row.input("header")
        let data = row.input("data")
        let command = DESFireProtectedCommand(
            instruction: apdu[1], header: header, body: Array(payload.dropFirst(header.count)))
        #expect(messaging.size(of: data.count, .full, inner: false) == command.body.count, "\(row.id)")
        #expect(try messaging.open(command, count: data.count, .full, inner: false).data == data, "\(row.id)")
        let answer = messaging.seal(row.expects("response_plain") ?? [], .full, status: .done, isOpenEnded: false)
        #expect(answer == row.input("response"), "\(row.id)")
    }

    @Test func `hold for the keys of a transaction`() throws {
        for row in try SecureTagVectors.rows("tmac_session_keys", atLeast: 2) {
            let keys = DESFireTransactionCode.sessionKeys(
                key: row.input("key"), counter: row.inputs["tmc"] as? Int ?? 0, identifier: row.input("uid"))
            #expect(keys.authentication == row.expects("k_mac"), "\(row.id)")
            #expect(keys.encryption == row.expects("k_enc"), "\(row.id)")
        }
    }
}
