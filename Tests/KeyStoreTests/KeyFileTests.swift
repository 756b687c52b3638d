import Cryptography
import FoundationEssentials
import SecureTags
import ServiceSupport
import Testing

@testable import KeyStore

/// The file of keys and profiles.
@Suite struct KeyFileTests {
    private static let value = "8C1F5E02B7A94D36F0E1D2C3B4A59687"

    private static func file(_ text: String) async throws -> KeyFile {
        try await KeyFile(bytes: SecretBytes(Array(text.utf8)), file: "keys.toml")
    }

    private static func key(_ name: String, _ rest: String = "") -> String {
        "[[key]]\nname = \"\(name)\"\nvalue = \"\(value)\"\n\(rest)\n"
    }

    @Test func `keys and profiles are read`() async throws {
        let file = try await Self.file(
            Self.key("door") + Self.key("meta", "version = 7\nstate = \"previous\"") + Self.key("file") + """
                [[profile]]
                name = "front"
                tag = "ntag424"
                tag-key = "door"
                system-id = "6E666364"
                [[profile]]
                name = "web"
                tag = "ntag424"
                method = "sun"
                meta-key = "meta"
                file-key = "file"
                url = "https://ex.am/?p={picc}&c={mac}"
                [[profile]]
                name = "fob"
                tag = "desfire"
                tag-key = "door"
                application = "F51CD6"
                messaging = "ev1"
                """)
        let key = try #require(TagKey(hexadecimal: Self.value))
        #expect(try file.ring.entry("door", version: 1)?.master.shared().isEqual(to: key) == true)
        #expect(file.ring.entry("meta", version: 7)?.state == .previous)
        #expect(file.profiles.map(\.name) == ["front", "web", "fob"])
        #expect(file.profiles[0].systemIdentifier == [0x6E, 0x66, 0x63, 0x64] && file.profiles[0].uriHost == nil)
        #expect(file.profiles[1].uriHost == "ex.am" && file.profiles[1].keys == [.meta: "meta", .file: "file"])
        #expect(file.profiles[2].application == [0xF5, 0x1C, 0xD6] && file.profiles[2].messaging == .ev1)
    }

    /// A file with a key `a`, and a profile `p` with these lines.
    private static func profile(_ lines: String...) -> String {
        (["[[key]]", "name = \"a\"", "value = \"\(value)\"", "[[profile]]", "name = \"p\""] + lines)
            .joined(separator: "\n")
    }

    /// A file with one key of these lines.
    private static func keyTable(_ lines: String...) -> String {
        (["[[key]]"] + lines).joined(separator: "\n")
    }

    private static let line = "value = \"\(value)\""

    static let errors: [(text: String, words: String)] = [
        (keyTable(line), "key[0]: name is missing"),
        (keyTable("name = \"a\""), "expected one of value, file, credential and pkcs11"),
        (keyTable("name = \"a\"", "value = \"8C1F5E02B7A94D36F0E1D2C3B4A596\""), "expected 32 hexadecimal digits"),
        (keyTable("name = \"a\"", "value = \"0123\""), "expected 32 hexadecimal digits"),
        (keyTable("name = \"a b\"", line), "letters, digits"),
        (keyTable("name = \"a\"", line, "version = 0"), "from 1 to 255"),
        (keyTable("name = \"a\"", line, "state = \"old\""), "\"current\", \"previous\", \"next\""),
        (keyTable("name = \"a\"", line, "[[key]]", "name = \"a\"", line), "has version 1 twice"),
        (keyTable("name = \"a\"", line, "[[key]]", "name = \"a\"", line, "version = 2"), "two current versions"),
        (keyTable("name = \"a\"", line, "colour = 1"), "unknown key"),
        (keyTable("name = \"a\"", "credential = \"x\""), "systemd passed no credentials"),
        (profile("tag = \"ntag424\"", "tag-key = \"b\""), "there is no key \"b\""),
        (profile("tag = \"ntag424\""), "tag-key is missing"),
        (profile("tag = \"ntag424\"", "method = \"sun\"", "file-key = \"a\""), "url is missing"),
        (
            profile(
                "tag = \"ntag424\"", "method = \"sun\"", "file-key = \"a\"", "meta-key = \"a\"",
                "url = \"https://ex.am/?p={picc}&c={mac}\""), "must not be used for anything else"
        ),
        (
            profile("tag = \"ntag424\"", "method = \"sun\"", "file-key = \"a\"", "url = \"https://ex.am/?p={uid}\""),
            "{mac}"
        ),
        (sunWithTamper("https://ex.am/?u={uid}&n={ctr}&c={mac}"), "does not show the tamper loop; add {tt}"),
        (profile("tag = \"desfire\"", "tag-key = \"a\""), "application is missing"),
        (profile("tag = \"desfire\"", "tag-key = \"a\"", "method = \"sun\""), "only an NTAG 424"),
        (
            profile("tag = \"desfire\"", "tag-key = \"a\"", "meta-key = \"a\"", "application = \"F51CD6\""),
            "no such key"
        ),
    ]

    private static func sunWithTamper(_ url: String) -> String {
        profile("tag = \"ntag424\"", "method = \"sun\"", "file-key = \"a\"", "tamper = true", "url = \"\(url)\"")
    }

    @Test(arguments: ["t={tt}&", "e={enc:32:tt}&"])
    func `a profile of messages may expect a tamper loop that its URL shows`(part: String) async throws {
        let file = try await Self.file(Self.sunWithTamper("https://ex.am/?u={uid}&n={ctr}&\(part)c={mac}"))
        #expect(file.profiles[0].expectsTamper)
    }

    @Test(arguments: errors)
    func `an error names the place and shows no key`(text: String, words: String) async throws {
        let error = try await #require(throws: ConfigurationError.self) { _ = try await Self.file(text) }
        #expect(error.description.contains(words), "\(error)")
        #expect(!error.description.contains(Self.value.prefix(16)))
    }

    @Test(arguments: [
        "value = \"\(value)\"", "value='\(value)'", "# value = \"\(value)\"",
        "value = \"\(value.lowercased())\" # \(value)",
        "x = { value = \"\(value)\" }", "value = \"\(value)", "\"value\" = \"\(value)\"",
    ])
    func `no key is in the text that is parsed`(line: String) {
        let text = KeyText(SecretBytes(Array("a = 1\n\(line)\n".utf8)))
        let words = String(decoding: text.redacted, as: UTF8.self)
        #expect(words.utf8.count == line.utf8.count + 7)
        #expect(!words.uppercased().contains(Self.value.prefix(8)), "\(words)")
    }

    @Test func `descriptions show no key`() async throws {
        let file = try await Self.file(Self.key("door"))
        var words = ""
        dump(file, to: &words)
        #expect(
            !words.uppercased().contains(Self.value.prefix(8)) && !"\(file)".uppercased().contains(Self.value.prefix(8))
        )
    }

    // MARK: Files

    private static func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let path = FileManager.default.temporaryDirectory.path + "/keys-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    private static func write(_ text: String, _ path: String, mode: Int = 0o600) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o620])
    func `a file that others can read or write is refused`(mode: Int) async throws {
        try await Self.withFolder { folder in
            try Self.write(Self.key("a"), "\(folder)/keys.toml", mode: mode)
            let error = try await #require(throws: ConfigurationError.self) {
                _ = try await KeyFile(file: "\(folder)/keys.toml")
            }
            #expect(error.description.contains("chmod 600"))
        }
    }

    @Test func `a symbolic link is refused`() async throws {
        try await Self.withFolder { folder in
            try Self.write(Self.key("a"), "\(folder)/real.toml")
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/keys.toml", withDestinationPath: "\(folder)/real.toml")
            await #expect(throws: ConfigurationError.self) { _ = try await KeyFile(file: "\(folder)/keys.toml") }
        }
    }

    @Test func `keys in files and credentials are read in both forms`() async throws {
        try await Self.withFolder { folder in
            let key = try #require(TagKey(hexadecimal: Self.value))
            let bytes = key.secret.withUnsafeBytes { Array($0) }
            try Self.write(Self.value + "\n", "\(folder)/one")
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/two"))
            try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: "\(folder)/two")
            let text = """
                [[key]]
                name = "one"
                file = "\(folder)/one"
                [[key]]
                name = "two"
                credential = "two"
                """
            try Self.write(text, "\(folder)/keys.toml")
            let file = try await KeyFile(file: "\(folder)/keys.toml", credentials: folder)
            for name in ["one", "two"] {
                #expect(try file.ring.entry(name, version: 1)?.master.shared().isEqual(to: key) == true)
            }
        }
    }

    // MARK: Changes

    @Test func `a new file is made with a key that only its owner can read`() async throws {
        try await Self.withFolder { folder in
            var editor = try await KeyFileEditor(file: "\(folder)/keys.toml")
            try await editor.generate("door")
            try await editor.generate("meta")
            let mode =
                try FileManager.default.attributesOfItem(atPath: "\(folder)/keys.toml")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let file = try await KeyFile(file: "\(folder)/keys.toml")
            #expect(file.ring.entries.map(\.name) == ["door", "meta"])
            #expect(try !file.ring.entries[0].master.shared().isEqual(to: file.ring.entries[1].master.shared()))
            await #expect(throws: ConfigurationError.self) { try await editor.generate("door") }
        }
    }

    @Test func `rotation keeps the version before, comments and all else`() async throws {
        try await Self.withFolder { folder in
            let path = "\(folder)/keys.toml"
            try Self.write(
                "# mine\n" + Self.key("door", "# a note\nstate = \"current\" # now") + Self.key("other"), path)
            var editor = try await KeyFileEditor(file: path)
            #expect(try await editor.rotate("door") == (1, 2))
            #expect(try await editor.rotate("other") == (1, 2))
            let file = try await KeyFile(file: path)
            #expect(file.ring.versions(of: "door").map(\.version) == [2, 1])
            #expect(file.ring.versions(of: "door").map(\.state) == [.current, .previous])
            let key = try #require(TagKey(hexadecimal: Self.value))
            #expect(try file.ring.entry("door", version: 1)?.master.shared().isEqual(to: key) == true)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.hasPrefix("# mine\n") && text.contains("# a note"))
        }
    }

    @Test func `a prepared version becomes the current one`() async throws {
        try await Self.withFolder { folder in
            var editor = try await KeyFileEditor(file: "\(folder)/keys.toml")
            try await editor.generate("door")
            #expect(try await editor.rotate("door", isPreparing: true) == (1, 2))
            await #expect(throws: ConfigurationError.self) { try await editor.rotate("door", isPreparing: true) }
            #expect(editor.ring.versions(of: "door").map(\.state) == [.current, .next])
            #expect(try await editor.rotate("door") == (1, 2))
            #expect(editor.ring.versions(of: "door").map(\.version) == [2, 1])
            await #expect(throws: ConfigurationError.self) { try await editor.rotate("none") }
        }
    }

    @Test func `a folder that is missing is made on request, and is not private`() async throws {
        try await Self.withFolder { folder in
            let path = "\(folder)/nfcd/keys.toml"
            var editor = try await KeyFileEditor(file: path, makesFolder: true)
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/nfcd"))
            try await editor.generate("door")
            try await editor.generate("meta")
            for (path, mode) in [("\(folder)/nfcd", 0o755), (path, 0o600)] {
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
            }
        }
    }

    @Test(arguments: [false, true]) func `an error names the folder that is missing, and nothing is made`(
        makesFolder: Bool
    ) async throws {
        try await Self.withFolder { folder in
            let missing = makesFolder ? "\(folder)/a/b" : "\(folder)/a"
            var editor = try await KeyFileEditor(file: "\(missing)/keys.toml", makesFolder: makesFolder)
            let error = await #expect(throws: ConfigurationError.self) { try await editor.generate("door") }
            let text = try #require(error).description
            #expect(text.contains("folder \(missing)"), "\(text)")
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/a"))
        }
    }

    @Test(arguments: [
        ("dor", "there is no key dor; did you mean \"door\"?"),
        ("gatehouse", "there is no key gatehouse; there are door, old"),
        ("old", "key old has no current version; set state = \"current\" for one"),
    ]) func `a name that cannot be rotated is answered with the nearest`(name: String, words: String) async throws {
        try await Self.withFolder { folder in
            let path = "\(folder)/keys.toml"
            try Self.write(Self.key("door") + Self.key("old", "state = \"previous\""), path)
            var editor = try await KeyFileEditor(file: path)
            let error = await #expect(throws: ConfigurationError.self) { _ = try await editor.rotate(name) }
            #expect(error?.description.hasSuffix(words) == true, "\(error?.description ?? "")")
        }
    }
}
