import Foundation
import TestSupport
import Testing

@testable import VirtualTags

/// The rows of secure-tags.jsonl, where the shared vectors are available.
enum NTAG424Vectors {
    /// A row: bytes are given in hexadecimal, texts under names with `_ascii`.
    struct Row {
        let name: String
        let operation: String
        private let inputs: [String: Any]
        private let expected: [String: Any]

        init?(_ line: Substring) throws {
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let row, let name = row["id"] as? String, let operation = row["op"] as? String else { return nil }
            (self.name, self.operation) = (name, operation)
            inputs = row["inputs"] as? [String: Any] ?? [:]
            expected = row["expected"] as? [String: Any] ?? [:]
        }

        func bytes(_ name: String) -> [UInt8] { hex(text(name) ?? "") }
        func text(_ name: String) -> String? { inputs[name] as? String ?? expected[name] as? String }
        func number(_ name: String) -> Int { inputs[name] as? Int ?? expected[name] as? Int ?? 0 }
        func flag(_ name: String) -> Bool { expected[name] as? Bool ?? false }
        func list(_ name: String) -> [[UInt8]] { (expected[name] as? [String] ?? []).map { hex($0) } }
        func numbers(_ name: String) -> [Int] { inputs[name] as? [Int] ?? [] }
        func ascii(_ name: String) -> [UInt8] { Array((text(name) ?? "").utf8) }
        func has(_ name: String) -> Bool { inputs[name] != nil || expected[name] != nil }
    }

    static let path: String = {
        if let folder = ProcessInfo.processInfo.environment["NFCD_VECTORS"] { return folder + "/secure-tags.jsonl" }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return root.appending(path: "../shared/vectors/secure-tags.jsonl").standardizedFileURL.path
    }()

    static let isAvailable = FileManager.default.isReadableFile(atPath: path)

    static func rows(_ operations: String...) throws -> [Row] {
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        return try text.split(separator: "\n").compactMap { try Row($0) }.filter { operations.contains($0.operation) }
    }
}

/// The cryptography of the virtual NTAG 424 DNA with published values and those of real tags.
@Suite(.enabled(if: NTAG424Vectors.isAvailable, "secure-tags.jsonl is not available"))
struct NTAG424VectorTests {
    private typealias Row = NTAG424Vectors.Row

    private static let zero = [UInt8](repeating: 0, count: 16)

    // MARK: Primitives

    @Test func `CMAC and the checksum are the published ones`() throws {
        let rows = try NTAG424Vectors.rows("aes_cmac")
        #expect(!rows.isEmpty)
        for row in rows {
            #expect(
                AES128(key: row.bytes("key")).authenticationCode(row.bytes("message")) == row.bytes("cmac"),
                "\(row.name)")
        }
        for row in try NTAG424Vectors.rows("crc32_desfire") {
            #expect(NTAG424Keys.checksum(row.bytes("data")) == row.bytes("crc_wire"), "\(row.name)")
        }
    }

    @Test func `LRP has the published plaintexts, keys and values`() throws {
        for row in try NTAG424Vectors.rows("lrp_plaintexts") {
            let all = NTAG424LRP.plaintexts(of: row.bytes("key"))
            #expect(row.numbers("indices").map { all[$0] } == row.list("plaintexts"), "\(row.name)")
        }
        for row in try NTAG424Vectors.rows("lrp_updated_keys") {
            #expect(NTAG424LRP.updatedKeys(of: row.bytes("key"), count: row.number("count")) == row.list("keys"))
        }
        let rows = try NTAG424Vectors.rows("lrp_evaluate")
        #expect(rows.count > 5)
        for row in rows {
            let nibbles = (row.text("iv_nibbles") ?? "").compactMap { UInt8(String($0), radix: 16) }
            let lrp = NTAG424LRP(key: row.bytes("key"), updatedKey: row.number("updated_key"))
            #expect(lrp.evaluated(nibbles, isFinal: row.number("finalize") == 1) == row.bytes("result"), "\(row.name)")
        }
    }

    @Test func `LRICB and the CMAC of LRP are the published ones`() throws {
        let rows = try NTAG424Vectors.rows("lricb_encrypt")
        #expect(rows.count > 5)
        for row in rows {
            let plain = row.number("padding") == 1 ? AES128.padded(row.bytes("plain")) : row.bytes("plain")
            let lrp = NTAG424LRP(key: row.bytes("key"))
            #expect(lrp.encrypt(plain, counter: row.bytes("counter")) == row.bytes("cipher"), "\(row.name)")
            #expect(lrp.decrypt(row.bytes("cipher"), counter: row.bytes("counter")) == plain, "\(row.name)")
        }
        for row in try NTAG424Vectors.rows("lrp_cmac") {
            let lrp = NTAG424LRP(key: row.bytes("key"))
            #expect(lrp.authenticationCode(row.bytes("message")) == row.bytes("cmac"), "\(row.name)")
            if row.has("k1") { #expect(lrp.subkeys.whole == row.bytes("k1"), "\(row.name)") }
            if row.has("k2") { #expect(lrp.subkeys.partial == row.bytes("k2"), "\(row.name)") }
        }
    }

    // MARK: Authentication and secure messaging

    /// The card's side computes the answer of the tag from the reader's token.
    @Test func `authentications are answered as real tags do`() throws {
        let rows = try NTAG424Vectors.rows(
            "ev2_auth_first", "ev2_auth_nonfirst", "ev2_auth_first_observed", "lrp_auth_first")
        #expect(rows.count == 8)
        for row in rows {
            let isLRP = row.operation == "lrp_auth_first"
            let key = row.bytes("key")
            let randomB = isLRP ? row.bytes("rnd_b") : AES128(key: key).decryptCBC(row.bytes("enc_rnd_b"))
            let token = row.has("token") ? row.bytes("token") : Array(row.bytes("part2_apdu").dropFirst(5).dropLast())
            let first = NTAG424Session(key: 0, cipher: .lrp(master: []), transaction: [1, 2, 3, 4], counter: 7)
            let handshake = NTAG424Handshake(
                key: 0, value: key, continued: row.operation == "ev2_auth_nonfirst" ? first : nil, randomB: randomB,
                isLRP: isLRP,
                capabilities: .init(
                    card: [isLRP ? 0x02 : 0x00, 0, 0, 0, 0, 0], reader: [isLRP ? 0x02 : 0x00, 0, 0, 0, 0, 0]))
            if !isLRP { #expect(handshake.challenge == row.bytes("enc_rnd_b"), "\(row.name)") }
            let (session, answer) = try handshake.finished(token, transaction: row.bytes("ti"))
            #expect(answer == row.bytes("response"), "\(row.name)")
            if row.has("ti") { #expect(session.transaction == row.bytes("ti"), "\(row.name)") }
        }
    }

    @Test func `session keys are the published ones`() throws {
        for row in try NTAG424Vectors.rows("ev2_session_keys", "ev2_auth_first", "ev2_auth_nonfirst")
        where row.has("ses_enc") {
            let keys = NTAG424Cipher.aes(
                key: row.bytes("key"), randomA: row.bytes("rnd_a"), randomB: row.bytes("rnd_b"))
            let wanted = NTAG424Cipher.aes(
                encryption: AES128(key: row.bytes("ses_enc")), authentication: AES128(key: row.bytes("ses_mac")))
            #expect(keys == wanted, "\(row.name)")
        }
        for row in try NTAG424Vectors.rows("lrp_session") {
            let keys = NTAG424Cipher.lrp(
                key: row.bytes("key"), randomA: row.bytes("rnd_a"), randomB: row.bytes("rnd_b"))
            #expect(keys == .lrp(master: row.bytes("master")), "\(row.name)")
        }
    }

    @Test func `the vector of a command is the published one`() throws {
        for row in try NTAG424Vectors.rows("ev2_iv") {
            let key = AES128(key: row.bytes("ses_enc"))
            var keys = NTAG424Cipher.aes(encryption: key, authentication: key)
            let counter = row.number("cmd_ctr")
            let encrypted = keys.encrypt(
                Self.zero, row.text("direction") == "command" ? .command : .response,
                position: row.bytes("ti") + [UInt8(counter & 0xFF), UInt8(counter >> 8)])
            #expect(key.decrypt(encrypted) == row.bytes("iv"), "\(row.name)")
        }
    }

    private static func modes(_ row: Row) -> (command: NTAG424Session.Mode, response: NTAG424Session.Mode?) {
        func mode(_ name: String?) -> NTAG424Session.Mode? {
            ["plain": .plain, "mac": .authenticated, "full": .full][name ?? ""] ?? nil
        }
        let command = mode(row.text("mode")) ?? .plain
        return (command, row.has("response_mode") ? mode(row.text("response_mode")) : command)
    }

    /// The card opens the command, and seals the same response.
    @Test func `exchanges are those of the notes and of real tags`() throws {
        let rows = try NTAG424Vectors.rows("ev2_exchange", "lrp_exchange")
        #expect(rows.count == 29)
        for row in rows {
            var cipher = NTAG424Cipher.aes(
                encryption: AES128(key: row.bytes("ses_enc")), authentication: AES128(key: row.bytes("ses_mac")))
            if row.has("master") {
                cipher = .lrp(master: row.bytes("master"), blocks: UInt32(row.number("enc_ctr")))
            }
            var session = NTAG424Session(
                key: 0, cipher: cipher, transaction: row.bytes("ti"), counter: UInt16(row.number("cmd_ctr")))
            let (command, response) = Self.modes(row)
            let content = Array(row.bytes("apdu").dropFirst(5).dropLast())
            let (header, data) = try session.opened(
                row.bytes("ins")[0], content, headerSize: row.bytes("header").count, command)
            #expect(header == row.bytes("header") && data == row.bytes("data"), "\(row.name)")
            guard let response, row.has("response") else { continue }
            let status = row.has("sw2") ? row.bytes("sw2")[0] : 0x00
            let earlier = row.bytes("mac_over")
            let plain =
                row.has("response_plain")
                ? row.bytes("response_plain")
                : response == .full ? [] : Array(row.bytes("response").dropLast(8))
            let sealed = session.sealed(earlier + plain, response, status: status)
            #expect(Array(sealed.dropFirst(earlier.count)) == row.bytes("response"), "\(row.name)")
        }
    }

    @Test func `the data of ChangeKey gives the new key`() throws {
        for row in try NTAG424Vectors.rows("change_key_plain") {
            let number: UInt8 = row.has("old_key") ? 1 : 0
            var keys = try NTAG424Keys([number: row.has("old_key") ? row.bytes("old_key") : Self.zero])
            try keys.change(number, row.bytes("plain"))
            #expect(keys[number] == row.bytes("new_key") && keys.version(of: number) == row.bytes("version")[0])
        }
    }

    @Test func `settings of real tags are taken and given back`() throws {
        let rows = try NTAG424Vectors.rows("file_settings")
        #expect(rows.count == 4)
        for row in rows {
            let payload = row.bytes("payload")
            guard payload[1] & 0x40 != 0 else { continue }
            let bytes = Array(payload.dropFirst(7))
            let settings = try NTAG424SDMSettings(
                bytes, bounds: .init(fileSize: 256, isLRP: false, hasTamperLoop: false, counter: 0))
            #expect(settings.bytes == bytes, "\(row.name)")
            #expect(settings.encryptedIdentityOffset == row.number("picc_offset"), "\(row.name)")
            #expect(settings.codeOffset == row.number("mac_offset"), "\(row.name)")
        }
    }
}

/// Secure Dynamic Messaging and originality with the shared vectors.
@Suite(.enabled(if: NTAG424Vectors.isAvailable, "secure-tags.jsonl is not available"))
struct NTAG424MessageVectorTests {
    private static func keys(_ row: NTAG424Vectors.Row, _ identifier: [UInt8], _ counter: [UInt8]) -> NTAG424Cipher {
        NTAG424SDM.keys(
            row.bytes("file_read_key"), context: identifier + counter, isLRP: row.operation == "sdm_verify_lrp")
    }

    @Test func `session keys and codes are the published ones`() throws {
        for row in try NTAG424Vectors.rows("sdm_session_keys") {
            let wanted = NTAG424Cipher.aes(
                encryption: AES128(key: row.bytes("k_enc")), authentication: AES128(key: row.bytes("k_mac")))
            #expect(Self.keys(row, row.bytes("uid"), row.bytes("ctr_le")) == wanted, "\(row.name)")
        }
        let rows = try NTAG424Vectors.rows("sdm_mac")
        #expect(rows.count == 3)
        for row in rows {
            let keys = Self.keys(row, row.bytes("uid"), row.bytes("ctr_le"))
            #expect(keys.wholeCode(row.ascii("mac_input_ascii")) == row.bytes("cmac_full"), "\(row.name)")
            #expect(keys.code(row.ascii("mac_input_ascii")) == row.bytes("sdmmac"), "\(row.name)")
        }
    }

    @Test func `PICCData is made as real tags make it`() throws {
        for row in try NTAG424Vectors.rows("sdm_picc_decrypt") {
            let plain = row.bytes("plain")
            let counter = plain[8..<11].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let mirrored = try Self.message(
                "40 C1 F1 0F 000000", identifier: row.bytes("uid"), meta: row.bytes("meta_read_key"), file: nil,
                run: .init(command: .readData, counter: counter, random: Array(plain[11...])))
            #expect(mirrored.hasPrefix(hex(row.bytes("picc_enc"))), "\(row.name)")
        }
    }

    /// The content of a file of 256 bytes with settings: the option, then the rest of ChangeFileSettings.
    private static func message(
        _ settings: String, identifier: [UInt8], meta: [UInt8]?, file: [UInt8]?, run: NTAG424SDM.Run,
        isLRP: Bool = false,
        content: [UInt8] = []
    ) throws -> String {
        let parsed = try NTAG424SDMSettings(
            Array(hex(settings).dropFirst()),
            bounds: .init(fileSize: 256, isLRP: isLRP, hasTamperLoop: true, counter: 0))
        let mirror = NTAG424SDM(
            settings: parsed, identifier: identifier, isLRP: isLRP, metaReadKey: meta, fileReadKey: file)
        let whole = content + [UInt8](repeating: 0, count: 256 - content.count)
        return String(decoding: mirror.mirrored(whole, run: run), as: UTF8.self)
    }

    /// UID and counter come out of PICCData; the same PICCData, encrypted data and code come out of the card again.
    @Test func `whole messages are those of real tags`() throws {
        let rows = try NTAG424Vectors.rows("sdm_verify", "sdm_verify_lrp")
        #expect(rows.count == 9)
        for row in rows {
            let isLRP = row.operation == "sdm_verify_lrp"
            let shown = row.bytes(isLRP ? "picc_data" : "picc_enc")
            let meta = row.bytes("meta_read_key")
            let plain =
                isLRP
                ? NTAG424LRP(key: meta).decrypt(Array(shown.dropFirst(8)), counter: Array(shown.prefix(8)))
                : AES128(key: meta).decryptCBC(shown)
            let counter = plain[8..<11].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            #expect(Int(counter) == row.number("ctr"), "\(row.name)")
            let keys = Self.keys(row, Array(plain[1..<8]), Array(plain[8..<11]))
            let isRight = keys.code(row.ascii("mac_input_ascii")) == row.bytes("sdmmac")
            #expect(isRight == row.flag("mac_ok"), "\(row.name)")
            let run = NTAG424SDM.Run(
                command: .readBinary, counter: counter,
                random: (isLRP ? Array(shown.prefix(8)) : []) + plain[11...])
            let mirrored = try Self.message(
                "40 C1 F1 0F 000000", identifier: Array(plain[1..<8]), meta: meta, file: nil, run: run, isLRP: isLRP)
            #expect(mirrored.hasPrefix(hex(shown)), "\(row.name)")
            guard row.has("enc"), row.has("file_data") else { continue }
            // PICCData at 0, the encrypted data at 64, the code at 128.
            let data = try Self.message(
                "40 D1 F1 00 000000 400000 400000 200000 800000", identifier: Array(plain[1..<8]), meta: meta,
                file: row.bytes("file_read_key"), run: run, isLRP: isLRP,
                content: [UInt8](repeating: 0, count: 64) + row.bytes("file_data"))
            #expect(data.dropFirst(64).hasPrefix(hex(row.bytes("enc"))), "\(row.name)")
        }
    }

    @Test func `plain messages are those of real tags`() throws {
        let rows = try NTAG424Vectors.rows("sdm_verify_plain")
        #expect(rows.count == 2)
        for row in rows {
            let counter = row.bytes("ctr_msb").reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let mirrored = try Self.message(
                "40 C1 FF E0 000000 0E0000 140000 140000", identifier: row.bytes("uid"), meta: nil,
                file: row.bytes("file_read_key"), run: .init(command: .readData, counter: counter, random: []))
            let wanted = hex(row.bytes("uid") + row.bytes("ctr_msb") + row.bytes("sdmmac"))
            #expect(mirrored.hasPrefix(wanted) == row.flag("mac_ok"), "\(row.name)")
        }
    }

    @Test func `signatures of real tags are valid on the curve of the model`() throws {
        for row in try NTAG424Vectors.rows("originality_p224") {
            let isValid = NTAG424Signature(row.bytes("signature"))
                .isValid(over: row.bytes("uid"), publicKey: row.bytes("public_key"))
            #expect(isValid == row.flag("valid"), "\(row.name)")
            let other = NTAG424Signature(row.bytes("signature"))
                .isValid(over: row.bytes("uid").reversed(), publicKey: row.bytes("public_key"))
            #expect(!other, "\(row.name)")
        }
    }
}

/// A signature as a test verifies it (SEC 1, §4.1.4).
struct NTAG424Signature {
    let r: VirtualP224.Scalar
    let s: VirtualP224.Scalar

    init(_ bytes: [UInt8]) {
        r = VirtualP224.Scalar(Array(bytes.prefix(VirtualP224.size)))
        s = VirtualP224.Scalar(Array(bytes.dropFirst(VirtualP224.size)))
    }

    func isValid(over message: [UInt8], publicKey: [UInt8]) -> Bool {
        let point = VirtualP224.Point(x: Array(publicKey[1..<29]), y: Array(publicKey[29...]))
        let inverse = s.inverse
        let sum =
            VirtualP224.multiplied(VirtualP224.Scalar(message) * inverse) + VirtualP224.multiplied(r * inverse, point)
        return VirtualP224.Scalar(VirtualP224.multiplied(VirtualP224.Scalar.one, sum).x.bytes) == r
    }
}
