import FoundationEssentials
import ServiceSupport
import TestSupport
import Testing

@testable import nfcd

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files that were cut off, built to end the parser, or that another user could replace.
@Suite struct `A configuration file` {
    // MARK: Malformed documents

    private static func times(_ text: String, _ count: Int = 30_000) -> String { String(repeating: text, count: count) }

    private static let deep: [(name: String, text: String)] = [
        ("key", times("a.") + "a = 1\n"), ("header", "[" + times("a.") + "a]\n"),
        ("table", "[[" + times("a.") + "a]]\n"),
        ("quoted", times("\"a\".") + "a = 1\n"), ("literal", times("'a'.") + "a = 1\n"),
        ("spaces", times("a . ") + "a = 1\n"),
        ("arrays", "a = " + times("[") + times("]") + "\n"),
        ("tables", "a = " + times("{a = ") + "1" + times("}") + "\n"),
        ("mixed", "a = " + times("[{a.a.a.a = ", 15_000) + "1" + times("}]", 15_000) + "\n"),
        ("open arrays", "a = " + times("[")), ("after a text", "a = \"\"\n" + times("b.") + "b = 1\n"),
        ("after a long text", "a = \"\"\"x\"\"\"\"\"\n" + times("b.") + "b = 1\n"),
        ("after a long literal", "a = '''x'''''\n" + times("b.") + "b = 1\n"),
        ("after an escape", "a = \"\\\"\"\n" + times("b.") + "b = 1\n"),
        ("after a backslash", "a = '\\'\n" + times("b.") + "b = 1\n"), ("33 levels", times("a.", 32) + "a = 1\n"),
        ("after a comment", "# \"\n" + times("b.") + "b = 1\n"), ("in a table", "a = {" + times("b.") + "b = 1}\n"),
    ]

    @Test(arguments: deep.indices)
    func `is refused if it nests too deeply`(index: Int) {
        let (name, text) = Self.deep[index]
        #expect(throws: ConfigurationError.self, "\(name)") { try ConfigurationSource(text: text, file: "f") }
    }

    @Test(arguments: [
        "a = \"" + times(".") + "\"\n", "# " + times(".") + "\na = 1\n", "a = '''\n" + times("b.") + "\n'''\n",
        times("a.", 31) + "a = 1\n", "a = [1.5, 2.5, " + times("3.5, ", 100) + "]\n",
        "a = \"\"\"\\\n  " + times(".") + "\"\"\"\n",
    ])
    func `may have dots in texts and comments`(text: String) throws {
        _ = try ConfigurationSource(text: text, file: "f")
    }

    @Test(arguments: [
        "[.a]\n", "[a.]\n", "[]\n", "[[]]\n", "[[a]\n", ".a = 1\n", "a. = 1\n", "a..b = 1\n", "= 1\n", "a\n", "a =\n",
        "a = \"\n",
        "a = '''\n", "a = {\n", "a = {b}\n", "a = {b = 1,}\n", "[a]\n[a]\n", "a = 1\na = 2\n", "a = 1\n[a]\n",
        "a = 1\n[[a]]\n",
        "a = [1, 2\n", "a = 99999999999999999999\n", "a = 9999-99-99\n", "a = 1979-05-27T07:32:00+25:61\n",
        "a = \"\\u{0}\"\n",
        "a = \"\\uD800\"\n", "a = \"\\U00110000\"\n", "a = \u{7F}\n", "\u{FEFF}\u{FEFF}a = 1\n", "a = 0x\n",
        "a = 1__0\n",
        "\"a\\u0000b\" = 1\n", "a = \"root\\u0000\"\n", "\u{0}", "a = 1\u{0}\n",
    ])
    func `is refused where it is not TOML`(text: String) {
        #expect(throws: ConfigurationError.self) { try ConfigurationSource(text: text, file: "f") }
    }

    @Test(arguments: [
        ("[log]\n[journal]\n# enabled = false\n[journal]\nenabled = true\n", 4, 2),
        ("a = 1\r\n[ journal ] # of taps\r\n\r\n[journal]\r\n", 4, 2), ("[a.b]\n[a.b]\n", 2, 1),
    ])
    func `names the first place of a section that is there twice`(text: String, line: Int, first: Int) {
        let error = #expect(throws: ConfigurationError.self) { try ConfigurationSource(text: text, file: "f") }
        let words = "is in line \(first) already, write its keys there"
        #expect(error?.description.hasPrefix("f:\(line): ") == true && error?.description.hasSuffix(words) == true)
    }

    @Test(arguments: 0..<4)
    func `survives random changes`(seed: UInt64) {
        var dice = SplitMix(seed: seed)
        let text = Array(
            #"[a]\#nb = "c"\#n[[d]]\#ne = [1, 2, {f = "g", h.i = 1}]\#n'q'."r" = true\#nt = """x\#n"""\#nu = '''z'''\#nv = 1.5e3\#n"#
                .utf8)
        let pieces = Array("\"'[]{}.=,#\n\r \\u0-+:T_".utf8)
        for _ in 0..<500 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...6, using: &dice) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                if Bool.random(using: &dice) {
                    bytes[place] = pieces.randomElement(using: &dice) ?? 0
                } else {
                    bytes.insert(contentsOf: bytes[place...].prefix(12), at: place)
                }
            }
            _ = try? ConfigurationSource(text: String(decoding: bytes, as: UTF8.self), file: "f")
        }
    }

    // MARK: Cut files

    private static let whole = """
        [session]
        timeout = 50
        [log]
        level = "info"
        [[reader]]
        match = "x"
        [[grant]]
        user = "4242"
        capabilities = ["read"]
        formats = ["NDEF"]
        readers = ["*"]
        [[grant]]
        user = "4243"
        [relay]
        user = "none"

        """

    @Test func `does not replace another at any place where it is cut before its end`() throws {
        let old = try Configuration(text: Self.whole, file: "f")
        let grants = try #require(Self.whole.firstRange(of: "[[grant]]"))
        var refused = 0
        for end in Self.whole.indices {
            let text = String(Self.whole[..<end])
            // The last line loses only its end.
            guard !text.hasSuffix("user = \"none\""), let new = try? Configuration(text: text, file: "f") else {
                continue
            }
            do throws(ConfigurationError) {
                try new.check(replacing: old, file: "f")
                Issue.record("a file that was cut after \(Self.whole[..<end].suffix(20)) was taken")
            } catch {
                refused += 1
                if end <= grants.lowerBound { #expect("\(error)".contains("[[grant]]")) }
            }
        }
        #expect(refused > 10)
    }

    @Test(arguments: [
        "grant = []\n[session]\ntimeout = 1\n[log]\nlevel = \"debug\"\n[[reader]]\nmatch = \"y\"\n[relay]\nuser = \"none\"\n",
        "reader = []\n" + whole.replacing("[[reader]]\nmatch = \"x\"\n", with: ""),
        whole + "[server]\n", whole,
    ])
    func `replaces another that has no more sections`(text: String) throws {
        try Configuration(text: text, file: "f").check(
            replacing: try Configuration(text: Self.whole, file: "f"), file: "f")
    }

    @Test(arguments: [
        ("", true), ("\n\n", true), ("# comment\n", true), ("[log]\nlevel = \"info\"", true),
        ("[log]\nlevel = \"info\"\n", false),
        ("[[grant]]", false), ("grant = []", false),
    ])
    func `that looks cut off is reported at start`(text: String, isSuspicious: Bool) throws {
        let place = try Place()
        let file = try place.file("nfcd.toml", text)
        let loader = ConfigurationLoader(file: file)
        let suspicion = loader.suspicion(of: try loader.load())
        #expect((suspicion != nil) == isSuspicious)
        #expect(suspicion.map { $0.contains("the built-in grant applies") } ?? true)
    }

    // MARK: Owners

    /// What another user could do on the way to `a/b/c/f.toml`, or to where its links lead.
    private static let ways: [(name: String, change: @Sendable (Place) throws -> Void)] = [
        ("the file", { chmod($0.path("a/b/c/f.toml"), 0o666) }), ("its folder", { chmod($0.path("a/b/c"), 0o777) }),
        ("its grandparent", { chmod($0.path("a/b"), 0o777) }), ("a folder above", { chmod($0.path("a"), 0o770) }),
        (
            "the folder of a link's target",
            {
                chmod($0.path("t/u"), 0o777)
                try $0.link("a/b/c/f.toml", to: "../../../t/u/f.toml")
            }
        ),
        (
            "the grandparent of a link's target",
            {
                chmod($0.path("t"), 0o777)
                try $0.link("a/b/c/f.toml", to: $0.path("t/u/f.toml"))
            }
        ),
        (
            "the folder of a link in the middle",
            {
                chmod($0.path("t"), 0o777)
                try $0.link("t/v", to: "../s")
                try $0.link("a/b/c", to: "../../t/v")
            }
        ),
        (
            "the owner of the file",
            { try #require(chown($0.path("a/b/c/f.toml"), 4242, gid_t.max) == 0) }
        ),
        ("the owner of a folder", { try #require(chown($0.path("a"), 4242, gid_t.max) == 0) }),
        (
            "the owner of a link",
            {
                try $0.link("a/b/c/f.toml", to: "../../../t/u/f.toml")
                try #require(lchown($0.path("a/b/c/f.toml"), 4242, gid_t.max) == 0)
            }
        ),
    ]

    @Test(.enabled(if: geteuid() == 0), arguments: ways.indices)
    func `is refused if another user can replace it`(index: Int) throws {
        let place = try Place()
        for folder in ["a/b/c", "t/u", "s"] { _ = try place.file("\(folder)/f.toml", "") }
        _ = try ConfigurationFile.text(place.path("a/b/c/f.toml"))
        try Self.ways[index].change(place)
        #expect(throws: ConfigurationError.self, "\(Self.ways[index].name)") {
            try ConfigurationFile.text(place.path("a/b/c/f.toml"))
        }
    }

    @Test func `may be behind links that no other user can replace`() throws {
        let place = try Place()
        _ = try place.file("t/u/f.toml", "[log]\n")
        _ = try place.file("a/b/c/f.toml", "")
        try place.link("a/b/c/f.toml", to: "../../../t/./u/../u/f.toml")
        #expect(try ConfigurationFile.text(place.path("a/b/c/f.toml")) == "[log]\n")
    }

    @Test(arguments: ["/dev/null", "/dev/zero", "/", "/nonexistent"])
    func `is a file`(path: String) {
        #expect(throws: ConfigurationError.self) { try ConfigurationFile.text(path) }
    }

    @Test func `that is a pipe is not waited for`() throws {
        let place = try Place()
        try #require(mkfifo(place.path("pipe"), 0o600) == 0)
        #expect(throws: ConfigurationError.self) { try ConfigurationFile.text(place.path("pipe")) }
    }

    // MARK: The key of hashed UIDs

    @Test func `the key appears whole, and replaces nothing`() throws {
        let place = try Place()
        let path = place.path("identifier.key")
        let hash = try IdentifierKey(file: path).hash([1])
        #expect(try IdentifierKey(file: path).hash([1]) == hash)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.root) == ["identifier.key"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == 32 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `no key is made through a link, and a draft that was left is replaced`() throws {
        let place = try Place()
        let victim = try place.file("victim", "precious")
        try place.link("identifier.key", to: place.path("nothing"))
        #expect(throws: IdentifierKey.Failure.self) { try IdentifierKey(file: place.path("identifier.key")) }
        #expect(access(place.path("nothing"), F_OK) != 0)
        unlink(place.path("identifier.key"))
        try place.link("identifier.key.new-\(getpid())", to: victim)
        _ = try IdentifierKey(file: place.path("identifier.key"))
        #expect(try String(contentsOf: URL(filePath: victim), encoding: .utf8) == "precious")
    }
}

/// A folder that is removed at the end of a test.
private final class Place: Sendable {
    let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.path + "/configuration-file-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// Writes a file, with the folders above it, and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let path = path(name)
        try FileManager.default.createDirectory(
            atPath: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o644)
        return path
    }

    /// Replaces what is there by a symbolic link.
    func link(_ name: String, to target: String) throws {
        if access(path(name), F_OK) == 0 { try FileManager.default.removeItem(atPath: path(name)) }
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }
}
