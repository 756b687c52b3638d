import Foundation
import Testing

@testable import nfcctl

/// The messages and exit codes of the programs, without a reader.
@Suite(.timeLimit(.minutes(20)))
struct `The command line` {
    static let nowhere = ["NFCD_SOCKET": "/nonexistent/nfcd.sock"]

    @Test(arguments: [
        ["scan"], ["scan", "--json"], ["readers"], ["virtual-tag", "ntag215"], ["monitor", "--json"], ["sessions"],
        ["cancel", "session-1"], ["metrics"], ["read"], ["write", "--text", "x"], ["erase"], ["format"],
        ["lock", "--yes"],
        ["info"], ["dump"], ["apdu", "00A40400"], ["transceive", "60"], ["taps", "list"], ["taps", "follow"],
        ["taps", "status"], ["watch"], ["watch", "--exec", "true"], ["secure", "setup"], ["secure", "status"],
        ["secure", "verify"], ["secure", "rotate"], ["secure", "reset", "--yes"], ["secure", "resume"],
        ["spool", "show"], ["spool", "use", "1"], ["spool", "new", "material_type=PLA"],
    ])
    func `without a daemon, shows how to start it and exits with 69`(arguments: [String]) async throws {
        let finished = try await run([Programs.nfcctl] + arguments, environment: Self.nowhere)
        #expect(finished.status == 69)
        let first = finished.errors.first { !$0.hasPrefix("nfcctl: warning: ") }
        #expect(first == "nfcctl: no nfcd listens on /nonexistent/nfcd.sock")
        #expect(finished.errors.contains("Start it: nfcd --socket /nonexistent/nfcd.sock"))
        #expect(finished.errors.contains { $0.contains("nfcctl simulator --socket ") })
        #expect(finished.errors.last?.contains("nfcctl doctor") == true)
        #expect(finished.output.isEmpty)
    }

    @Test(arguments: [
        ["scan", "--count", "0"], ["scan", "--timeout", "-1"], ["scan", "--kind", "felica"], ["frobnicate"],
        ["virtual-tag"], ["virtual-tag", "ntag215", "--ndef", "D1"], ["virtual-tag", "ntag215", "--uid", "0"],
        ["virtual-tag", "ntag215", "--vpcd", "nonsense"], ["virtual-tag", "ntag215", "--for", "0"],
        ["virtual-tag", "ntag215", "--title", "without a Smart Poster"], ["watch", "--uid", "xyz"],
        ["watch", "--exec", " "], ["watch", "--type", "ntag215"],
    ])
    func `exits with 64 for an invalid option`(arguments: [String]) async throws {
        let finished = try await run([Programs.nfcctl] + arguments, environment: Self.nowhere)
        #expect(finished.status == 64)
        #expect(finished.errors.first?.hasPrefix("Error: ") == true)
    }

    @Test(arguments: [
        (["write", "--url", "https://example.com"], "nfcctl write --uri"),
        (["write", "https://example.com"], "nfcctl write --uri https://example.com"),
        (["scna"], "nfcctl scan"), (["ndef", "encoed"], "nfcctl ndef encode"),
        (["scan", "--tiemout=5"], "nfcctl scan --timeout"),
    ])
    func `a usage error is reported with what was probably meant`(arguments: [String], meant: String) async throws {
        let finished = try await run([Programs.nfcctl] + arguments, environment: Self.nowhere)
        #expect(finished.status == 64 && finished.output.isEmpty)
        #expect(finished.errors.first?.hasPrefix("Error: ") == true, "\(finished.errors)")
        #expect(finished.errors.last == "Did you mean '\(meant)'?", "\(finished.errors)")
    }

    @Test(arguments: [["frobnicate"], ["scan", "--count", "0"], ["cancel"], ["write"]])
    func `a usage error without anything similar has no suggestion`(arguments: [String]) async throws {
        let finished = try await run([Programs.nfcctl] + arguments, environment: Self.nowhere)
        #expect(
            finished.status == 64 && !finished.errors.contains { $0.contains("Did you mean") }, "\(finished.errors)")
    }

    @Test(arguments: [
        (["--uri", "example.com"], "--uri example.com: it has no scheme, so no program would open it"),
        (["--uri", "not a uri at all"], "a URI has no spaces"), (["--uri", "https://a b"], "write a space as %20"),
        (["--smart-poster", "example.com"], "write https://example.com"),
        (["--vcard", "/dev/null"], "--vcard /dev/null: a vCard starts with BEGIN:VCARD"),
    ])
    func `write refuses what is probably a mistake, ndef encode warns`(content: [String], doubt: String) async throws {
        let refused = try await run([Programs.nfcctl, "write"] + content, environment: Self.nowhere)
        #expect(refused.status == 65)
        #expect(refused.errors.first?.contains(doubt) == true && refused.errors.last?.contains("--force") == true)
        // The next step fails: there is no daemon.
        let forced = try await run([Programs.nfcctl, "write", "--force"] + content, environment: Self.nowhere)
        #expect(forced.status == 69)
        let encoded = try await run([Programs.nfcctl, "ndef", "encode"] + content)
        #expect(encoded.status == 0 && encoded.errors.count == 1)
        #expect(encoded.errors.first?.hasPrefix("nfcctl: warning: ") == true)
        #expect(encoded.errors.first?.contains(doubt) == true, "\(encoded.errors)")
    }

    struct URIRow: Decodable {
        let uri: String
        let doubt: String?
    }

    /// The table that the Python and the JavaScript client pass, too.
    @Test func `the checks of a URI are those of the clients in other languages`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Documentation/uris.json")
        let messages = ["scheme": "it has no scheme", "space": "a URI has no spaces or control characters"]
        for row in try JSONDecoder().decode([URIRow].self, from: Data(contentsOf: file)) {
            let text = URIDoubt(row.uri)?.text
            #expect((text == nil) == (row.doubt == nil), "\(row)")
            if let doubt = row.doubt { #expect(text?.contains(messages[doubt] ?? "?") == true, "\(row)") }
        }
    }

    @Test(arguments: ["https://example.com/ü?a=1&b", "tel:+4312345", "app:door/7", "urn:nfc:x", "geo:48.2,16.4"])
    func `a URI with a scheme is beyond doubt`(uri: String) async throws {
        #expect(URIDoubt(uri) == nil)
    }

    @Test(arguments: [
        (#"add capabilities = ["raw"]"#, #"add capabilities = ["raw"]"#), (#"a\b"#, #"a\b"#),
        ("a\u{1B}[2Jb", #"a\u{1B}[2Jb"#),
        ("ü", "ü"),
    ])
    func `an error shows quotation marks unchanged, and control characters as text`(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test func `exits with 65 for an unknown product, and lists the known ones`() async throws {
        let finished = try await run([Programs.nfcctl, "virtual-tag", "ntag999"], environment: Self.nowhere)
        #expect(finished.status == 65)
        #expect(finished.errors.first?.contains("ntag215") == true)
    }

    @Test func `virtual-tag lists the products`() async throws {
        let finished = try await run([Programs.nfcctl, "virtual-tag", "--list"])
        #expect(finished.status == 0)
        #expect(finished.output.count >= 29)
        #expect(finished.output.contains { $0.hasPrefix("ntag215\t") })
    }

    @Test func `virtual-tag reports a missing vpcd`() async throws {
        let finished = try await run([Programs.nfcctl, "virtual-tag", "ntag215", "--vpcd", "127.0.0.1:9"])
        #expect(finished.status == 69)
        #expect(finished.errors.first?.contains("no vpcd listens on 127.0.0.1:9") == true)
    }

    @Test(arguments: [
        "scan", "readers", "virtual-tag", "ndef", "monitor", "sessions", "cancel", "metrics", "doctor", "taps", "relay",
        "watch", "keys", "secure", "spool",
    ])
    func `has help for every command`(command: String) async throws {
        let finished = try await run([Programs.nfcctl, command, "--help"])
        #expect(finished.status == 0)
        #expect(finished.output.contains { $0.hasPrefix("USAGE: nfcctl \(command)") })
    }

    @Test(arguments: [
        ("[session]\ntimeout = \"long\"\n", ":2: session.timeout: expected a whole number from 1 to 86400"),
        ("[session]\n\ntimeuot = 5\n", ":3: session.timeuot: unknown key"),
        ("[sesion]\ntimeout = 5\n", ":1: sesion: unknown key"),
        ("[log]\nlevel = \"loud\"\n", ":2: log.level: expected one of"),
        ("[server\n", ":1: "),
        ("timeout = 5\n", ":1: timeout: unknown key"),
        ("[simulator]\nmodel = \"acr\"\n", ":2: simulator.model: expected one of \"generic\", \"acr122u\""),
        ("[reader]\nmatch = \"x\"\n", ":1: reader: expected [[reader]]"),
        ("reader = [1]\n", ":1: reader: expected [[reader]]"),
        ("[[reader]]\n\nprofile = \"generic\"\n", ":1: reader[0]: match is missing"),
        (
            "[[reader]]\nmatch = \"x\"\n[[reader]]\nmatch = \"y\"\nprofile = \"acr122\"\n",
            ":5: reader[1].profile: expected one of \"generic\", \"acr122u\""
        ),
        ("[[reader]]\nmatch = \"x\"\nfeedback = 1\n", ":3: reader[0].feedback: expected true or false"),
        ("[[reader]]\nmatch = \"x\"\nmacth = \"y\"\n", ":3: reader[0].macth: unknown key"),
        ("[[reader]]\nmatch = 5\n", ":2: reader[0].match: expected a text in quotes"),
        ("[relay]\nuser = \"no such user\"\n", ":2: relay.user: there is no user \"no such user\""),
        ("[fido]\nuser = \"no such user\"\n", ":2: fido.user: there is no user \"no such user\""),
        ("[[grant]]\nsession-timeout = 0\n", ":2: grant[0].session-timeout:"),
        (
            "[[grant]]\ncapabilities = [\"read\", \"raw\"]\nrequire = \"proven\"\n",
            ":3: grant[0].require: a grant that requires a proof can have"
        ),
        ("[simulator]\nreaders = 65\n", ":2: simulator.readers: expected a whole number from 0 to 64"),
    ])
    func `nfcd exits with 78 and reports the line of an invalid configuration`(text: String, message: String)
        async throws
    {
        let scratch = try Scratch()
        let file = try scratch.file("nfcd.toml", text)
        let finished = try await run([Programs.nfcd, "--config", file, "--socket", "\(scratch.path)/s"])
        #expect(finished.status == 78)
        let line = try #require(finished.errors.first)
        #expect(line.hasPrefix("nfcd: \(file)\(message)"), "\(line)")
    }

    @Test(arguments: [
        ("/nonexistent/nfcd.toml", "cannot be read: No such file or directory"),
        ("/", "cannot be read: it is not a file"),
    ])
    func `nfcd exits with 78 if the configuration cannot be read`(file: String, message: String) async throws {
        let finished = try await run([Programs.nfcd, "--config", file])
        #expect(finished.status == 78)
        #expect(finished.errors == ["nfcd: \(file): \(message)"])
    }

    @Test func `the default configuration is valid`() async throws {
        let scratch = try Scratch()
        let daemon = try ChildProcess([
            Programs.nfcd, "--config", Repository.file("Config/nfcd.toml").path, "--simulator", "1", "--socket",
            "\(scratch.path)/s",
        ])
        #expect(await daemon.errors.next(containing: "listening on") != nil)
        #expect(await daemon.end() == 0)
    }

    @Test(arguments: [Programs.nfcd, Programs.nfcctl])
    func `no program loads Foundation's ICU, and nfcctl no libpcsclite`(program: String) async throws {
        let libraries = try await run(["ldd", program]).output
        #expect(!libraries.isEmpty)
        for name in ["FoundationInternationalization", "_FoundationICU", "libicu", "libFoundation.so"] {
            #expect(!libraries.contains { $0.contains(name) }, "\(program) loads \(name)")
        }
        #expect(libraries.contains { $0.contains("libpcsclite") } == (program == Programs.nfcd))
    }
}

/// The help of every command, from which the man pages are generated.
@Suite(.timeLimit(.minutes(20)))
struct `The help of nfcctl` {
    private struct Dump: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let subcommands: [Command]?

        /// The command and all of its subcommands, except for the parser's own.
        var all: [Command] {
            [self] + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap(\.all)
        }

        /// The lines after `Examples:`.
        var examples: [String] {
            let lines = (discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return Array(lines.drop { $0 != "Examples:" }.dropFirst().prefix { $0.hasPrefix("  ") })
        }
    }

    private func commands() async throws -> [Command] {
        let finished = try await run([Programs.nfcctl, "--experimental-dump-help"])
        let text = finished.output.joined(separator: "\n")
        return try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command.all
    }

    @Test func `has an example for every command`() async throws {
        let commands = try await commands()
        #expect(commands.count >= 20)
        for command in commands {
            #expect(!command.examples.isEmpty, "\(command.commandName)")
            #expect(command.examples.contains { $0.contains("nfcctl ") }, "\(command.commandName)")
            #expect(command.abstract?.isEmpty == false, "\(command.commandName)")
        }
    }

    @Test func `of doctor describes the exit codes`() async throws {
        let doctor = try #require(try await commands().first { $0.commandName == "doctor" })
        for code in ["69", "77", "78"] { #expect(doctor.discussion?.contains(code) == true) }
    }
}

/// The instructions that nfcctl prints without a daemon.
@Suite struct `The instructions for starting nfcd` {
    private func command(
        _ path: String = "/run/nfcd/nfcd.sock", _ units: Set<String> = ["nfcd.socket", "nfcd.service"],
        booted: Bool = true, root: Bool = false
    ) -> String {
        let instance = DaemonInstance(path: path, environment: ["XDG_RUNTIME_DIR": "/run/user/1"])
        return StartInstructions(path: path, instance, units, isBooted: booted, isRoot: root).command
    }

    @Test func `depend on the user, the units and whether systemd is running`() {
        #expect(command() == "sudo systemctl enable --now nfcd.socket")
        #expect(command(root: true) == "systemctl enable --now nfcd.socket")
        #expect(command("/run/nfcd/nfcd.sock", ["nfcd.service"]) == "sudo systemctl enable --now nfcd.service")
        #expect(command("/run/nfcd/nfcd.sock", []) == "sudo nfcd")
        #expect(command(booted: false) == "sudo nfcd")
        #expect(command(booted: false, root: true) == "nfcd")
        #expect(command("/run/user/1/nfcd/nfcd.sock") == "systemctl --user enable --now nfcd.socket")
        #expect(command("/run/user/1/nfcd/nfcd.sock", []) == "nfcd --socket /run/user/1/nfcd/nfcd.sock")
        #expect(command("/run/user/1/my nfc's.sock") == #"nfcd --socket '/run/user/1/my nfc'\''s.sock'"#)
    }

    @Test func `include a simulated reader`() {
        let instructions = StartInstructions(path: "/run/nfcd/nfcd.sock", .system, [], isBooted: false, isRoot: true)
        #expect(
            instructions.simulatorCommands == [
                "nfcctl simulator --socket /tmp/nfcd.sock &", "export NFCD_SOCKET=/tmp/nfcd.sock",
            ])
        #expect(instructions.text.contains("nfcctl doctor"))
    }

    @Test(arguments: [
        ("/run/nfcd/nfcd.sock", "/tmp/nfcd.sock"), ("/srv/ada/nfcd.sock", "/tmp/nfcd.sock"),
        ("/tmp/nfcd.sock", "/tmp/nfcd.sock.2"),
    ])
    func `put a simulated reader beside a running nfcd on another socket`(path: String, other: String) {
        let instance = DaemonInstance(path: path, environment: [:])
        let instructions = StartInstructions(path: path, instance, [], isBooted: false, isRoot: true)
        #expect(instructions.simulatorCommandsBesideDaemon.last == "export NFCD_SOCKET=\(other)")
    }

    @Test(arguments: [
        ("abc/1.2-3_4", "abc/1.2-3_4"), ("", "''"), ("a b", "'a b'"), ("$(x)", "'$(x)'"), ("ü", "'ü'"),
    ])
    func `quote special characters for the shell`(text: String, word: String) {
        #expect(text.shellQuoted == word)
    }
}
