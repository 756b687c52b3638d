import Foundation
import Testing

/// `nfcctl watch` with simulated readers.
@Suite(.timeLimit(.minutes(20)))
struct `nfcctl watch` {
    static let prompt = "Hold a tag to a reader. Press Ctrl-C to stop."
    private static let environmentOfTest = ["NFC_URI": "inherited", "NFC_TEXT": "inherited"]

    /// Starts a watch and waits until it receives taps.
    private func start(_ arguments: [String], socket: String) async throws -> ChildProcess {
        let watch = try ChildProcess(
            [Programs.nfcctl, "watch"] + arguments,
            environment: Self.environmentOfTest.merging(["NFCD_SOCKET": socket]) { $1 })
        guard await watch.errors.next() == Self.prompt else { throw TestError("no watch: \(watch.errors.all)") }
        return watch
    }

    @Test func `prints each tap once, while the tag stays too, and ends with Ctrl-C`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let watch = try await start(["--json"], socket: daemon.socket)
        let first = try await daemon.tap("ntag215", "--uri", "https://example.com/1", "--reader", "simulated-0")
        let line = try await watch.output.nextScanLine()
        #expect(line.event == "tag" && line.reader == "simulated-0" && line.tag?.type == "miFare")
        #expect(line.tag?.identifier == "046E11044D5A80" && line.uri == "https://example.com/1")
        let empty = try await daemon.tap("ntag213", "--reader", "simulated-1")
        let second = try await watch.output.nextScanLine()
        #expect(second.event == "tag" && second.reader == "simulated-1" && second.message == nil)
        #expect(second.error?.code == 403)
        try await daemon.takeAway(first)
        let third = try await daemon.tap("ntag215", "--text", "again", "--reader", "simulated-0")
        #expect(try await watch.output.nextScanLine().message?.records.first?.decoded?.text == "again")
        #expect(watch.output.all.count == 3)
        #expect(await watch.end(SIGINT) == 0)
        #expect(watch.errors.all == [Self.prompt])
        for tag in [empty, third] { await tag.end(SIGINT) }
        await daemon.process.end()
    }

    @Test func `prints a line for people with the time`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let watch = try await start([], socket: daemon.socket)
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com")
        let line = try #require(await watch.output.next())
        #expect(line.contains(#/^\d\d:\d\d:\d\d  Simulated Reader 0: NFC Forum Type 2 /#), "\(line)")
        #expect(line.hasSuffix("UID 04:6E:11:04:4D:5A:80: URI https://example.com"), "\(line)")
        #expect(await watch.end(SIGTERM) == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `gives the tap to the command in its environment, unchanged`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let script = #"printf '%s|%s|%s|%s|%s\n%s\n' "$NFC_UID" "$NFC_READER" "$NFC_TYPE" "$NFC_URI" "$NFC_TEXT" "#
        let watch = try await start(["--exec", script + #""$NFC_MESSAGE"; cat"#], socket: daemon.socket)
        let text = "$(echo x) `echo x` \"'; echo x \\ 日本"
        let tag = try await daemon.tap("ntag215", "--text", text, "--uri", "https://example.com/?a=1&b=$c")
        _ = await watch.output.next()
        #expect(
            await watch.output.next()
                == "046E11044D5A80|simulated-0|miFare|https://example.com/?a=1&b=$c|\(text)")
        let message = try #require(await watch.output.next())
        let decoded = try JSONDecoder().decode(ScanLine.Message.self, from: Data(message.utf8))
        #expect(decoded.records.map { $0.decoded?.kind } == ["text", "uri"])
        // Nothing is left of a tap before, or inherited.
        let empty = try await daemon.tap("type4")
        _ = await watch.output.next()
        #expect(await watch.output.next()?.hasSuffix("|simulated-1|iso7816||") == true)
        #expect(await watch.output.next() == "null")
        #expect(await watch.end(SIGINT) == 0)
        for tag in [tag, empty] { await tag.end(SIGINT) }
        await daemon.process.end()
    }

    @Test func `runs one command after another, and reports those that fail`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let scratch = try Scratch()
        let gate = "\(scratch.path)/gate"
        #expect(mkfifo(gate, 0o600) == 0)
        // With --json, the output of the command goes to standard error.
        let command = "echo begin $NFC_READER; read -r answer <\(gate); echo end $NFC_READER; exit $answer"
        let watch = try await start(["--json", "--exec", command], socket: daemon.socket)
        let first = try await daemon.tap("ntag213", "--reader", "simulated-0")
        #expect(try await watch.output.nextScanLine().reader == "simulated-0")
        #expect(await watch.errors.next() == "begin simulated-0")
        // The next tap is shown at once; its command waits.
        let second = try await daemon.tap("ntag215", "--reader", "simulated-1")
        #expect(try await watch.output.nextScanLine().reader == "simulated-1")
        _ = try await run(["sh", "-c", "echo 3 >\(gate)"])
        #expect(await watch.errors.next() == "end simulated-0")
        let failure = "nfcctl: the command failed with exit status 3, for UID 04:6E:0F:04:4D:5A:80"
        #expect(await watch.errors.next() == failure)
        #expect(await watch.errors.next() == "begin simulated-1")
        _ = try await run(["sh", "-c", "echo 0 >\(gate)"])
        #expect(await watch.errors.next() == "end simulated-1")
        #expect(watch.output.all.count == 2)
        #expect(await watch.end(SIGINT) == 0)
        for tag in [first, second] { await tag.end(SIGINT) }
        await daemon.process.end()
    }

    @Test func `a command that is ended by a signal is reported, and Ctrl-C ends one that runs`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        let command = "echo begun; test $NFC_READER = simulated-1 || kill -9 $$; exec sleep 100000"
        let watch = try await start(["--json", "--exec", command], socket: daemon.socket)
        let first = try await daemon.tap("ntag213", "--reader", "simulated-0")
        #expect(await watch.errors.next() == "begun")
        #expect(await watch.errors.next()?.contains("was ended by signal 9") == true)
        let second = try await daemon.tap("ntag213", "--reader", "simulated-1")
        #expect(await watch.errors.next() == "begun")
        #expect(await watch.end(SIGINT) == 0)
        // The command holds the other end of standard error for as long as it runs.
        #expect(await watch.errors.next() == nil)
        for tag in [first, second] { await tag.end(SIGINT) }
        await daemon.process.end()
    }

    @Test(
        arguments: [
            "setsid sh -c 'echo $$ >FILE; exec sleep 1000' &",
            "nohup sh -c 'echo $$ >FILE; exec sleep 1000' >/dev/null 2>&1 &",
            "(setsid sh -c 'sh -c \"echo \\$\\$ >FILE; exec sleep 1000\" & exit' &)",
            "setsid -f sh -c \"trap '' TERM HUP INT; echo \\$\\$ >FILE; while :; do sleep 1; done\"",
        ], [("wait", SIGINT), ("sleep 1000", SIGTERM), ("exit 0", SIGINT), ("exit 0", SIGKILL)])
    func `nothing that its commands have started outlives it`(leftover: String, end: (command: String, signal: Int32))
        async throws
    {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let file = "\(daemon.scratch.path)/number"
        let command =
            "\(leftover.replacing("FILE", with: file))\nwhile ! [ -s \(file) ]; do sleep 0.01; done; echo begun; \(end.command)"
        let watch = try await start(["--json", "--exec", command], socket: daemon.socket)
        let tag = try await daemon.tap("ntag213")
        #expect(await watch.errors.next(containing: "begun") == "begun")
        let number = try #require(pid_t(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")[0]))
        #expect(kill(number, 0) == 0)
        watch.signal(end.signal)
        _ = await watch.status()
        // SIGTERM has two seconds; a zombie only waits for init.
        let limit = ContinuousClock.now + .seconds(60)
        while Self.isRunning(number), ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(20)) }
        #expect(!Self.isRunning(number))
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    private static func isRunning(_ process: pid_t) -> Bool {
        let state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?.split(separator: " ")
        return state.map { $0[2] != "Z" } ?? false
    }

    @Test func `runs a command when the tag leaves, after the one for its tap`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let variables = #""$NFC_EVENT|$NFC_UID|$NFC_READER|$NFC_TYPE|$NFC_URI|$NFC_TEXT|$NFC_MESSAGE""#
        let scratch = try Scratch()
        let gate = "\(scratch.path)/gate"
        #expect(mkfifo(gate, 0o600) == 0)
        // The command for the tap still runs when the tag leaves.
        let watch = try await start(
            [
                "--json", "--exec", "read -r go <\(gate); printf '%.60s\\n' \(variables)", "--on-removal",
                "echo \(variables)",
            ],
            socket: daemon.socket)
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com")
        #expect(try await watch.output.nextScanLine().uri == "https://example.com")
        try await daemon.takeAway(tag)
        let removed = try #require(await watch.output.next())
        #expect(
            removed
                == #"{"event":"removed","reader":"simulated-0","readerName":"Simulated Reader 0","#
                + #""tag":{"identifier":"046E11044D5A80","type":"miFare"}}"#)
        _ = try await run(["sh", "-c", "echo go >\(gate)"])
        #expect(
            await watch.errors.next()?.hasPrefix("tap|046E11044D5A80|simulated-0|miFare|https://example.com||") == true)
        #expect(await watch.errors.next() == "removed|046E11044D5A80|simulated-0|miFare|||null")
        #expect(await watch.end(SIGINT) == 0)
        #expect(watch.output.all.count == 2)
        await daemon.process.end()
    }

    @Test(arguments: [
        (["--removals"], ["tap", "removed"]), ([], ["tap"]), (["--on-removal", "echo command"], ["tap", "command"]),
        (["--removals", "--on-removal", "echo command"], ["tap", "removed", "command"]),
        (["--removals", "--exec", "echo exec"], ["tap", "exec", "removed"]),
        (["--removals", "--type", "iso7816"], []),
        (["--removals", "--reader", "x", "--reader", "simulated-0"], ["tap", "removed"]),
    ])
    func `prints removals for people where that is asked for`(arguments: [String], words: [String]) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let watch = try await start(arguments, socket: daemon.socket)
        let tag = try await daemon.tap("ntag215", "--uri", "https://example.com")
        for word in words.prefix(while: { $0 != "removed" && $0 != "command" }) {
            let line = await watch.output.next() ?? ""
            #expect(word == "tap" ? line.hasSuffix("URI https://example.com") : line == word, "\(line)")
        }
        try await daemon.takeAway(tag)
        for word in words.drop(while: { $0 != "removed" && $0 != "command" }) {
            let line = await watch.output.next() ?? ""
            let removal =
                #/^\d\d:\d\d:\d\d  Simulated Reader 0: NFC Forum Type 2 \(miFare\), UID 04:6E:11:04:4D:5A:80: removed$/#
            #expect(word == "removed" ? line.contains(removal) : line == word, "\(line)")
        }
        #expect(await watch.end(SIGINT) == 0)
        #expect(watch.output.all.count == words.count)
        await daemon.process.end()
    }

    @Test(arguments: ["--exec", "--on-removal"])
    func `an empty command is refused`(option: String) async throws {
        let finished = try await run([Programs.nfcctl, "watch", option, " "])
        #expect(finished.status == 64)
        #expect(finished.errors.contains { $0.contains("\(option) takes a command") })
    }

    @Test func `gives the command the URI that the filter compared, with other schemes only where asked for`()
        async throws
    {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let kiosk = ["--uri-prefix", "https://kiosk.example/"]
        let rows: [(options: [String], uri: String)] = [
            (kiosk, "https://kiosk.example/"), ([], "https://other.example/"), (["--scheme", "tel"], "tel:112"),
            (["--scheme", "*"], "file:///etc/passwd"), (["--uri-prefix", "tel:"], "tel:112"),
        ]
        var watches: [ChildProcess] = []
        for row in rows {
            let options = row.options + ["--exec", #"echo "OPEN $NFC_URI""#]
            watches.append(try await start(options, socket: daemon.socket))
        }
        let uris = ["file:///etc/passwd", "tel:112", "https://other.example/", "https://kiosk.example/"]
        let tag = try await daemon.tap(["ntag215"] + uris.flatMap { ["--uri", $0] })
        for (row, watch) in zip(rows, watches) {
            _ = await watch.output.next()
            #expect(await watch.output.next() == "OPEN \(row.uri)", "\(row.options)")
            #expect(await watch.end(SIGINT) == 0)
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `filters taps by URI, type, UID and reader`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 2)
        // A watch that printed a tap that does not match would print it first.
        let (one, two, three) = ("04000000000001", "04000000000002", "04000000000003")
        let expected: [([String], [String])] = [
            ([], [one, two, three]), (["--uri-prefix", "https://example.com/b"], [three]),
            (["--type", "ISO7816", "--type", "feliCa"], [two]), (["--uid", "04:00:00:00:00:00:03"], [three]),
            (["--reader", "simulated-1"], [two]), (["--reader", "Simulated Reader 1", "--reader", "x"], [two]),
            (["--reader", "simulated-0", "--uri-prefix", "https://example.com/"], [one, three]),
        ]
        var watches: [(watch: ChildProcess, taps: [String])] = []
        for (filter, taps) in expected {
            watches.append((try await start(["--json"] + filter, socket: daemon.socket), taps))
        }
        for (tag, uid, reader) in [
            (["ntag213", "--uri", "https://example.com/a"], one, "simulated-0"),
            (["type4", "--text", "https://example.com/b"], two, "simulated-1"),
            (["ntag215", "--uri", "https://example.com/b"], three, "simulated-0"),
        ] {
            let tag = try await daemon.tap(tag + ["--uid", uid, "--reader", reader])
            // It has been read when the watch without a filter shows it.
            #expect(try await watches[0].watch.output.nextScanLine().tag?.identifier == uid)
            try await daemon.takeAway(tag)
        }
        for (watch, taps) in watches.dropFirst() {
            for uid in taps { #expect(try await watch.output.nextScanLine().tag?.identifier == uid) }
        }
        for (watch, taps) in watches {
            #expect(await watch.end(SIGINT) == 0)
            #expect(watch.output.all.count == taps.count)
        }
        await daemon.process.end()
    }

    @Test func `connects again when nfcd restarts`() async throws {
        let daemon = try await JournalUnderTest(simulatedReaders: 1)
        let watch = try await start(["--json"], socket: daemon.socket)
        for round in 1...2 {
            try await daemon.tapOnce("--uri", "https://example.com/\(round)")
            #expect(try await watch.output.nextScanLine().uri == "https://example.com/\(round)")
            try await daemon.restart()
            #expect(await watch.errors.next()?.hasSuffix("; connecting again") == true)
            #expect(await watch.errors.next() == "nfcctl: connected again")
        }
        #expect(await watch.end(SIGINT) == 0)
        #expect(watch.output.all.count == 2)
        await daemon.end()
    }

    @Test(`Access`.others) func `without the capability, names what the grant lacks and exits with 77`() async throws {
        let scratch = try Scratch()
        let grant = "[[grant]]\nformats = [\"NDEF\"]\ncapabilities = [\"read\"]\nreaders = [\"*\"]\n"
        let file = try scratch.file("nfcd.toml", grant)
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: file)
        for path in [daemon.scratch.path, daemon.socket] { chmod(path, 0o777) }
        let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        let canRun = try await run(nobody + [Programs.nfcctl, "--version"]).status == 0
        guard canRun else { return print("skipped: another user cannot run \(Programs.nfcctl)") }
        let finished = try await run(nobody + [Programs.nfcctl, "watch", "--socket", daemon.socket])
        #expect(finished.status == 77 && finished.output.isEmpty)
        #expect(finished.errors.contains("[[grant]]"), "\(finished.errors)")
        #expect(finished.errors.contains(#"capabilities = ["read", "background"]"#), "\(finished.errors)")
        await daemon.process.end()
    }

    @Test func `the commands of the guide print a tap`() async throws {
        let commands = try Document("Docs/guides/watch.md").commands
        #expect(commands.count >= 4)
        for command in commands {
            let daemon = try await DaemonUnderTest(simulatedReaders: 1)
            let path = "\(Programs.directory):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
            let watch = try ChildProcess(
                ["sh", "-c", "exec \(command)"], environment: ["NFCD_SOCKET": daemon.socket, "PATH": path])
            #expect(await watch.errors.next() == Self.prompt, "\(command)")
            let tag = try await daemon.tap("ntag215", "--uri", "https://example.com")
            let lines = command.contains("--exec") ? 2 : 1
            for _ in 1...lines { #expect(await watch.output.next()?.contains("https://example.com") == true) }
            #expect(await watch.end(SIGINT) == 0)
            await tag.end(SIGINT)
            await daemon.process.end()
        }
    }
}
