import Foundation
import Testing

/// Where the output of a program goes.
private enum Destination: String, CaseIterable, Sendable {
    case full = ">/dev/full"
    case closed = ">&-"

    /// The command, with this as its standard output.
    func command(_ command: [String]) -> [String] {
        ["/bin/sh", "-c", #"exec "$0" "$@" \#(rawValue)"#] + command
    }

    var reason: String { self == .full ? "No space left on device" : "Bad file descriptor" }
}

/// A command of a program, as the program describes itself.
private struct CommandTree: Decodable {
    struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let name: String
            }
            let names: [Name]?
        }
        let commandName: String
        let subcommands: [Command]?
        let arguments: [Argument]?
    }
    let command: Command

    init(of program: String) async throws {
        let dump = try await run([program, "--experimental-dump-help"])
        self = try JSONDecoder().decode(Self.self, from: Data(dump.output.joined(separator: "\n").utf8))
    }

    /// The names of every command, and whether it has `--json`; the root is empty.
    var paths: [(path: [String], isLeaf: Bool, hasJSON: Bool)] { Self.paths(command, []) }

    private static func paths(_ command: Command, _ path: [String]) -> [([String], Bool, Bool)] {
        let children = (command.subcommands ?? []).filter { $0.commandName != "help" }
        let hasJSON = command.arguments?.contains { $0.names?.contains { $0.name == "json" } == true } == true
        return [(path, children.isEmpty, hasJSON)] + children.flatMap { paths($0, path + [$0.commandName]) }
    }
}

/// Output that was not delivered is an error: 74, and the reason on standard error.
@Suite(.timeLimit(.minutes(20)))
struct `Output that was not delivered` {
    private func check(_ command: [String], environment: [String: String] = [:]) async throws {
        for destination in Destination.allCases {
            let finished = try await run(destination.command(command), environment: environment)
            let name = (command[0] as NSString).lastPathComponent
            #expect(finished.status == 74, "\(command) \(destination.rawValue): \(finished)")
            let line = "\(name): cannot write to standard output: \(destination.reason)"
            #expect(finished.errors.contains(line), "\(command) \(destination.rawValue): \(finished)")
        }
    }

    @Test(arguments: [Programs.nfcctl, Programs.nfcd, Programs.relay, Programs.fido, Programs.web])
    func `help, versions and completions`(program: String) async throws {
        let tree = try await CommandTree(of: program)
        for (path, _, _) in tree.paths {
            try await check([program] + path + ["--help"])
            if program == Programs.nfcctl { try await check([program, "help"] + path) }
        }
        for option in [["--version"], ["--experimental-dump-help"], ["--generate-completion-script", "bash"]] {
            try await check([program] + option)
        }
    }

    @Test func `checked configurations`() async throws {
        let scratch = try Scratch()
        let empty = try scratch.file("empty.toml", "")
        let relay = try scratch.file(
            "relay.toml", "[relay]\ndevice = \"desk\"\n[[command]]\nname = \"log\"\nrun = [\"/bin/cat\"]\n")
        for (program, file) in [
            (Programs.nfcd, empty), (Programs.relay, relay), (Programs.fido, empty), (Programs.web, empty),
        ] {
            try await check([program, "--check", "--config", file])
        }
    }

    // MARK: Every command

    /// What makes a command print something. A tag lies on the reader.
    private static let tagCommands: [String: [String]] = [
        "scan": ["--count", "1"], "read": [], "write": ["--uri", "https://ex.am/1"], "copy": [],
        "restore": ["FOLDER/tag.nfc"], "erase": [], "format": [], "lock": ["--yes"],
        "password set": ["--new-password", "01020304", "--yes"],
        "password change": ["--tag-password", "FFFFFFFF", "--new-password", "01020304", "--yes"],
        "password remove": ["--tag-password", "01020304"], "config": ["--counter", "on"], "info": [], "dump": [],
        "transceive": ["60"], "readers": [], "monitor": [], "sessions": [], "metrics": [], "doctor": [],
        "spool show": [], "spool use": ["1"], "spool weigh": ["800"], "spool set": ["storage_location=B3"],
        "spool new": ["material_type=PLA", "--force"],
        "ndef decode": ["D1010155006162"], "ndef encode": ["--text", "x"], "virtual-tag": ["--list"],
    ]
    /// The same, with a journal and a relay.
    private static let journalCommands: [String: [String]] = [
        "taps list": [], "taps prune": ["--before", "2000-01-01", "--yes"], "taps show": ["1"],
        "taps follow": ["--after", "0"], "taps status": [], "taps export": [],
        "relay status": [], "relay metrics": [], "relay parked list": [], "relay test": ["log"],
        "relay parked retry": ["picky", "--all"], "relay parked discard": ["picky", "--all"],
    ]
    /// The same, with a key file that has a key `door` and a profile.
    private static let keyCommands: [String: [String]] = [
        "keys list": [], "keys check": [], "keys generate": ["gate"], "keys rotate": ["door"],
        "secure check": ["https://ex.am/?u=04958CAA5C5E80&n=000001&c=0123456789ABCDEF"],
    ]
    /// The same, with an nfcd that has a profile, and a tag that is set up already, except for the first command.
    private static let setUpCommands: [String: [String]] = [
        "secure setup": [], "secure status": [], "secure verify": [], "secure rotate": [], "secure resume": [],
        "secure reset": ["--yes"],
    ]
    /// Commands that print nothing to standard output.
    private static let silent: Set<String> = [
        "cancel", "taps remove-consumer", "relay pause", "relay resume", "relay replay",
    ]
    /// Commands with a test below, or in SimulatorCommandTests, DesktopCommandTests, RecordingTests or SupportTests.
    private static let others: Set<String> = [
        "apdu", "watch", "demo", "simulator", "desktop status", "desktop enable", "desktop test", "record start",
        "record export", "support",
    ]

    @Test func `the table has every command`() async throws {
        let leaves = try await CommandTree(of: Programs.nfcctl).paths.filter(\.isLeaf)
            .map { $0.path.joined(separator: " ") }
        let known = Set(Self.tagCommands.keys).union(Self.journalCommands.keys).union(Self.keyCommands.keys)
            .union(Self.setUpCommands.keys).union(Self.silent).union(Self.others)
        #expect(Set(leaves) == known, "\(Set(leaves).symmetricDifference(known))")
    }

    private static let keyFile = """
        [[key]]
        name = "door"
        value = "8C1F5E02B7A94D36F0E1D2C3B4A59687"
        [[profile]]
        name = "web"
        tag = "ntag424"
        method = "sun"
        file-key = "door"
        url = "https://ex.am/?u={uid}&n={ctr}&c={mac}"

        """

    @Test(arguments: keyCommands.keys.sorted(), Destination.allCases)
    fileprivate func `of a command with a key file`(name: String, destination: Destination) async throws {
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let file = try scratch.file("keys.toml", Self.keyFile)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let words = name.split(separator: " ").map(String.init)
        let command = [Programs.nfcctl] + words + (Self.keyCommands[name] ?? []) + ["--keys", file]
        let finished = try await run(destination.command(command))
        #expect(finished.status == 74, "\(name) \(destination.rawValue): \(finished)")
        #expect(finished.errors.contains("nfcctl: cannot write to standard output: \(destination.reason)"), "\(name)")
    }

    @Test func `of a command that sets up a tag`() async throws {
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let mutual =
            Self.keyFile.split(separator: "[[profile]]")[0] + """
                [[profile]]
                name = "gate"
                tag = "ntag424"
                tag-key = "door"
                master-key = "door"

                """
        let keys = try scratch.file("keys.toml", String(mutual))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys)
        let journal = "[journal]\npath = \"\(scratch.path)/taps.db\"\ndebounce = 0\n"
        let file = try scratch.file("nfcd.toml", "[keys]\nfile = \"\(keys)\"\n" + journal)
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, configuration: file)
        for (name, arguments) in Self.setUpCommands.sorted(by: { $0.key < $1.key }) {
            for json in [[], ["--json"]] {
                for destination in Destination.allCases {
                    let tag = try await daemon.tap(["ntag424"])
                    if name != "secure setup" {
                        let made = try await daemon.run("secure", "setup")
                        #expect(made.status == 0, "\(name) \(json) \(destination.rawValue): \(made)")
                    }
                    // Without its record, a tag that is set up may have been interrupted just before the end.
                    if name == "secure resume" { try FileManager.default.removeItem(atPath: "\(scratch.path)/setups") }
                    let words = name.split(separator: " ").map(String.init)
                    let finished = try await run(
                        destination.command([Programs.nfcctl] + words + arguments + json),
                        environment: ["NFCD_SOCKET": daemon.socket])
                    #expect(finished.status == 74, "\(name) \(json) \(destination.rawValue): \(finished)")
                    let line = "nfcctl: cannot write to standard output: \(destination.reason)"
                    #expect(finished.errors.contains(line), "\(name) \(json) \(destination.rawValue): \(finished)")
                    // The next tag has the same UID, and nothing of this one.
                    try FileManager.default.removeItem(atPath: "\(scratch.path)/setups")
                    try await daemon.takeAway(tag)
                }
            }
        }
        await daemon.process.end()
    }

    @Test func `of a command with a tag`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1, model: "acr1252u")
        let environment = ["NFCD_SOCKET": daemon.socket]
        let saved = try await daemon.tap(["ntag213", "--uri", "https://ex.am/0"])
        #expect(try await daemon.run("dump", "--output", "\(daemon.scratch.path)/tag.nfc").status == 0)
        try await daemon.takeAway(saved)
        for (path, _, hasJSON) in try await CommandTree(of: Programs.nfcctl).paths {
            let name = path.joined(separator: " ")
            guard let arguments = Self.tagCommands[name] else { continue }
            for json in hasJSON ? [[], ["--json"]] : [[]] {
                // A tag for each run: some change it.
                for destination in Destination.allCases {
                    let tag = try await daemon.tap(
                        path.first == "spool"
                            ? ["ntag215"] + `The tag of a spool`.record : ["ntag213", "--uri", "https://ex.am/0"])
                    if name == "password remove" {
                        _ = try await daemon.run("password", "set", "--new-password", "01020304", "--yes")
                    }
                    let session = name == "sessions" ? try await daemon.startScan("--count", "9") : nil
                    let command =
                        [Programs.nfcctl] + path
                        + (arguments + json).map { $0.replacing("FOLDER", with: daemon.scratch.path) }
                    let finished = try await run(destination.command(command), environment: environment)
                    #expect(finished.status == 74, "\(name) \(json) \(destination.rawValue): \(finished)")
                    let line = "nfcctl: cannot write to standard output: \(destination.reason)"
                    #expect(finished.errors.contains(line), "\(name) \(json) \(destination.rawValue): \(finished)")
                    if let session { await session.end(SIGINT) }
                    try await daemon.takeAway(tag)
                }
            }
        }
        await daemon.process.end()
    }

    @Test func `of watch, and of apdu with its card`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let environment = ["NFCD_SOCKET": daemon.socket]
        for destination in Destination.allCases {
            for json in [[], ["--json"]] {
                let watch = try ChildProcess(
                    destination.command([Programs.nfcctl, "watch"] + json), environment: environment)
                #expect(await watch.errors.next(containing: "Hold a tag") != nil)
                let tag = try await daemon.tap(["ntag213", "--uri", "https://ex.am/0"])
                #expect(await watch.status() == 74)
                try await daemon.takeAway(tag)
                let card = try await daemon.tap(["ntag424"])
                let command = [Programs.nfcctl, "apdu", "00A4040007D276000085010100"] + json
                let finished = try await run(destination.command(command), environment: environment)
                #expect(finished.status == 74, "\(finished)")
                #expect(finished.errors.contains { $0.contains(destination.reason) }, "\(finished)")
                try await daemon.takeAway(card)
            }
        }
        await daemon.process.end()
    }

    @Test func `of a command with a journal or a relay`() async throws {
        let relay = try await RelayUnderTest(
            consumers: """
                [[command]]
                name = "log"
                run = ["/bin/sh", "-c", "cat > /dev/null"]
                [[command]]
                name = "picky"
                run = ["/bin/sh", "-c", "cat > /dev/null; exit 65"]
                start = "oldest"
                """)
        try await relay.daemon.tapOnce("--uri", "https://ex.am/1")
        try await relay.wait(for: "1 parked", in: ["status"])
        for (path, _, hasJSON) in try await CommandTree(of: Programs.nfcctl).paths {
            guard let arguments = Self.journalCommands[path.joined(separator: " ")] else { continue }
            for json in hasJSON ? [[], ["--json"]] : [[]] {
                for destination in Destination.allCases {
                    if path.contains("discard") || path.contains("retry") || path == ["relay", "parked", "list"] {
                        _ = try await relay.run(["replay", "picky", "--after", "0"])
                        try await relay.wait(for: "1 parked", in: ["status"])
                    }
                    let finished = try await run(
                        destination.command([Programs.nfcctl] + path + arguments + json),
                        environment: ["NFCD_SOCKET": relay.daemon.socket, "NFCD_RELAY_SOCKET": relay.control])
                    #expect(finished.status == 74, "\(path) \(json) \(destination.rawValue): \(finished)")
                    let line = "nfcctl: cannot write to standard output: \(destination.reason)"
                    #expect(finished.errors.contains(line), "\(path) \(json) \(destination.rawValue): \(finished)")
                }
            }
        }
        await relay.end()
    }

    @Test func `is never sent to nfcd, and standard input that is closed is an error`() async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let tag = try await daemon.tap(["ntag213", "--uri", "https://ex.am/0"])
        let environment = ["NFCD_SOCKET": daemon.socket]
        let closed = try await run(
            ["/bin/sh", "-c", #"exec "$0" read <&- >&- 2>&-"#, Programs.nfcctl], environment: environment)
        #expect(closed.status == 74 && closed.output.isEmpty && closed.errors.isEmpty, "\(closed)")
        let input = try await run(["/bin/sh", "-c", #"exec "$0" ndef decode <&-"#, Programs.nfcctl])
        #expect(input.status == 66 && input.errors.first?.contains("Bad file descriptor") == true, "\(input)")
        // The tag was written although the output was lost.
        let written = try await run(
            Destination.full.command([Programs.nfcctl, "write", "--text", "seen"]), environment: environment)
        #expect(written.status == 74, "\(written)")
        #expect(try await daemon.run("read").output.contains { $0.contains("seen") })
        await tag.end(SIGINT)
        await daemon.process.end()
    }
}
