import Foundation
import NFCProtocol
import RelayProtocol
import Testing

/// `nfcctl relay` with a relay.
@Suite(.timeLimit(.minutes(20)))
struct `nfcctl relay` {
    /// A command that stores taps in FOLDER/log, and one that refuses each.
    private static let consumers = """
        [[command]]
        name = "log"
        run = ["/bin/sh", "-c", "cat >> FOLDER/log"]
        start = "oldest"
        [[command]]
        name = "picky"
        run = ["/bin/sh", "-c", "cat > /dev/null; exit 65"]
        start = "oldest"
        """

    private func consumer(_ name: String, _ relay: RelayUnderTest) async throws -> RelayStatus.Consumer {
        let line = try #require(try await relay.run(["status", "--json"]).output.first)
        let status = try JSONLine.decode(RelayStatus.Result.self, from: Data(line.utf8))
        return try #require(status.consumers.first { $0.name == name })
    }

    @Test func `status, parked, retry and discard show what becomes of a tap`() async throws {
        let relay = try await RelayUnderTest(consumers: Self.consumers)
        try await relay.daemon.tapOnce("--uri", "https://example.com/1")
        try await relay.wait(for: "1 parked", in: ["status"])
        try await relay.wait(for: "1 delivered", in: ["status"])
        #expect(try await consumer("log", relay).state == .connected)
        let line = try #require(try await relay.run(["parked", "list", "--consumer", "picky", "--json"]).output.first)
        let tap = try JSONLine.decode(RelayParked.Tap.self, from: Data(line.utf8))
        #expect(tap.sequence == 1 && tap.consumer == "picky")
        #expect(try await relay.run(["parked", "list", "--consumer", "log"]).errors == ["No tap is parked."])
        #expect(try await relay.run(["parked", "retry", "picky", "--all"]).output == ["1 tap is delivered again."])
        try await relay.wait(for: tap.id, in: ["parked"])
        #expect(try await relay.run(["parked", "discard", "picky", tap.id]).output == ["Discarded 1 tap."])
        let none = try await relay.run(["parked", "discard", "picky", tap.id])
        #expect(none.status == 65 && none.errors.last?.contains("no such parked tap") == true, "\(none)")
        await relay.end()
    }

    @Test func `pause, resume, replay and test control a consumer`() async throws {
        let relay = try await RelayUnderTest(consumers: Self.consumers)
        #expect(try await relay.run(["pause", "log"]).status == 0)
        try await relay.wait(for: "paused", in: ["status"])
        try await relay.daemon.tapOnce("--uri", "https://example.com/1")
        try await relay.wait(for: "1 to deliver", in: ["status"])
        #expect(try await relay.run(["resume", "log"]).status == 0)
        try await relay.wait(for: "1 delivered", in: ["status"])
        #expect(try await relay.run(["replay", "log", "--after", "0"]).status == 0)
        try await relay.wait(for: "2 delivered", in: ["status"])
        let text = try String(contentsOfFile: "\(relay.daemon.scratch.path)/log", encoding: .utf8)
        #expect(text.split(separator: "\n").count == 2)
        let test = try await relay.run(["test", "log"])
        #expect(test.status == 0 && test.output.first?.hasPrefix("Delivered: ") == true, "\(test)")
        let failed = try await relay.run(["test", "picky"])
        #expect(failed.status == 69 && failed.errors.first?.contains("was not delivered to picky") == true, "\(failed)")
        let metrics = try await relay.run(["metrics"])
        #expect(metrics.output.contains { $0.contains("log") }, "\(metrics)")
        await relay.end()
    }

    @Test func `status counts the taps that a consumer leaves out because they are not proven`() async throws {
        let relay = try await RelayUnderTest(
            consumers: """
                [[command]]
                name = "door"
                run = ["/bin/sh", "-c", "cat > /dev/null"]
                start = "oldest"
                require = "proven"
                """)
        try await relay.daemon.tapOnce("--uri", "https://example.com/1")
        try await relay.wait(for: "1 without a proof left out", in: ["status"])
        let door = try await consumer("door", relay)
        #expect(door.passedOver == 1 && door.delivered == 0 && door.backlog == 0)
        await relay.end()
    }

    @Test func `status counts the taps of readers that are not those of a consumer`() async throws {
        let relay = try await RelayUnderTest(
            consumers: """
                [[command]]
                name = "left"
                run = ["/bin/sh", "-c", "cat > /dev/null"]
                start = "oldest"
                readers = ["simulated-0"]
                [[command]]
                name = "right"
                run = ["/bin/sh", "-c", "cat > /dev/null"]
                start = "oldest"
                readers = ["simulated-1"]
                """)
        try await relay.daemon.tapOnce("--uri", "https://example.com/1")
        try await relay.wait(for: "1 of other readers left out", in: ["status"])
        try await relay.wait(for: "1 delivered", in: ["status"])
        let (left, right) = (try await consumer("left", relay), try await consumer("right", relay))
        #expect(left.delivered == 1 && left.ofOtherReaders == nil)
        #expect(right.delivered == 0 && right.ofOtherReaders == 1 && right.backlog == 0)
        #expect(relay.process.errors.all.contains { $0.contains(#"right: there is no reader "simulated-1" now"#) })
        #expect(!relay.process.errors.all.contains { $0.contains("left: there is no reader") })
        await relay.end()
    }

    @Test(arguments: ["hashed", "omitted"])
    func `status shows from the start that a receiver of spools needs UIDs`(form: String) async throws {
        let relay = try await RelayUnderTest(
            consumers: """
                [[webhook]]
                name = "spools"
                url = "http://127.0.0.1:9"
                preset = "spoolman"
                """, journal: "identifiers = \"\(form)\"\n")
        try await relay.wait(for: "held", in: ["status"])
        let spools = try await consumer("spools", relay)
        #expect(spools.backlog == 0 && spools.lastError?.contains(#"write identifiers = "plain""#) == true, "\(spools)")
        await relay.end()
    }

    @Test func `an unknown consumer is an error that names the known ones`() async throws {
        let relay = try await RelayUnderTest(consumers: Self.consumers)
        for arguments in [["test", "lgo"], ["pause", "lgo"], ["resume", "lgo"], ["replay", "lgo", "--after", "0"]] {
            let finished = try await relay.run(arguments)
            #expect(
                finished.status == 65 && finished.errors.first?.contains(#"no consumer "lgo""#) == true,
                "\(arguments): \(finished)")
        }
        await relay.end()
    }

    @Test(arguments: [
        ["status"], ["test", "x"], ["parked"], ["parked", "retry", "x", "--all"], ["pause", "x"], ["resume", "x"],
        ["replay", "x", "--after", "0"], ["metrics"],
    ])
    func `without a relay, shows how to start it and exits with 69`(arguments: [String]) async throws {
        let finished = try await run(
            [Programs.nfcctl, "relay"] + arguments, environment: ["NFCD_RELAY_SOCKET": "/nonexistent/relay.sock"])
        #expect(finished.status == 69)
        #expect(finished.errors.first == "nfcctl: no nfcd-relay listens on /nonexistent/relay.sock")
        #expect(
            finished.errors.contains("Start it: nfcd-relay --config relay.toml --control /nonexistent/relay.sock"))
        #expect(finished.errors.last?.contains("nfcctl doctor") == true)
    }

    @Test(arguments: [
        ["replay", "x"], ["replay", "x", "--after", "-1"], ["parked", "retry", "x"], ["test"],
        ["parked", "discard", "x", "id", "--all"],
    ])
    func `exits with 64 for an invalid option`(arguments: [String]) async throws {
        let finished = try await run([Programs.nfcctl, "relay"] + arguments)
        #expect(finished.status == 64, "\(finished.errors)")
    }
}

/// Every shell command in the pages about the journal and the relay is run.
@Suite(.timeLimit(.minutes(20)))
struct `The commands in` {
    /// Without a daemon, a command fails with 69 after its options were accepted; 64 is a usage error.
    @Test(arguments: [
        ("Docs/taps.md", 10), ("Docs/relay.md", 8), ("Docs/guides/home-assistant.md", 4),
        ("Docs/guides/webhooks.md", 3),
        ("Docs/guides/fleet.md", 4), ("README.md", 10), ("Docs/guides/security-keys.md", 4),
        ("Docs/guides/watch.md", 4), ("Docs/guides/web-kiosk.md", 2),
        ("Docs/nfcctl.md", 6), ("Docs/administration.md", 2), ("Docs/faq.md", 1), ("Docs/guides/spools.md", 6),
        ("Docs/troubleshooting.md", 1), ("Docs/iphone.md", 1),
    ])
    func `a page have options that exist`(page: String, atLeast: Int) async throws {
        let calls = try Document(page).calls(of: "nfcctl")
        #expect(calls.count >= atLeast, "\(calls)")
        for call in Set(calls) where !call.hasPrefix("nfcctl virtual-tag") {
            // A text in quotes is one word.
            let words = call.replacing(#/'[^']*'/#, with: "quoted").split(separator: " ").dropFirst().map(String.init)
            let finished = try await run(
                [Programs.nfcctl] + words,
                environment: [
                    "NFCD_SOCKET": "/nonexistent/nfcd.sock", "NFCD_RELAY_SOCKET": "/nonexistent/relay.sock",
                ])
            #expect([0, 69, 77, 78].contains(finished.status), "\(call): \(finished.status) \(finished.errors)")
        }
    }

    @Test(arguments: ["Docs/taps.md", "Docs/relay.md"])
    func `a page work`(page: String) async throws {
        let relay = try await RelayUnderTest(
            consumers: "[[command]]\nname = \"log\"\nrun = [\"/bin/cat\"]\nstart = \"oldest\"\n")
        try await relay.daemon.tapOnce("--uri", "https://example.com/1")
        let commands = try Document(page).commands
        #expect(commands.count >= 8)
        for command in commands {
            let words = command.split(separator: " ").map(String.init)
            #expect(words.first == "nfcctl", "\(command)")
            let finished = try await relay.nfcctl(Array(words.dropFirst()))
            #expect(finished.status == 0, "\(command): \(finished.errors)")
        }
        await relay.end()
    }
}
