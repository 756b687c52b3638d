import ArgumentParser
import NFCClient
import NFCProtocol

/// `nfcctl taps`: the journal of taps.
struct TapsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "taps",
        abstract: "List, follow and export the taps of the journal.",
        discussion: """
            nfcd can store each tap on the disk before the reader shows success, and keep it until every consumer has it. The \
            journal is off by default: write enabled = true into the table [journal] of nfcd.toml, and restart nfcd. Reading \
            it needs the capability taps; prune needs manage.

            Examples:
              nfcctl taps list --newest --limit 20
              nfcctl taps list --json --after 1000
              nfcctl taps follow --json --consumer till
              nfcctl taps show 1001
              nfcctl taps export --format csv --output taps.csv
              nfcctl taps prune --before 2026-01-31
              nfcctl taps status

            Exit codes: 78 the journal is not enabled; the others are those of nfcctl(1).
            """,
        subcommands: [
            TapsListCommand.self, TapsFollowCommand.self, TapsShowCommand.self, TapsExportCommand.self,
            TapsPruneCommand.self, TapsStatusCommand.self, TapsRemoveConsumerCommand.self,
        ])
}

/// The options that select taps.
struct TapSelection: ParsableArguments {
    @Option(help: ArgumentHelp("Only taps after this sequence number.", valueName: "sequence"))
    var after: Int64 = 0

    @Option(
        help: ArgumentHelp(
            "Only taps of this reader, by the id that the taps have; may be repeated.", valueName: "reader"),
        completion: .readers)
    var reader: [String] = []

    func validate() throws {
        if after < 0 { throw ValidationError("--after takes a sequence number of at least 0") }
    }

    /// The readers in the form of the protocol.
    var readers: [String]? { reader.isEmpty ? nil : reader }
}

extension ConnectionOptions {
    /// Runs `body` with a connection to a daemon that has a journal.
    ///
    /// - Throws: `ExitCode` 78 if the journal is not enabled, after printing how to enable it; otherwise as ``withClient(_:)``.
    func withJournal<Value>(_ body: (NFCClient, TapsStatus.Result) async throws -> Value) async throws -> Value {
        try await withClient { client in
            let status = try await client.call(TapsStatus.self)
            guard status.state != .disabled else {
                Terminal.error("nfcctl: \(JournalInstructions.forThisMachine(path: path).text)")
                throw ExitCode.configuration
            }
            return try await body(client, status)
        }
    }
}

/// How to enable the journal.
struct JournalInstructions: Sendable {
    /// The configuration file of the daemon.
    private let file: String
    /// The command that makes the daemon read it.
    private let restart: String

    init(path: String, environment: [String: String], isBooted: Bool, isRoot: Bool) {
        let sudo = isRoot ? "" : "sudo "
        switch DaemonInstance(path: path, environment: environment) {
        case .system:
            file = "/etc/nfcd/nfcd.toml"
            restart = isBooted ? ": \(sudo)systemctl restart nfcd" : ""
        case .user:
            file = "~/.config/nfcd/nfcd.toml"
            restart = isBooted ? ": systemctl --user restart nfcd" : ""
        case .manual:
            file = "the file of nfcd --config"
            restart = ""
        }
    }

    /// The instructions for this machine.
    static func forThisMachine(path: String) -> JournalInstructions {
        let host = Host.machine
        return JournalInstructions(
            path: path, environment: host.environment, isBooted: ServiceUnits.isBooted(MachineFiles()),
            isRoot: host.isRoot)
    }

    /// The instructions as text.
    var text: String {
        """
        nfcd keeps no journal of taps. Enable it in \(file): in the section [journal] that is
        there, or in a new one at the end of the file:

          [journal]
          enabled = true

        Then restart nfcd\(restart)
        """
    }
}
