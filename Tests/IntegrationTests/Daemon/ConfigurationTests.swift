import Foundation
import NFCProtocol
import Testing

/// The configuration file: validation and reloading.
@Suite(.timeLimit(.minutes(20)))
struct `The configuration` {
    private func check(_ text: String) async throws -> (finished: Finished, file: String) {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", text)
        return (try await run([Programs.nfcd, "--check", "--config", file]), file)
    }

    @Test(arguments: [
        "", "grant = []\n", "[[grant]]\n",
        "[[grant]]\nuser = \"root\"\n[[grant]]\nuser = 4711\n[[grant]]\ngroup = \"4712\"\n",
        """
        [[grant]]
        group = "root"
        formats = ["NDEF", "TAG", "PACE"]
        capabilities = [
            "read", "write", "lock", "format", "raw", "raw-unscreened", "background", "monitor", "manage", "simulate",
        ]
        iso7816-select-identifiers = ["A000000308", "a0000006472f0001", "00112233445566778899AABBCCDDEEFF"]
        felica-system-codes = ["12FC", "0003"]
        readers = ["ACS ACR122U PICC Interface 00 00", "simulated-0"]
        [[grant]]
        iso7816-select-identifiers = ["*"]
        felica-system-codes = ["*"]
        readers = ["*"]
        """,
    ]) func `accepts valid values`(text: String) async throws {
        let (finished, file) = try await check(text)
        #expect(finished.status == 0)
        // A grant that permits nothing, or ends the built-in one, is valid, and warned of.
        #expect(finished.output.contains("\(file): ok") && finished.errors == [], "\(finished)")
        #expect(text.contains("grant") || finished.output.count == 2)
        #expect(text != "" || finished.output.last?.contains("has no section: the built-in grant applies") == true)
    }

    @Test(arguments: [(0o666, 0o755), (0o664, 0o755), (0o644, 0o777), (0o644, 0o775)])
    func `is refused if others can write it or its directory`(mode: mode_t, directoryMode: mode_t) async throws {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", "")
        chmod(file, mode)
        chmod(scratch.path, directoryMode)
        let checked = try await run([Programs.nfcd, "--check", "--config", file])
        #expect(checked.status == 78)
        #expect(checked.errors.contains { $0.contains("can be written by other users; run chmod go-w") })
        let started = try await run([Programs.nfcd, "--config", file, "--socket", "\(scratch.path)/s"])
        #expect(started.status == 78)
    }

    @Test func `may be in a directory where a user cannot replace the files of others`() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", "")
        chmod(scratch.path, 0o1777)
        #expect(try await run([Programs.nfcd, "--check", "--config", file]).status == 0)
    }

    @Test func `is refused if a symbolic link to it can be replaced`() async throws {
        let (safe, open) = (try Scratch(), try Scratch())
        let file = try safe.file("nfcd.toml", "")
        let link = "\(open.path)/nfcd.toml"
        #expect(symlink(file, link) == 0)
        #expect(try await run([Programs.nfcd, "--check", "--config", link]).status == 0)
        chmod(open.path, 0o777)
        #expect(try await run([Programs.nfcd, "--check", "--config", link]).status == 78)
    }

    @Test(arguments: [
        ("[[grant]]\nusr = \"root\"\n", ":2: grant[0].usr: unknown key"),
        ("[grant]\nuser = \"root\"\n", ":1: grant: expected [[grant]]"),
        ("[[grant]]\nuser = \"no such user\"\n", ":2: grant[0].user: there is no user \"no such user\""),
        ("[[grant]]\nuser = -1\n", ":2: grant[0].user: there is no user \"-1\""),
        ("[[grant]]\nuser = 4294967295\n", ":2: grant[0].user: there is no user \"4294967295\""),
        ("[[grant]]\nuser = [\"root\"]\n", ":2: grant[0].user: expected a name in quotes, or a number"),
        ("[[grant]]\nuser = \"\"\n", ":2: grant[0].user: expected a name in quotes, or a number"),
        ("[[grant]]\ngroup = \"no such group\"\n", ":2: grant[0].group: there is no group \"no such group\""),
        ("[[grant]]\nuser = 1\ngroup = 2\n", ":3: grant[0].group: a grant has either a user or a group"),
        ("[[grant]]\nformats = \"NDEF\"\n", ":2: grant[0].formats: expected a list of texts"),
        (
            "[[grant]]\nformats = [\n\"NDEF\",\n\"ndef\"]\n",
            ":4: grant[0].formats[1]: expected one of \"NDEF\", \"TAG\", \"PACE\""
        ),
        ("[[grant]]\nformats = [\"*\"]\n", ":2: grant[0].formats[0]: expected one of"),
        (
            "[[grant]]\n[[grant]]\ncapabilities = [\"reed\"]\n",
            ":3: grant[1].capabilities[0]: expected one of \"read\", \"write\""
        ),
        ("[[grant]]\ncapabilities = [1]\n", ":2: grant[0].capabilities[0]: expected one of"),
        (
            "[[grant]]\niso7816-select-identifiers = [\"A0000003\"]\n",
            ":2: grant[0].iso7816-select-identifiers[0]: expected 10 to 32 hexadecimal digits"
        ),
        (
            "[[grant]]\niso7816-select-identifiers = [\"A00000030\"]\n",
            ":2: grant[0].iso7816-select-identifiers[0]: expected 10"
        ),
        (
            "[[grant]]\niso7816-select-identifiers = [\"A00000030é\"]\n",
            ":2: grant[0].iso7816-select-identifiers[0]: expected 10"
        ),
        (
            "[[grant]]\niso7816-select-identifiers = [\"00112233445566778899AABBCCDDEEFF00\"]\n",
            ":2: grant[0].iso7816-select-identifiers[0]: expected 10"
        ),
        (
            "[[grant]]\nfelica-system-codes = [\"FFFF\"]\n",
            ":2: grant[0].felica-system-codes[0]: expected four hexadecimal digits without FF"
        ),
        ("[[grant]]\nfelica-system-codes = [4860]\n", ":2: grant[0].felica-system-codes[0]: expected four"),
        (
            "[[grant]]\nfelica-system-codes = [\"12FC\", \"*\"]\n",
            ":2: grant[0].felica-system-codes: \"*\" means all"
        ),
        ("[[grant]]\nreaders = [\"\"]\n", ":2: grant[0].readers[0]: expected the name or id of a reader"),
        ("[[grant]]\nreaders = [{ name = \"x\" }]\n", ":2: grant[0].readers[0]: expected the name or id of a reader"),
        (
            "[[grant]]\nreaders = [" + String(repeating: "\"x\",", count: 1_001) + "]\n",
            ":2: grant[0].readers[1000]: at most 1000 are allowed"
        ),
        (String(repeating: "[[grant]]\n", count: 1_001), ":1001: grant[1000]: at most 1000 are allowed"),
    ])
    func `rejects invalid values with their position, and exits with 78`(text: String, message: String) async throws {
        let (finished, file) = try await check(text)
        #expect(finished.status == 78)
        let line = try #require(finished.errors.first)
        #expect(line.hasPrefix("nfcd: \(file)\(message)"), "\(line)")
        let scratch = try Scratch()
        let again = try scratch.file("nfcd.toml", text)
        let start = try await run([Programs.nfcd, "--config", again, "--socket", "\(scratch.path)/s"])
        #expect(start.status == 78)
        #expect(start.errors.first?.hasPrefix("nfcd: \(again)\(message)") == true)
    }

    @Test func `accepts the default file with all keys uncommented`() async throws {
        let shipped = `The README`.root.appending(path: "Config/nfcd.toml")
        let keys = try String(contentsOf: shipped, encoding: .utf8).split(separator: "\n").compactMap { line in
            let key = line.hasPrefix("# ") ? line.dropFirst(2) : line
            return key.wholeMatch(of: /\[+[a-z]+\]+|[a-z0-9-]+ = .*/).map { _ in String(key) }
        }
        #expect(keys.filter { $0 == "[[grant]]" || $0 == "[[reader]]" }.count == 2)
        // The names in the file are examples, and a proof goes with fewer capabilities.
        let examples = ["user = ", "group = ", "file = ", "require = "]
        let text = keys.filter { key in !examples.contains { key.hasPrefix($0) } }.joined(separator: "\n")
        let (finished, _) = try await check(text)
        #expect(finished.status == 0, "\(finished.errors)")
        for key in ["timeout", "level", "formats", "capabilities", "felica-system-codes", "readers", "match"] {
            #expect(text.contains("\n\(key) = "), "\(key)")
        }
    }

    @Test func `is that of the instance where none is named, and may be missing`() async throws {
        let scratch = try Scratch()
        let environment = ["XDG_CONFIG_HOME": scratch.path]
        func check() async throws -> Finished {
            try await run([Programs.nfcd, "--user", "--check"], environment: environment)
        }
        try FileManager.default.createDirectory(atPath: "\(scratch.path)/nfcd", withIntermediateDirectories: true)
        let path = "\(scratch.path)/nfcd/nfcd.toml"
        #expect(try await check().output == ["\(path) does not exist: the defaults apply"])
        _ = try scratch.file("nfcd/nfcd.toml", "[session]\ntimeout = 30\n")
        #expect(try await check().output == ["\(path): ok"])
        _ = try scratch.file("nfcd/nfcd.toml", "[session]\ntimeout = 0\n")
        let invalid = try await check()
        #expect(invalid.status == 78)
        #expect(invalid.errors.contains { $0.contains("\(path):2: session.timeout") }, "\(invalid.errors)")
    }

    @Test(.enabled(if: PlainClient.canAsk, "it is asked with /usr/bin/python3"))
    func `is reloaded on SIGHUP: limits and log level change immediately, other changes are logged`() async throws {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", "[session]\ntimeout = 50\n")
        let socket = "\(scratch.path)/s"
        let daemon = try ChildProcess([Programs.nfcd, "--config", file, "--simulator", "1", "--socket", socket])
        #expect(await daemon.errors.next(containing: "listening on") != nil)
        _ = try scratch.file(
            "nfcd.toml",
            "[session]\ntimeout = 40\nsessions-per-client = 3\n[log]\nlevel = \"debug\"\n[server]\nsocket = \"/x\"\n")
        daemon.signal(SIGHUP)
        let reported = await daemon.errors.next(containing: "SIGHUP")
        #expect(reported?.contains("applied: session.timeout, session.sessions-per-client, log.level") == true)
        #expect(await daemon.errors.next(containing: "SIGHUP")?.contains("restart nfcd to apply server.socket") == true)
        let client = PlainClient(socket: socket)
        let limits = try await client.info().limits
        #expect(limits.sessionTimeout == 40 && limits.sessionsPerClient == 3)
        // At the initial level, info, nfcd does not log each event.
        let tag = try ChildProcess([Programs.nfcctl, "virtual-tag", "ntag213"], environment: ["NFCD_SOCKET": socket])
        #expect(await daemon.errors.next(containing: "tagArrived") != nil)
        await tag.end(SIGINT)

        _ = try scratch.file("nfcd.toml", "[session]\ntimeout = 0\n")
        daemon.signal(SIGHUP)
        let error = await daemon.errors.next(containing: "SIGHUP")
        #expect(error?.contains("\(file):2: session.timeout: expected a whole number from 1 to 86400") == true)
        #expect(error?.contains("error") == true)
        #expect(try await client.info().limits == limits)
        #expect(await daemon.end() == 0)
    }

    @Test(arguments: [0, 22]) func `is not replaced on SIGHUP by one that was cut off`(length: Int) async throws {
        let scratch = try Scratch()
        let text = "[session]\ntimeout = 5\n[[grant]]\nuser = \"4242\"\n"
        let file = try scratch.file("nfcd.toml", text)
        let daemon = try ChildProcess(
            [Programs.nfcd, "--config", file, "--simulator", "1", "--socket", "\(scratch.path)/s"])
        #expect(await daemon.errors.next(containing: "listening on") != nil)
        _ = try scratch.file("nfcd.toml", String(text.prefix(length)))
        daemon.signal(SIGHUP)
        let error = await daemon.errors.next(containing: "SIGHUP")
        #expect(error?.contains("the configuration was not changed") == true)
        #expect(error?.contains("it no longer sets [[grant]]") == true)
        #expect(await daemon.end() == 0)
    }

    @Test(arguments: [Programs.nfcd, Programs.relay, Programs.fido, Programs.web, Programs.desktop])
    func `that is empty is reported, and one that is nested too deeply is refused`(program: String) async throws {
        let scratch = try Scratch()
        let empty = try await run([program, "--check", "--config", try scratch.file("a.toml", "")])
        #expect(empty.status == 0 && empty.output.last?.contains("warning: ") == true, "\(empty)")
        let deep = try scratch.file("b.toml", String(repeating: "a.", count: 30_000) + "a = 1\n")
        let refused = try await run([program, "--check", "--config", deep])
        #expect(refused.status == 78, "\(refused)")
        #expect(refused.errors.contains { $0.contains("a key has more than 32 levels") })
    }

    @Test func `may be missing on SIGHUP, and nfcd continues`() async throws {
        let daemon = try await DaemonUnderTest.withoutConfiguration()
        for _ in 0..<2 {
            daemon.process.signal(SIGHUP)
            try await daemon.wait(for: "SIGHUP: there is no configuration file to read")
        }
        #expect(try await daemon.run("readers").status == 0)
        #expect(await daemon.process.end() == 0)
    }
}
