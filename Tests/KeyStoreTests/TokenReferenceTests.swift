import Cryptography
import Foundation
import NFCTypes
import SecureTags
import ServiceSupport
import Testing

@testable import KeyStore

/// What is known of tokens without one.
@Suite(.timeLimit(.minutes(1))) struct TokenReferenceTests {
    // MARK: URIs

    @Test func `a URI as tools print it is read`() throws {
        let uri = try TokenURI(
            "pkcs11:model=SoftHSM%20v2;manufacturer=SoftHSM%20project;serial=f380825cf141b0a3;token=door;id=%01%aB;"
                + "object=door-master;type=secret-key?module-path=/usr/lib/a.so&pin-source=file:///etc/nfcd/door.pin")
        #expect(uri.token[.model] == Array("SoftHSM v2".utf8) && uri.token[.token] == Array("door".utf8))
        #expect(uri.token[.serial] == Array("f380825cf141b0a3".utf8) && uri.token.count == 4)
        #expect(uri.object == TokenURI.Object(label: Array("door-master".utf8), identifier: [0x01, 0xAB]))
        #expect(uri.module == "/usr/lib/a.so" && uri.pinFile == "/etc/nfcd/door.pin")
    }

    @Test(arguments: ["file:/etc/pin", "file:///etc/pin", "/etc/pin"])
    func `the source of the PIN has three forms`(source: String) throws {
        #expect(try TokenURI("pkcs11:token=a;object=b?pin-source=\(source)").pinFile == "/etc/pin")
    }

    static let invalid: [(uri: String, words: String)] = [
        ("", "expected a URI"), ("token=a;object=b", "expected a URI"), ("PKCS11:token=a;object=b", "expected a URI"),
        ("pkcs11:", "names no token"), ("pkcs11:object=b", "names no token"),
        ("pkcs11:manufacturer=a;object=b", "names no token"), ("pkcs11:token=a", "names no key"),
        ("pkcs11:token=;object=b", "token has no value"), ("pkcs11:token;object=b", "expected attributes"),
        ("pkcs11:=a;object=b", "expected attributes"), ("pkcs11:token=a;token=b;object=c", "token is there twice"),
        ("pkcs11:token=a;object=%", "object has no value"), ("pkcs11:token=a;object=%4", "object has no value"),
        ("pkcs11:token=a;object=%zz", "object has no value"), ("pkcs11:token=a b;object=c", "token has no value"),
        ("pkcs11:token=a;object=b;slot-id=1", "slot-id is not supported"),
        ("pkcs11:token=a;object=b;type=private", "only type=secret-key"),
        ("pkcs11:token=a;object=b;8C1F5E02B7A94D36=c", "an attribute is not supported"),
        ("pkcs11:token=a;object=b?pin-value=123456", "a PIN does not belong"),
        ("pkcs11:token=a;object=b?pin-source=|cat", "pin-source must be the path"),
        ("pkcs11:token=a;object=b?pin-source=file:pin", "pin-source must be the path"),
        ("pkcs11:token=a;object=b?module-path=a.so", "module-path must be the path"),
        ("pkcs11:token=a;object=b?module-path=/a%00.so", "module-path must be the path"),
        ("pkcs11:token=a;object=b?module-name=softhsm2", "module-name is not supported"),
        ("pkcs11:token=a?object=b", "object is not supported"),
    ]

    @Test(arguments: invalid)
    func `a malformed URI is refused`(uri: String, words: String) throws {
        let error = try #require(throws: TokenError.self) { _ = try TokenURI(uri) }
        #expect(error.description.contains(words), "\(error)")
        #expect(!error.description.contains("123456") && !error.description.contains("8C1F5E02"))
    }

    // MARK: Files

    private static func file(_ text: String, _ extent: KeyFile.Extent) async throws -> KeyFile {
        try await KeyFile(bytes: SecretBytes(Array(text.utf8)), file: "keys.toml", extent)
    }

    private static let token = """
        [pkcs11]
        module = "/usr/lib/none.so"
        [[key]]
        name = "door"
        pkcs11 = "pkcs11:token=door;object=door-master"
        """

    @Test func `names are listed without the token`() async throws {
        let file = try await Self.file(Self.token + "\n[[key]]\nname = \"a\"\ncredential = \"a\"", .references)
        #expect(file.origins.map(\.place) == ["token door, object door-master", "credential a"])
        #expect(file.origins.map(\.isInToken) == [true, false])
        #expect(file.origins.allSatisfy { $0.unreadReason != nil })
        await #expect(throws: TokenError.self) {
            _ = try await file.ring.entries[0].master.derived(from: [1], padding: .twoBlocks)
        }
    }

    @Test func `a person can check a file with credentials of the unit`() async throws {
        let text =
            "[[key]]\nname = \"a\"\ncredential = \"a\"\n[[key]]\nname = \"b\"\nvalue = \"8C1F5E02B7A94D36F0E1D2C3B4A59687\""
        let file = try await Self.file(text, .attended)
        #expect(file.origins[0].unreadReason == "credential a is passed by the unit, only to its own program")
        #expect(file.origins[1].unreadReason == nil)
        await #expect(throws: ConfigurationError.self) { _ = try await Self.file(text, .everything) }
    }

    @Test func `a message whose key a token does not make is neither failed nor proven`() async throws {
        let text = """
            [[key]]
            name = "meta"
            value = "9A10F00D5EED0123456789ABCDEF1357"
            [[key]]
            name = "file"
            pkcs11 = "pkcs11:token=web;object=file"
            [pkcs11]
            module = "/usr/lib/none.so"
            [[profile]]
            name = "web"
            tag = "ntag424"
            method = "sun"
            meta-key = "meta"
            file-key = "file"
            url = "https://ex.am/?p={picc}&c={mac}"
            """
        let url = "https://ex.am/?p=43B2C6B8B7BFD0C0B224F3B69B4096A1&c=917C1E23EA05F98E"
        let file = try await Self.file(text, .references)
        let proof = await SUNVerifier(profiles: file.profiles, keys: file.ring)
            .verify(url, counters: CounterBook())?.proof
        #expect(proof?.status == .incomplete && proof?.reason == "the key could not be derived: it is in a token")
        let value = "value = \"246813579BDFACE00FEEDC0FFEE5EED1\""
        let whole = try await Self.file(
            text.replacingOccurrences(of: "pkcs11 = \"pkcs11:token=web;object=file\"", with: value), .references)
        let known = await SUNVerifier(profiles: whole.profiles, keys: whole.ring)
            .verify(url, counters: CounterBook())?.proof
        #expect(known?.status == .proven)
    }

    static let settings: [(lines: String, words: String)] = [
        ("module = \"softhsm.so\"", "pkcs11.module: expected the path"),
        ("pin-file = \"pin\"", "pkcs11.pin-file: expected the path"),
        ("pin-file = \"/pin\"\npin-credential = \"pin\"", "expected one of pin-file and pin-credential"),
        ("pin = \"123456\"", "pkcs11.pin: unknown key"),
    ]

    @Test(arguments: settings)
    func `settings of tokens are checked`(lines: String, words: String) async throws {
        let error = try await #require(throws: ConfigurationError.self) {
            _ = try await Self.file("[pkcs11]\n\(lines)\n", .references)
        }
        #expect(error.description.contains(words) && !error.description.contains("123456"), "\(error)")
    }

    @Test(arguments: [
        "pin = \"123456\"", "pin='123456'", "\"pin\" = \"123456\"", "  pin\t=\t123456",
        "pkcs11 = \"pkcs11:token=a;object=b?pin-value=123456\"", "# pin = 123456", "x = { pin = \"123456\" }",
        "pkcs11 = \"pkcs11:token=a;object=b?pin-value=123456&module-path=/a\"",
    ])
    func `no PIN is in the text that is parsed`(line: String) {
        let text = KeyText(SecretBytes(Array("a = 1\n\(line)\nb = 2\n".utf8)))
        let words = String(decoding: text.redacted, as: UTF8.self)
        #expect(words.utf8.count == line.utf8.count + 13)
        #expect(words.hasPrefix("a = 1\n") && words.hasSuffix("\nb = 2\n") && !words.contains("123456"), "\(words)")
    }

    @Test func `where a PIN is stays readable`() {
        let lines = "pin-file = \"/etc/pin\"\npin-credential = \"pin\"\nx = \"pkcs11:a=b?pin-source=file:/etc/pin\"\n"
        #expect(KeyText(SecretBytes(Array(lines.utf8))).redacted == Array(lines.utf8))
    }

    // MARK: Changes

    private static func withFile<Value>(_ text: String, _ body: (String) async throws -> Value) async throws -> Value {
        let path = FileManager.default.temporaryDirectory.path + "/keys-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        try SoftHSM.write(text, to: "\(path)/keys.toml")
        return try await body("\(path)/keys.toml")
    }

    @Test func `a key in a token gets its new version from the token`() async throws {
        try await Self.withFile(Self.token) { path in
            var editor = try await KeyFileEditor(file: path)
            for isPreparing in [false, true] {
                let error = try await #require(throws: ConfigurationError.self) {
                    _ = try await editor.rotate("door", isPreparing: isPreparing)
                }
                #expect(error.description.contains("pkcs11-tool --keygen"))
                #expect(error.description.contains("version = 2"))
            }
            try await editor.generate("other")
            #expect(editor.ring.entries.map(\.name) == ["door", "other"])
        }
        let next =
            "\n[[key]]\nname = \"door\"\nversion = 2\nstate = \"next\"\npkcs11 = \"pkcs11:token=door;object=new\"\n"
        try await Self.withFile(Self.token + next) { path in
            var editor = try await KeyFileEditor(file: path)
            #expect(try await editor.rotate("door") == (1, 2))
            #expect(editor.ring.versions(of: "door").map(\.version) == [2, 1])
        }
    }
}
