import Foundation
import Testing

/// `nfcctl secure setup` and its siblings, and `write --each --profile`, through a real nfcd with virtual tags.
@Suite(.timeLimit(.minutes(20))) struct `The commands that set up tags` {
    private static let values = ["8C1F5E02B7A94D36F0E1D2C3B4A59687", "51D3E9A07C2B4F8896E1A2B3C4D5E6F7"]
    private static let uid = "04A1B2C3D4E5F6"

    private static let keyFile =
        ["door", "door-master", "web-file", "web-meta"].enumerated().map { index, name in
            "[[key]]\nname = \"\(name)\"\nvalue = \"\(values[index % 2])\"\n"
        }.joined() + """
            [[profile]]
            name = "front-door"
            tag = "ntag424"
            method = "mutual"
            tag-key = "door"
            master-key = "door-master"
            uri-host = "door.example.com"
            [[profile]]
            name = "web"
            tag = "ntag424"
            method = "sun"
            file-key = "web-file"
            meta-key = "web-meta"
            master-key = "door-master"
            url = "https://ex.am/?p={picc}&c={mac}"
            [[profile]]
            name = "gate"
            tag = "desfire"
            method = "mutual"
            tag-key = "door"
            master-key = "door-master"
            write-key = "web-file"
            application = "A1B2C3"

            """

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The configuration of an nfcd with the keys and a journal.
    private func configuration(_ more: String = "") throws -> String {
        let keys = try scratch.file("keys.toml", Self.keyFile)
        chmod(keys, 0o600)
        return try scratch.file(
            "nfcd.toml",
            "[keys]\nfile = \"\(keys)\"\n[journal]\nenabled = true\ndebounce = 0\npath = \"\(scratch.path)/taps.db\"\n"
                + more)
    }

    private func start(_ more: String = "") async throws -> DaemonUnderTest {
        try await DaemonUnderTest(simulatedReaders: 1, configuration: try configuration(more))
    }

    /// No key is ever in what a program prints.
    private func check(_ finished: Finished) {
        for value in Self.values {
            #expect(!(finished.output + finished.errors).joined().uppercased().contains(value.prefix(8)))
        }
    }

    private func secure(_ daemon: DaemonUnderTest, _ arguments: String...) async throws -> Finished {
        let finished = try await daemon.run(["secure"] + arguments)
        check(finished)
        return finished
    }

    private struct Line: Decodable {
        let event: String
        let task: String?
        let profile: String
        let identifier: String
        let state: String?
        let steps: [String]?
        let keyVersions: [Int]
        let dryRun: Bool?
    }

    private func line(_ finished: Finished) throws -> Line {
        #expect(finished.status == 0, "\(finished)")
        let text = try #require(finished.output.first, "\(finished)")
        return try JSONDecoder().decode(Line.self, from: Data(text.utf8))
    }

    // MARK: One tag

    @Test(arguments: [("ntag424", "front-door"), ("ntag424", "web"), ("desfire-ev2-blank", "gate")])
    func `a tag is set up, verified, and as delivered after a reset`(model: String, profile: String) async throws {
        let daemon = try await start()
        let link = profile == "front-door" ? ["--uri", "https://door.example.com/"] : []
        let tag = try await daemon.tap([model, "--uid", Self.uid] + link)
        let before = try line(try await secure(daemon, "status", "--profile", profile, "--json"))
        #expect(before.state == "delivered" && before.identifier == Self.uid && before.profile == profile)
        let plan = try line(try await secure(daemon, "setup", "--profile", profile, "--dry-run", "--json"))
        #expect(plan.event == "plan" && plan.dryRun == true && plan.steps?.isEmpty == false)
        #expect(try line(try await secure(daemon, "status", "--profile", profile, "--json")).state == "delivered")

        let made = try line(try await secure(daemon, "setup", "--profile", profile, "--json"))
        #expect(made.event == "personalised" && made.task == "setUp" && made.dryRun == false)
        #expect(made.steps == plan.steps && !made.keyVersions.contains(0))
        let after = try line(try await secure(daemon, "status", "--profile", profile, "--json"))
        #expect(after.state == "current" && after.keyVersions == made.keyVersions)
        #expect(try line(try await secure(daemon, "verify", "--profile", profile, "--json")).task == "verify")
        #expect(try line(try await secure(daemon, "rotate", "--profile", profile, "--json")).task == "rotate")

        let reset = try line(try await secure(daemon, "reset", "--profile", profile, "--yes", "--json"))
        #expect(reset.keyVersions.allSatisfy { $0 == 0 })
        #expect(try line(try await secure(daemon, "status", "--profile", profile, "--json")).state == "delivered")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `for a person, the steps and the result are lines with what to do next`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid])
        let status = try await secure(daemon, "status", "--profile", "web")
        #expect(status.status == 0 && status.output.last == "Set it up: nfcctl secure setup", "\(status)")
        let plan = try await secure(daemon, "setup", "--profile", "web", "--dry-run")
        #expect(plan.status == 0 && plan.output.contains("Nothing was changed."), "\(plan)")
        #expect(plan.output.contains { $0.hasPrefix("  1  ") })
        let made = try await secure(daemon, "setup", "--profile", "web")
        #expect(made.output.first?.hasPrefix("Set up ") == true, "\(made)")
        #expect(made.output.contains { $0.contains("04:A1:B2:C3:D4:E5:F6") })
        #expect(made.output.contains("  keys       version 1"), "\(made)")
        #expect(made.output.last == "Lift the tag, and try it: nfcctl scan")
        let again = try await secure(daemon, "status", "--profile", "web")
        #expect(again.output.contains("  state      current"), "\(again)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a tap of the tag is proven afterwards`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid, "--uri", "https://door.example.com/"])
        #expect(try await secure(daemon, "setup", "--profile", "front-door").status == 0)
        let scan = try await daemon.run("scan", "--count", "1", "--require", "proven")
        #expect(scan.output.contains { $0.contains("proven by door v1") }, "\(scan)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a message on the tag is lost only with --overwrite`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid, "--uri", "https://old.example.com/"])
        let refused = try await secure(daemon, "setup", "--profile", "web")
        #expect(refused.status == 74 && refused.output.isEmpty, "\(refused)")
        #expect(refused.errors.last?.contains("The tag is as it was.") == true, "\(refused)")
        #expect(try await daemon.run("read").output.contains { $0.contains("https://old.example.com/") })
        #expect(try await secure(daemon, "setup", "--profile", "web", "--overwrite").status == 0)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a tag without the signature of its maker is refused if that is wanted`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid])
        let refused = try await secure(daemon, "setup", "--profile", "web", "--require-signature")
        #expect(refused.status == 74 && refused.errors.last?.contains("signature") == true, "\(refused)")
        #expect(try line(try await secure(daemon, "status", "--profile", "web", "--json")).state == "delivered")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a tag with other keys stays unchanged`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["--profile", "web"])
        let refused = try await secure(daemon, "setup", "--profile", "front-door")
        #expect(refused.status == 74, "\(refused)")
        let nothing = try await secure(daemon, "setup", "--profile", "nowhere")
        #expect(nothing.status == 64 && nothing.errors.last?.contains("front-door, web, gate") == true, "\(nothing)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: [["setup"], ["status"], ["verify"], ["rotate"], ["reset", "--yes"], ["resume"]])
    func `a profile that is not named where several fit is an error of the command line`(command: [String]) async throws
    {
        let daemon = try await start()
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid])
        let several = try await daemon.run(["secure"] + command)
        #expect(several.status == 64, "\(several)")
        #expect(several.errors.last?.contains("name one of front-door, web") == true, "\(several)")
        let unknown = try await daemon.run(["secure"] + command + ["--profile", "nowhere"])
        #expect(unknown.status == 64 && unknown.errors.last?.contains("there is no profile") == true, "\(unknown)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `without any profile, the configuration is what is wrong`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(["ntag424"])
        for command in ["setup", "status", "verify", "rotate", "resume"] {
            let finished = try await daemon.run("secure", command)
            #expect(finished.status == 78 && finished.errors.last?.contains("keys.toml") == true, "\(finished)")
        }
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a batch ends with the first tag if its profile does not exist`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid])
        let report = "\(scratch.path)/cards.csv"
        let finished = try await daemon.run(
            "write", "--each", "--profile", "nowhere", "--count", "2", "--report", report)
        #expect(finished.status == 64, "\(finished)")
        #expect(finished.errors.contains { $0.contains("there is no profile") }, "\(finished)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `of a complete tag there is nothing to resume, which is a success`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid])
        let delivered = try await secure(daemon, "resume", "--profile", "web")
        #expect(delivered.status == 74 && delivered.errors.last?.contains("begin again") == true, "\(delivered)")
        #expect(try await secure(daemon, "setup", "--profile", "web").status == 0)
        let words = try await secure(daemon, "resume")
        #expect(words.status == 0 && words.errors.isEmpty, "\(words)")
        #expect(words.output.first?.hasPrefix("Nothing to resume: ") == true, "\(words)")
        #expect(words.output.first?.hasSuffix(" is complete.") == true)
        #expect(words.output.contains("  state      current"), "\(words)")
        let object = try line(try await secure(daemon, "resume", "--json"))
        #expect(object.event == "personalisation" && object.state == "current")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a card that was proven and has no message is not one that failed`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["--profile", "gate", "--uid", Self.uid])
        let scan = try await daemon.run("scan", "--count", "1", "--require", "proven")
        #expect(scan.output.contains { $0.contains("proven by door v1") }, "\(scan)")
        #expect(scan.output.contains { $0.hasPrefix("  no NDEF message (") }, "\(scan)")
        #expect(!scan.output.contains { $0.contains("not supported") && !$0.contains("NDEF message") }, "\(scan)")
        let taps = try await daemon.run("taps", "list")
        #expect(
            taps.output.contains { $0.hasSuffix("proven by door v1, credential 67617465; no NDEF message") }, "\(taps)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a link that was printed is said to be valid once more`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["--profile", "web", "--uid", Self.uid])
        let scan = try await daemon.run("scan", "--count", "1")
        #expect(scan.output.contains { $0.contains("proven by web-file v1") }, "\(scan)")
        #expect(scan.output.contains { $0.contains("valid once more") }, "\(scan)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a set-up tag is not called permanently locked, and can be reset`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["--profile", "web", "--uid", Self.uid])
        let info = try await daemon.run("info")
        #expect(info.output.contains { $0.hasPrefix("Lock") && $0.contains("read-only") }, "\(info)")
        #expect(!info.output.contains { $0.contains("permanently") }, "\(info)")
        #expect(try await secure(daemon, "verify", "--profile", "web").status == 0)
        #expect(try await secure(daemon, "reset", "--profile", "web", "--yes").status == 0)
        #expect(try await daemon.run("info").output.contains { $0.hasPrefix("Lock") && $0.contains("not locked") })
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    // MARK: Permission

    @Test(arguments: [
        (
            ["setup", "--permanent", "random-uid"],
            "--permanent random-uid cannot be undone; confirm it with --yes-permanently"
        ),
        (
            ["setup", "--permanent", "tamper", "--permanent", "random-uid"],
            "--permanent tamper random-uid cannot be undone"
        ),
        (["reset"], "confirm it with --yes"), (["setup", "--yes-permanently"], "--yes-permanently is for --permanent"),
        (["setup", "--permanent", "everything"], "Please provide one of 'random-uid', 'tamper', 'lrp' or 'lock-keys'"),
        (["resume", "--uid", "04A1"], "--uid requires 7 bytes"),
        (["setup", "--permanent", "lrp", "--permanent", "lrp", "--yes-permanently"], "names a setting twice"),
    ])
    func `what cannot be undone needs its own word or option`(arguments: [String], message: String) async throws {
        let finished = try await run(
            [Programs.nfcctl, "secure"] + arguments, environment: ["NFCD_SOCKET": "/nonexistent/nfcd.sock"])
        #expect(finished.status == 64 && finished.errors.first?.contains(message) == true, "\(finished)")
    }

    /// Runs nfcctl as a user who is not root.
    private func asNobody(_ daemon: DaemonUnderTest, _ arguments: [String]) async throws -> Finished {
        for path in [daemon.scratch.path, daemon.socket] { chmod(path, 0o777) }
        return try await run(
            ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", Programs.nfcctl] + arguments,
            environment: ["NFCD_SOCKET": daemon.socket])
    }

    @Test(Access.others) func `without a grant, nobody is asked for a tag, and the missing capability is named`()
        async throws
    {
        let daemon = try await start()
        for arguments in [
            ["secure", "setup"], ["secure", "status"], ["secure", "resume", "--json"],
            ["write", "--each", "--profile", "web", "--count", "1", "--report", "/dev/null"],
        ] {
            let finished = try await asNobody(daemon, arguments)
            #expect(finished.status == 77, "\(finished)")
            for line in ["[[grant]]", "user = \"65534\"", "capabilities = [\"personalise\"]", "readers = [\"*\"]"] {
                #expect(finished.errors.contains(line), "\(line): \(finished)")
            }
            try await daemon.wait(for: "personalis")
        }
        let log = daemon.process.errors.all.filter { $0.contains("was refused tag.") }
        #expect(log.count == 4 && log.allSatisfy { $0.contains("capabilities = [\"personalise\"]") }, "\(log)")
        await daemon.process.end()
    }

    @Test(Access.others) func `who receives proven taps only gets the grant that a command lacks`() async throws {
        let daemon = try await start(
            "[[grant]]\nuser = 65534\nformats = [\"NDEF\"]\ncapabilities = [\"read\", \"background\"]\nreaders = [\"*\"]\n"
                + "require = \"proven\"\n")
        for command in [["read"], ["info"]] {
            let finished = try await asNobody(daemon, command)
            #expect(finished.status == 77, "\(finished)")
            #expect(finished.errors.contains { $0.contains("without require = \"proven\"") }, "\(finished)")
            #expect(finished.errors.contains("capabilities = [\"read\"]"), "\(finished)")
            #expect(!finished.errors.contains { $0.contains("[]") }, "\(finished)")
        }
        await daemon.process.end()
    }

    @Test(Access.others) func `a grant for setting up is not one for what cannot be undone`() async throws {
        let daemon = try await start(
            "[[grant]]\nuser = 65534\nformats = [\"NDEF\"]\ncapabilities = [\"read\", \"personalise\"]\nreaders = [\"*\"]\n"
        )
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid])
        let permanent = ["secure", "setup", "--profile", "web", "--permanent", "random-uid", "--yes-permanently"]
        let refused = try await asNobody(daemon, permanent)
        #expect(refused.status == 77, "\(refused)")
        #expect(refused.errors.last?.contains("personalise-permanently") == true, "\(refused)")
        let made = try await asNobody(daemon, ["secure", "setup", "--profile", "web"])
        #expect(made.status == 0, "\(made)")
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test func `a random UID is set once it is confirmed, and the UID is needed from then on`() async throws {
        let daemon = try await start()
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid])
        let made = try line(
            try await secure(
                daemon, "setup", "--profile", "web", "--permanent", "random-uid", "--yes-permanently", "--json"))
        #expect(made.identifier == Self.uid && made.steps?.contains("hide the UID permanently") == true)
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    // MARK: Many tags

    private func rows(_ report: String) throws -> [[String]] {
        try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Puts a tag on the reader and returns the next line of the batch.
    private func next(
        _ arguments: [String], of batch: ChildProcess, _ daemon: DaemonUnderTest, isError: Bool = false
    ) async throws -> String? {
        let tag = try await daemon.tap(arguments)
        let line = await (isError ? batch.errors : batch.output).next(containing: "UID")
        try await daemon.takeAway(tag)
        return line
    }

    @Test func `two tags are set up one after another, and each is in the report`() async throws {
        let daemon = try await start()
        let people = try scratch.file("people.csv", "name\nAda\nGrace\n")
        let report = "\(scratch.path)/cards.csv"
        let command = [
            "write", "--each", "--csv", people, "--uri", "https://door.example.com/", "--profile", "front-door",
            "--report", report,
        ]
        let batch = try await daemon.startBatch(command)
        #expect(await batch.errors.next(containing: "leave each until its line is printed") != nil)
        let first = try await next(["ntag424", "--uid", Self.uid], of: batch, daemon)
        #expect(first?.contains("1 of 2  UID 04:A1:B2:C3:D4:E5:F6  number 1: URI https://door.example.com/") == true)
        #expect(first?.hasSuffix("set up (front-door), keys version 1, signature wrong") == true, "\(first ?? "")")
        // A copy of the first, and a tag with other keys.
        let twice = try await next(["ntag424", "--uid", Self.uid], of: batch, daemon, isError: true)
        #expect(twice?.contains("already has number 1") == true, "\(twice ?? "")")
        let foreign = try await next(["--profile", "web", "--uid", "04A1B2C3D4E5F7"], of: batch, daemon, isError: true)
        #expect(foreign?.contains("was left unchanged") == true, "\(foreign ?? "")")
        let second = try await next(["ntag424", "--uid", "04A1B2C3D4E5F8"], of: batch, daemon)
        #expect(second?.contains("2 of 2") == true, "\(second ?? "")")
        #expect(await batch.status() == 0)
        #expect(batch.errors.all.last == "All 2 tags are set up.")
        let rows = try rows(report)
        #expect(
            rows.first == [
                "number", "uid", "time", "reader", "content", "ndef", "name", "profile", "result", "key-versions",
                "signature",
            ])
        #expect(rows.dropFirst().map { $0[1] } == [Self.uid, "04A1B2C3D4E5F8"])
        #expect(
            rows.dropFirst().map { Array($0.dropFirst(6)) } == [
                ["Ada", "front-door", "set up", "1 1 1 1 1", "wrong"],
                ["Grace", "front-door", "set up", "1 1 1 1 1", "wrong"],
            ])
        // The same command has nothing left to do.
        let again = try await daemon.run(command)
        #expect(again.status == 0 && again.errors.last == "All 2 tags are set up.", "\(again)")
        await daemon.process.end()
    }

    @Test func `a tag that was set up before is verified and counted once, without a message of the row`() async throws
    {
        let daemon = try await start()
        let report = "\(scratch.path)/tags.csv"
        let tag = try await daemon.tap(["ntag424", "--uid", Self.uid])
        #expect(try await secure(daemon, "setup", "--profile", "web").status == 0)
        let batch = try daemon.start([
            "write", "--each", "--profile", "web", "--count", "1", "--report", report, "--json",
        ])
        let line = try #require(await batch.output.next(containing: "\"event\":\"written\""), "\(batch.errors.all)")
        #expect(line.contains("\"result\":\"verified\"") && line.contains("\"profile\":\"web\""), "\(line)")
        #expect(await batch.status() == 0)
        #expect(try rows(report).last?.dropFirst(6) == ["web", "verified", "1 1 1 1 1", "wrong"])
        await tag.end(SIGINT)
        await daemon.process.end()
    }

    @Test(arguments: [
        (
            ["--profile", "web", "--count", "1", "--report", "r.csv", "--lock", "--yes"],
            "leave out --only-empty, --lock"
        ),
        (["--profile", "web", "--count", "1", "--report", "r.csv", "--only-empty"], "leave out --only-empty, --lock"),
        (["--profile", "web", "--count", "1", "--report", "r.csv", "--format"], "leave out --format"),
        (["--require-signature", "--count", "1", "--report", "r.csv"], "--require-signature is for --profile"),
    ])
    func `options that contradict a set-up are refused`(arguments: [String], message: String) async throws {
        let finished = try await run([Programs.nfcctl, "write", "--each"] + arguments)
        #expect(finished.status == 64 && finished.errors.first?.contains(message) == true, "\(finished)")
    }

    // MARK: Torn

    @Test func `a tag that leaves at any step is finished when it comes back`() async throws {
        let file = try configuration()
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try await withReaders(configuration: text) { daemon, _ in
            let pile = try daemon.startTagPile()
            var torn = 0
            for exchange in [12, 16, 20, 24, 28, 32, 36] {
                let uid = String(format: "04A1B2C3D4E5%02X", exchange)
                let setup = try daemon.start(["secure", "setup", "--profile", "web"])
                try await daemon.wait(for: "is active")
                pile.send(Array("put \(uid) ntag424 \(exchange)\n".utf8))
                _ = try #require(await pile.output.next(containing: "left \(uid)"))
                let status = await setup.status()
                #expect(status == 74, "\(exchange): \(setup.errors.all)")
                if setup.errors.all.contains(where: { $0.contains("nfcctl secure resume") }) { torn += 1 }
                try await daemon.wait(for: "tagLeft")
                pile.send(Array("put \(uid) ntag424\n".utf8))
                _ = try #require(await pile.output.next(containing: "put \(uid)"))
                let state = try line(try await secure(daemon, "status", "--profile", "web", "--json")).state
                let task = state == "delivered" ? "setup" : "resume"
                let finished = try await secure(daemon, task, "--profile", "web")
                #expect(finished.status == 0, "\(exchange), \(state ?? ""): \(finished)")
                #expect(try line(try await secure(daemon, "status", "--profile", "web", "--json")).state == "current")
                pile.send(Array("lift\n".utf8))
                _ = try #require(await pile.output.next(containing: "left \(uid)"))
                try await daemon.wait(for: "tagLeft")
            }
            #expect(torn > 2)
            await pile.end(SIGKILL)
        }
    }
}
