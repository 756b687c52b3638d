import Foundation
import Testing

/// What one command prints and another one reads, with simulated readers.
@Suite(.timeLimit(.minutes(20)))
struct `The JSON of a tag` {
    @Test func `is read by write --file`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scratch = try Scratch()
        for (command, number) in [(["read", "--json"], 1), (["scan", "--json", "--count", "1"], 2)] {
            let uri = "https://example.com/\(number)"
            let original = try await daemon.tap("ntag213", "--uri", uri, "--text", "Hello")
            let line = try #require(try await daemon.run(command).output.first)
            let file = try scratch.file("tag.json", line + "\n")
            try await daemon.takeAway(original)
            let copy = try await daemon.tap("ntag215")
            let written = try await daemon.run("write", "--file", file)
            #expect(written.status == 0, "\(written.errors)")
            let read = try await daemon.run("read").output.joined(separator: " ")
            #expect(read.contains(uri) && read.contains("Hello"), "\(read)")
            try await daemon.takeAway(copy)
        }
        let empty = try scratch.file("empty.json", #"{"event":"read","message":null}"#)
        let refused = try await daemon.run("write", "--file", empty)
        #expect(refused.status == 65 && refused.errors.first?.contains("had no message") == true, "\(refused)")
        await daemon.process.end()
    }

    @Test func `is selected by the example in the help of scan`() async throws {
        guard try await Programs.found(["jq"]) else { return }
        let help = try await run([Programs.nfcctl, "scan", "--help"], environment: ["COLUMNS": "200"]).output
        let example = try #require(help.first { $0.contains("jq -r") })
        let filter = try #require(example.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first)
        let lines = [
            #"{"event":"tag","message":null}"#, #"{"event":"tag","message":{"records":[{"decoded":{"uri":"tel:1"}}]}}"#,
            #"{"event":"invalidated","code":200,"message":"Session invalidated by user"}"#,
        ]
        let finished = try await run(["jq", "-r", String(filter)], input: lines.joined(separator: "\n"))
        #expect(finished.status == 0 && finished.output == ["tel:1"], "\(finished)")
    }
}

/// What nfcd logs about changes of tags, with simulated readers.
@Suite(.timeLimit(.minutes(20)))
struct `The log of nfcd` {
    @Test func `has a line for each change of a tag, with client, tag, reader and result`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr122u")
        let tag = try await daemon.tap("ntag213")
        let changes: [(command: [String], line: String)] = [
            (["write", "--uri", "https://example.com"], "writing a message of 16 bytes: done"),
            (["transceive", "A21001020304"], "WRITE, which "),
            (["erase"], "erasing the message: done"),
            (["lock", "--yes"], "making it read-only: done"),
            (["write", "--text", "x"], "writing a message of 8 bytes: failed with 400 TagNotWritable"),
        ]
        for (command, line) in changes {
            _ = try await daemon.run(["read"])
            let child = try ChildProcess([Programs.nfcctl] + command, environment: ["NFCD_SOCKET": daemon.socket])
            _ = await child.status()
            let client = "uid \(getuid()), pid \(child.processID)"
            let start = "\(client) changes tag 046E0F044D5A80 on reader simulated-0: \(line)"
            try await daemon.wait(for: start)
        }
        // Reading changes nothing, and the data of a command is not logged.
        #expect(daemon.process.errors.all.count { $0.contains("changes tag") } == changes.count)
        #expect(!daemon.process.errors.all.contains { $0.contains("01020304") })
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}

/// Errors that are known before there is a tag, and the question before a lock.
@Suite(.timeLimit(.minutes(20)))
struct `Before a tag is used` {
    private static let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]

    @Test(
        `Access`.others,
        arguments: [
            (["write", "--text", "x"], "write"), (["erase"], "write"), (["format"], "format"),
            (["lock", "--yes"], "lock"), (["password", "set", "--new-password", "01020304", "--yes"], "lock"),
            (["password", "remove"], "lock"), (["config", "--counter", "on"], "lock"),
            (["apdu", "00A40400"], "raw"),
        ])
    func `a command that is not granted fails without waiting, and names the grant`(
        command: [String], capability: String
    ) async throws {
        let scratch = try Scratch()
        let grant = "[[grant]]\nformats = [\"NDEF\", \"TAG\"]\ncapabilities = [\"read\"]\nreaders = [\"*\"]\n"
        let file = try scratch.file("nfcd.toml", grant)
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: file)
        for path in [daemon.scratch.path, daemon.socket] { chmod(path, 0o777) }
        let canRun = try await run(Self.nobody + [Programs.nfcctl, "--version"]).status == 0
        guard canRun else { return print("skipped: another user cannot run \(Programs.nfcctl)") }
        let finished = try await run(Self.nobody + [Programs.nfcctl] + command + ["--socket", daemon.socket])
        #expect(finished.status == 77 && finished.output.isEmpty)
        #expect(finished.errors.first?.contains("gives capabilities = [\"\(capability)\"]") == true, "\(finished)")
        for line in ["[[grant]]", "user = \"65534\"", "capabilities = [\"\(capability)\"]"] {
            #expect(finished.errors.contains(line), "\(line): \(finished)")
        }
        #expect(await daemon.process.errors.next(containing: "was refused ")?.contains("65534") == true)
        await daemon.process.end()
        #expect(!daemon.process.errors.all.contains { $0.contains("is active") })
    }

    @Test func `a busy reader is reported with the program that holds it, and what to do`() async throws {
        let scratch = try Scratch()
        // A machine under load takes long for the three commands.
        let file = try scratch.file("nfcd.toml", "[session]\ntimeout = 600\n")
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: file)
        let scan = try await daemon.startScan("--timeout", "600")
        for command in [["read"], ["write", "--text", "x"], ["scan"]] {
            let busy = try await daemon.run(command)
            #expect(busy.status == 75)
            let text = busy.errors.joined(separator: " ")
            #expect(text.contains("held by uid \(getuid()), pid \(scan.processID) (nfcctl)"), "\(text)")
            #expect(text.contains("--wait") && text.contains("--reader"), "\(text)")
        }
        await scan.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a message that no tag holds is refused without waiting`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scratch = try Scratch()
        let file = try scratch.file("long.bin", String(repeating: "x", count: 600_000))
        let write = try await daemon.run("write", "--mime", "text/plain", "--file", file)
        #expect(write.status == 65 && write.output.isEmpty)
        #expect(write.errors.first?.contains("the message has 600016 bytes") == true, "\(write.errors)")
        #expect(!daemon.process.errors.all.contains { $0.contains("is active") })
        await daemon.process.end()
    }

    @Test func `without a tag, the time limit is named`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let read = try await daemon.run("read", "--timeout", "0.5")
        #expect(read.status == 75)
        #expect(read.errors == ["nfcctl: No tag within 0.5 s. Hold one to the reader and run the command again."])
        await daemon.process.end()
    }

    @Test func `a tag without NDEF is to be formatted first`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap("mifare-classic-1k")
        let refused = try await daemon.run("write", "--uri", "https://example.com")
        #expect(refused.status == 74)
        #expect(refused.errors.first?.contains("Add --format to format it first.") == true, "\(refused)")
        #expect(try await daemon.run("write", "--uri", "https://example.com", "--format").status == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(`On a terminal`.hasScript, arguments: [("lock", 0), ("no", 130)])
    func `lock shows the tag and its content before it asks`(answer: String, status: Int32) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let lock = try ChildProcess(
            ["script", "--quiet", "--return", "--command", "\(Programs.nfcctl) lock", "/dev/null"],
            environment: ["NFCD_SOCKET": daemon.socket, "TERM": "dumb"])
        try await daemon.wait(for: "is active")
        let tag = try await daemon.tap("ntag213", "--uri", "https://example.com")
        #expect(await lock.output.next(containing: "UID 04:6E:0F:04:4D:5A:80") != nil)
        #expect(await lock.output.next()?.contains("URI https://example.com") == true)
        #expect(await lock.output.next()?.contains("permanently read-only. Type \"lock\" to continue:") == true)
        lock.send(Array("\(answer)\n".utf8))
        #expect(await lock.status() == status)
        let info = try await daemon.run("info")
        #expect(info.output.contains { $0.contains("permanently locked") } == (answer == "lock"), "\(info)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}
