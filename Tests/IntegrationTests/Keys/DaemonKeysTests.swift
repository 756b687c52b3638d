import Foundation
import Testing

/// The keys of nfcd: `[keys] file`, the credential of the unit, the file of the instance.
@Suite(.timeLimit(.minutes(20))) struct `The keys of nfcd` {
    private static let value = "8C1F5E02B7A94D36F0E1D2C3B4A59687"
    private static let key = "[[key]]\nname = \"door\"\nvalue = \"\(value)\"\n"
    private static let mutual = "[[profile]]\nname = \"front\"\ntag = \"ntag424\"\ntag-key = \"door\"\n"
    private static let message = """
        [[profile]]
        name = "web"
        tag = "ntag424"
        method = "sun"
        file-key = "door"
        url = "https://ex.am/?u={uid}&n={ctr}&c={mac}"

        """

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs `nfcd --check` with a key file of this text.
    private func check(
        _ keys: String, mode: mode_t = 0o600, configuration: String = ""
    ) async throws -> (finished: Finished, file: String) {
        let path = try scratch.file("keys.toml", keys)
        chmod(path, mode)
        let file = try scratch.file("nfcd.toml", "[keys]\nfile = \"\(path)\"\n" + configuration)
        let finished = try await run([Programs.nfcd, "--check", "--config", file])
        #expect(!(finished.output + finished.errors).joined().contains(Self.value.prefix(8)), "\(finished)")
        return (finished, path)
    }

    @Test func `are counted by the check`() async throws {
        let (finished, path) = try await check(Self.key + Self.mutual)
        #expect(finished.status == 0 && finished.errors == [])
        #expect(finished.output.contains("\(path): 1 key, 1 profile"), "\(finished.output)")
    }

    private static let faults: [(String, String)] = [
        ("[[key]]\nname = \"door\"\nvalue = \"\(value)00\"\n", ":3: key[0].value"),
        (
            "[[key]]\nname = \"door\"\nvalue = \"\(value)\"\n\n[[profile]]\nname = \"p\"\ntag = \"ntag425\"\n",
            ":7: profile[0].tag"
        ),
        (key + "[[profile]]\nname = \"p\"\ntag = \"ntag424\"\n", "tag-key is missing"),
        (key + "[[profile]]\nname = \"p\"\ntag = \"ntag424\"\ntag-key = \"doro\"\n", "did you mean \"door\"?"),
    ]

    @Test(arguments: faults)
    func `are refused with the line and the key of the error`(text: String, words: String) async throws {
        let (finished, path) = try await check(text)
        #expect(finished.status == 78 && finished.output == [])
        #expect(finished.errors.first?.hasPrefix("nfcd: \(path)") == true, "\(finished.errors)")
        #expect(finished.errors.first?.contains(words) == true, "\(finished.errors)")
    }

    @Test(arguments: [0o640, 0o604, 0o602]) func `are refused if others can read or write them`(mode: mode_t)
        async throws
    {
        let (finished, path) = try await check(Self.key, mode: mode)
        #expect(finished.status == 78)
        #expect(finished.errors.first?.contains("run chmod 600 \(path)") == true, "\(finished.errors)")
    }

    @Test func `a profile for messages needs the journal, which stores the counters`() async throws {
        let (without, path) = try await check(Self.key + Self.message)
        #expect(without.status == 78)
        #expect(
            without.errors.first?.hasPrefix("nfcd: \(path): profile web: method = \"sun\" needs the journal") == true)
        let journal = "[journal]\nenabled = true\npath = \"\(scratch.path)/taps.db\"\n"
        let (with, _) = try await check(Self.key + Self.message, configuration: journal)
        #expect(with.status == 0 && with.output.contains("\(path): 1 key, 1 profile"), "\(with)")
    }

    @Test func `a published key is warned of`() async throws {
        let zeros = Self.key.replacing(Self.value, with: String(repeating: "0", count: 32))
        let (finished, _) = try await check(zeros)
        #expect(finished.status == 0)
        #expect(finished.output.contains { $0.hasPrefix("warning: key door version 1 is published") }, "\(finished)")
    }

    @Test func `are not read again on SIGHUP, which is logged`() async throws {
        let path = try scratch.file("keys.toml", Self.key + Self.mutual)
        chmod(path, 0o600)
        let file = try scratch.file("nfcd.toml", "[keys]\nfile = \"\(path)\"\n")
        for (configuration, isLogged) in [
            (file, true), (try scratch.file("none.toml", "[session]\ntimeout = 9\n"), false),
        ] {
            let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: configuration)
            daemon.process.signal(SIGHUP)
            try await daemon.wait(for: "SIGHUP: \(configuration) was read")
            if isLogged { try await daemon.wait(for: "SIGHUP: \(path) is read at the start only; restart nfcd") }
            await daemon.process.end()
            #expect(daemon.process.errors.all.contains { $0.contains("is read at the start only") } == isLogged)
        }
    }

    @Test func `are those of the credential, whose permissions are those of systemd`() async throws {
        let file = try scratch.file("nfcd.toml", "")
        chmod(try scratch.file("keys.toml", Self.key), 0o440)
        let finished = try await run(
            [Programs.nfcd, "--check", "--config", file], environment: ["CREDENTIALS_DIRECTORY": scratch.path])
        #expect(finished.output.contains("\(scratch.path)/keys.toml: 1 key, 0 profiles"), "\(finished)")
    }

    /// `SetCredential=keys.toml:# no keys` of the unit.
    @Test func `an empty credential is as good as none`() async throws {
        let file = try scratch.file("nfcd.toml", "[session]\ntimeout = 60\n")
        _ = try scratch.file("keys.toml", "# no keys")
        let finished = try await run(
            [Programs.nfcd, "--check", "--config", file], environment: ["CREDENTIALS_DIRECTORY": scratch.path])
        #expect(finished.status == 0 && finished.output == ["\(file): ok"], "\(finished)")
    }

    @Test func `a grant for proven taps is accepted without commands only`() async throws {
        let taps =
            "[[grant]]\nformats = [\"NDEF\"]\ncapabilities = [\"read\", \"background\", \"taps\"]\nreaders = [\"*\"]\n"
        let (finished, _) = try await check(Self.key, configuration: taps + "require = \"proven\"\n")
        #expect(finished.status == 0, "\(finished)")
        let (refused, _) = try await check(
            Self.key, configuration: taps.replacing("\"taps\"", with: "\"write\"") + "require = \"proven\"\n")
        #expect(refused.status == 78 && refused.errors.first?.contains("grant[0].require") == true, "\(refused)")
    }

    /// Config/keys.toml is also the man page: every line of it is accepted, apart from what only an example can be.
    @Test func `the example is valid`() async throws {
        let text = try String(contentsOf: Repository.file("Config/keys.toml"), encoding: .utf8)
        #expect(try await check(text).finished.status == 0)
        let examples = ["file = ", "credential = ", "method = ", "tag = ", "url = ", "messaging = ", "file-number = "]
        let lines = text.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /# (\[\[[a-z]+\]\]|[a-z-]+ = .*)/).map { String($0.1) }
        }
        let known = Set(lines.map { String($0.prefix { $0 != " " }) })
        #expect(known.isSuperset(of: ["[[key]]", "[[profile]]", "value", "tag-key", "meta-key", "uri-host", "lrp"]))
        let names = ["door", "web-file", "web-meta", "master", "write"]
        let keys = names.map { Self.key.replacing("door", with: $0) }.joined()
        let profile = lines.drop { $0 != "[[profile]]" }.filter { line in
            !examples.contains { line.hasPrefix($0) } && !line.hasPrefix("tamper")
        }
        let desfire = profile.filter { !["meta-key", "file-key", "lrp"].contains(String($0.prefix { $0 != " " })) }
        let (finished, _) = try await check(
            keys + desfire.joined(separator: "\n") + "\ntag = \"desfire\"\n")
        #expect(finished.status == 0, "\(finished)")
    }
}
