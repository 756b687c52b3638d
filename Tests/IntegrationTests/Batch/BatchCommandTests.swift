import Foundation
import Testing

/// `nfcctl write --each` and `nfcctl copy` with simulated readers.
@Suite(.timeLimit(.minutes(20)))
struct `Many tags in a row` {
    private static let uids = (0..<5).map { "0411223344550\($0)" }

    /// Puts a tag on the reader, returns the next line of the batch, and takes it away.
    private func tap(
        _ uid: String, _ more: String..., to batch: ChildProcess, _ daemon: DaemonUnderTest
    ) async throws -> String? {
        let tag = try await daemon.tap(["ntag213", "--uid", uid] + more)
        let line = await batch.output.next()
        try await daemon.takeAway(tag)
        return line
    }

    private func start(_ arguments: [String], _ daemon: DaemonUnderTest) async throws -> ChildProcess {
        let batch = try await daemon.startBatch(arguments)
        #expect(await batch.errors.next(containing: "Press Ctrl-C to stop.") != nil)
        return batch
    }

    // MARK: Rows

    @Test(arguments: [
        ("--csv", "id,name\n7,Ada\n8,\"Lovelace, A\"\n", ["--uri", "https://ex.am/{id}", "--text", "{name} {n:03}"]),
        ("--csv", "uri,text\nhttps://ex.am/7,Ada 001\nhttps://ex.am/8,\"Lovelace, A 002\"\n", []),
        (
            "--json-lines", "{\"id\":7,\"name\":\"Ada\"}\n{\"id\":8,\"name\":\"Lovelace, A\"}\n",
            ["--uri", "https://ex.am/{id}", "--text", "{name} {n:03}"]
        ),
        (
            "--json-lines",
            """
            {"records":[{"decoded":{"kind":"uri","uri":"https://ex.am/7"}},{"decoded":{"kind":"text","text":"Ada 001","language":"en"}}]}
            {"event":"tag","message":{"records":[{"decoded":{"kind":"uri","uri":"https://ex.am/8"}},{"decoded":{"kind":"text","text":"Lovelace, A 002","language":"en"}}]}}

            """, []
        ),
        ("--csv", "id,name\n7,Ada\n8,\"Lovelace, A\"\n", ["--template"]),
    ])
    func `the rows of a file are written in their order`(option: String, content: String, more: [String]) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let scratch = try Scratch()
        let template = """
            {"records":[{"decoded":{"kind":"uri","uri":"https://ex.am/{id}"}},\
            {"decoded":{"kind":"text","text":"{name} {n:03}","language":"en"}}]}
            """
        let options = more == ["--template"] ? ["--template", try scratch.file("t.json", template)] : more
        let batch = try await start(
            ["write", "--each", option, try scratch.file("rows", content), "--report", "\(scratch.path)/r.csv"]
                + options,
            daemon)
        let lines = [
            try await tap(Self.uids[0], to: batch, daemon), try await tap(Self.uids[1], to: batch, daemon),
        ]
        #expect(
            lines[0]?.hasSuffix("number 1: URI https://ex.am/7; Text \"Ada 001\" (en); verified") == true, "\(lines)")
        #expect(
            lines[1]?.hasSuffix("number 2: URI https://ex.am/8; Text \"Lovelace, A 002\" (en); verified") == true,
            "\(lines)")
        #expect(await batch.status() == 0)
        let report = try String(contentsOfFile: "\(scratch.path)/r.csv", encoding: .utf8).split(separator: "\n")
        #expect(
            report.count == 3
                && report.last?.contains("\"URI https://ex.am/8; Text \"\"Lovelace, A 002\"\" (en)\"") == true)
        await daemon.process.end()
    }

    @Test(arguments: [
        (["--count", "2", "--uri", "https://ex.am/{id}"], 64, "{id} has no value; there are {n}"),
        (["--count", "2"], 64, "no message given"),
        (["--uri", "https://ex.am/{n}"], 64, "--each needs one of --count N, --csv FILE and --json-lines FILE"),
        (["--count", "0", "--uri", "x:{n}"], 64, "--count must be from 1"),
        (["--csv", "rows.csv"], 65, "rows.csv, line 3, row 2: 2 fields for 1 columns"),
        (["--csv", "bad.csv"], 65, "bad.csv, line 2: a quotation mark"),
        (["--csv", "missing.csv"], 66, "missing.csv"),
        (["--csv", "doubt.csv"], 65, "row 1: example.com: it has no scheme"),
        (["--json-lines", "bad.jsonl"], 65, "bad.jsonl, row 1:"),
        (["--count", "1", "--uri", "x:{n}", "--timeout", "5"], 64, "--timeout cannot be used with several tags"),
        (["--count", "1", "--uri", "x:{n}", "--lock"], 64, "confirm it with --yes"),
    ])
    func `invalid rows are refused before there is a tag`(arguments: [String], status: Int32, text: String) async throws
    {
        let scratch = try Scratch()
        for (name, content) in [
            ("rows.csv", "uri\nx:1\nx:2,y\n"), ("bad.csv", "uri\nx\"y\n"), ("doubt.csv", "uri\nexample.com\n"),
            ("bad.jsonl", "{\n"),
        ] {
            _ = try scratch.file(name, content)
        }
        let files = arguments.map { $0.contains(".csv") || $0.contains(".jsonl") ? "\(scratch.path)/\($0)" : $0 }
        let finished = try await run(
            [
                Programs.nfcctl, "write", "--each", "--report", "\(scratch.path)/r.csv", "--socket",
                "\(scratch.path)/none",
            ]
                + files)
        #expect(finished.status == status, "\(finished)")
        #expect(finished.errors.joined(separator: " ").contains(text), "\(finished.errors)")
    }

    @Test func `options of batches need --each, and a batch needs a report`() async throws {
        for (arguments, text) in [
            (["--uri", "x:1", "--count", "2"], "--count is for batches; add --each"),
            (["--each", "--count", "2", "--uri", "x:{n}"], "--each needs --report FILE"),
        ] {
            let finished = try await run([Programs.nfcctl, "write"] + arguments)
            #expect(finished.status == 64 && finished.errors.joined().contains(text), "\(finished.errors)")
        }
    }

    @Test func `a batch of one tag ends with a sentence about one tag`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let report = "\(daemon.scratch.path)/one.csv"
        let command = ["write", "--each", "--uri", "https://ex.am/{n}", "--count", "1", "--report", report]
        let batch = try await start(command, daemon)
        _ = try await tap(Self.uids[0], to: batch, daemon)
        #expect(await batch.status() == 0)
        #expect(batch.errors.all.last == "The tag is written.", "\(batch.errors.all)")
        await daemon.process.end()
    }

    @Test func `a batch of one tag that is stopped before it is written does not count tags`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let report = "\(daemon.scratch.path)/r.csv"
        let command = ["write", "--each", "--uri", "https://ex.am/{n}", "--count", "1", "--report", report]
        let batch = try await start(command, daemon)
        #expect(await batch.end(SIGINT) == 130)
        #expect(batch.errors.all.last?.hasPrefix("Stopped: The tag is not written. ") == true, "\(batch.errors.all)")
        await daemon.process.end()
    }

    // MARK: Reports

    @Test func `a tag is written once, also by the next run, and a row is not repeated`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let report = "\(daemon.scratch.path)/r.csv"
        let command = ["write", "--each", "--uri", "https://ex.am/{n}", "--count", "3", "--report", report]
        var batch = try await start(command, daemon)
        #expect(try await tap(Self.uids[0], to: batch, daemon)?.contains("number 1:") == true)
        let again = try await daemon.tap("ntag213", "--uid", Self.uids[0])
        #expect(await batch.errors.next()?.contains("already has number 1. Hold another tag") == true)
        try await daemon.takeAway(again)
        // Another batch must not use the report at the same time.
        let second = try await daemon.run(command)
        #expect(second.status == 75 && second.errors.joined().contains("another batch uses"), "\(second)")
        #expect(await batch.end(SIGINT) == 130)
        #expect(batch.errors.all.last?.contains("Stopped: 1 of 3 tags are written.") == true, "\(batch.errors.all)")
        // A line that was being written when the power failed is written again.
        let handle = try #require(FileHandle(forWritingAtPath: report))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("2,0411".utf8))
        try handle.close()
        batch = try await start(command, daemon)
        #expect(batch.errors.all.first?.contains("1 of 3 tags are written already; the next one is number 2.") == true)
        let resting = try await daemon.tap("ntag213", "--uid", Self.uids[0])
        #expect(await batch.errors.next(containing: "already has number 1") != nil)
        try await daemon.takeAway(resting)
        #expect(try await tap(Self.uids[1], to: batch, daemon)?.contains("number 2:") == true)
        #expect(try await tap(Self.uids[2], to: batch, daemon)?.contains("number 3:") == true)
        #expect(await batch.status() == 0)
        let complete = try await daemon.run(command)
        #expect(complete.status == 0 && complete.errors.last == "All 3 tags are written.", "\(complete)")
        let numbers = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").map { $0.prefix(2) }
        #expect(numbers == ["nu", "1,", "2,", "3,"])
        await daemon.process.end()
    }

    @Test func `a file that is not a report, or that of another batch, is not touched`() async throws {
        let scratch = try Scratch()
        let report = "number,uid,time,reader,content,ndef\n1,0411223344556677,t,r,URI x:9,D101035500783A39\n"
        for (content, text) in [
            ("a,b\n1,2\n", "line 1: it is not a report"), (report, "the report is of another batch"),
        ] {
            let file = try scratch.file("r.csv", content)
            let finished = try await run([
                Programs.nfcctl, "write", "--each", "--uri", "x:{n}", "--count", "2", "--report", file, "--socket",
                "/none",
            ])
            #expect(finished.status == 65 && finished.errors.joined().contains(text), "\(finished)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == content)
        }
    }

    // MARK: Sessions

    @Test func `a batch continues after its session has timed out, and after nfcd was restarted`() async throws {
        let scratch = try Scratch()
        let configuration = try scratch.file("nfcd.toml", "[session]\ntimeout = 1\n")
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: configuration)
        let batch = try await start(
            ["write", "--each", "--uri", "https://ex.am/{n}", "--count", "2", "--report", "\(scratch.path)/r.csv"],
            daemon)
        let resting = try await daemon.tap("ntag213", "--uid", Self.uids[0])
        #expect(await batch.output.next()?.contains("number 1:") == true)
        for _ in 0..<2 { try await daemon.wait(for: "is active") }
        try await daemon.takeAway(resting)
        // The tag that stayed was not a new one.
        #expect(!batch.errors.all.contains { $0.contains("already has") })
        #expect(try await tap(Self.uids[1], to: batch, daemon)?.contains("number 2:") == true)
        #expect(await batch.status() == 0)
        await daemon.process.end()
    }

    @Test func `a cancelled batch says who cancelled it, with another exit code`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let batch = try await start(
            ["write", "--each", "--uri", "x:{n}", "--count", "2", "--report", "\(daemon.scratch.path)/r.csv"], daemon)
        #expect(try await daemon.run("cancel", "session-1").status == 0)
        #expect(await batch.status() == 75)
        let text = try #require(batch.errors.all.last)
        #expect(text.contains("cancelled") && text.contains("uid \(getuid())") && text.contains("0 of 2"), "\(text)")
        await daemon.process.end()
    }

    // MARK: Locks and copies

    @Test func `copies are written to other tags than the original, and locked`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let copy = try await daemon.startBatch(["copy", "--count", "2", "--lock", "--yes", "--json"])
        let original = try await daemon.tap("ntag215", "--uri", "https://ex.am/1", "--text", "Hello")
        #expect(await copy.output.next(containing: "\"event\":\"original\"") != nil)
        #expect(await copy.errors.next(containing: "Press Ctrl-C to stop.") != nil)
        try await daemon.takeAway(original)
        let again = try await daemon.tap("ntag215", "--uri", "https://ex.am/1", "--text", "Hello")
        #expect(await copy.output.next()?.contains(#""reason":"original""#) == true)
        try await daemon.takeAway(again)
        let first = try await tap(Self.uids[0], to: copy, daemon)
        #expect(first?.contains(#""locked":true"#) == true && first?.contains(Self.uids[0]) == true, "\(first ?? "")")
        let second = try await daemon.tap("ntag213", "--uid", Self.uids[1])
        #expect(await copy.output.next()?.contains(#""written":2"#) == true)
        #expect(await copy.status() == 0)
        #expect(copy.output.all.last?.contains(#""event":"batch""#) == true)
        let read = try await daemon.run("read").output.joined(separator: " ")
        #expect(read.contains("https://ex.am/1") && read.contains("Hello"), "\(read)")
        let info = try await daemon.run("info").output
        #expect(info.contains { $0.contains("permanently locked") }, "\(info)")
        await second.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `tags get a password, and one that has it from the run before is not refused`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1252u")
        let key = try daemon.scratch.file("door.key", "01020304")
        let report = "\(daemon.scratch.path)/r.csv"
        let command = [
            "write", "--each", "--uri", "https://ex.am/{n}", "--count", "1", "--report", report, "--set-password-file",
            key, "--lock", "--yes",
        ]
        let batch = try await start(command, daemon)
        let tag = try await daemon.tap("ntag213", "--uid", Self.uids[0])
        let line = await batch.output.next() ?? ""
        #expect(line.hasSuffix("number 1: URI https://ex.am/1; verified; password set; locked"), "\(line)")
        #expect(await batch.status() == 0)
        try FileManager.default.removeItem(atPath: report)
        let again = try await daemon.startBatch(command)
        #expect(await again.output.next() == line)
        #expect(await again.status() == 0)
        #expect(try await daemon.run("transceive", "1B01020304").output.last == "< 0000")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a row stays with the tag that holds it although its password could not be set`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1252u")
        let key = try daemon.scratch.file("door.key", "01020304")
        let batch = try await start(
            [
                "write", "--each", "--uri", "https://ex.am/{n}", "--count", "2", "--report",
                "\(daemon.scratch.path)/r.csv", "--set-password-file", key,
            ], daemon)
        for (number, uid) in Self.uids.prefix(2).enumerated() {
            let tag = try await daemon.tap("ultralight", "--uri", "https://old.example", "--uid", uid)
            // The tag before may have been detected once more before it was taken away.
            let reason = await batch.errors.next(containing: "It may hold number \(number + 1), which is kept for it.")
            #expect(reason != nil, "\(batch.errors.all)")
            #expect(try await daemon.run("read").status == 75)
            try await daemon.takeAway(tag)
        }
        #expect(await batch.end(SIGINT) == 130)
        await daemon.process.end()
    }

    @Test func `a tag that is too small, and one without a fixed UID, get nothing, and their row goes to another tag`()
        async throws
    {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let text = String(repeating: "x", count: 200)
        let batch = try await start(
            ["write", "--each", "--text", text + "{n}", "--count", "1", "--report", "\(daemon.scratch.path)/r.csv"],
            daemon)
        let small = try await daemon.tap("ntag213", "--uid", Self.uids[0])
        let reason = await batch.errors.next() ?? ""
        #expect(reason.contains("Nothing was written to it. Hold it again, or another one."), "\(reason)")
        try await daemon.takeAway(small)
        let random = try await daemon.tap("mifare-classic-1k", "--uid", "08112233")
        #expect(await batch.errors.next()?.contains("has no fixed UID") == true)
        try await daemon.takeAway(random)
        let large = try await daemon.tap("ntag215", "--uid", Self.uids[1])
        #expect(await batch.output.next()?.contains("1 of 1  UID 04:11:22:33:44:55:01  number 1:") == true)
        #expect(await batch.status() == 0)
        await large.end(SIGINT)
        await daemon.process.end()
    }
}

/// The commands of the guide, each with the tags that it needs.
@Suite(.timeLimit(.minutes(20)))
struct `The guide to many tags` {
    @Test func `has commands that write what it shows`() async throws {
        let document = try Document("Docs/guides/many-tags.md")
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        _ = try daemon.scratch.file("guests.csv", try #require(document.blocks("csv").first))
        let path = "\(Programs.directory):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        #expect(document.commands.count == 3)
        for command in document.commands {
            let batch = try ChildProcess(
                ["sh", "-c", "cd \(daemon.scratch.path) && exec \(command)"],
                environment: ["NFCD_SOCKET": daemon.socket, "PATH": path])
            try await daemon.wait(for: "is active")
            // The first of copy is the original.
            for number in 0..<3 where number < 2 || !command.contains("--csv") {
                let tag = try await daemon.tap(
                    ["ntag213", "--uid", "0401020304058\(number)"]
                        + (command.contains("copy") && number == 0 ? ["--uri", "https://ex.am/1"] : []))
                let line = try #require(await batch.output.next(), "\(command): \(batch.errors.all)")
                #expect(line.contains("04:01:02:03:04:05:8\(number)"), "\(line)")
                if command.contains("copy"), number == 0 {
                    #expect(await batch.errors.next(containing: "Press Ctrl-C to stop.") != nil)
                }
                try await daemon.takeAway(tag)
            }
            #expect(await batch.status() == 0, "\(command): \(batch.errors.all)")
        }
        let example = try #require(document.blocks("").first, "no example of the output")
        let report = try String(contentsOfFile: "\(daemon.scratch.path)/numbers.csv", encoding: .utf8)
        #expect(example.contains("https://ex.am/00003") && report.contains("URI https://ex.am/00003"))
        await daemon.process.end()
    }
}
