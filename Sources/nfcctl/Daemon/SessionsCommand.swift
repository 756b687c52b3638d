import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl sessions`: who holds readers, and who waits for them.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List everybody's sessions.",
        discussion: """
            The active sessions come first, then those that wait, in their order. The name in the first column is what \
            'nfcctl cancel' takes.

            Examples:
              nfcctl sessions
              nfcctl sessions --json | jq -r 'select(.state == "queued").session'
            """)

    @Flag(help: "One line of JSON per session.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let path = connection.path
        let sessions = try await reportingErrors {
            try await NFCClient.withConnection(to: path) { try await $0.call(SessionsList.self) }
        }
        guard !json else { return sessions.forEach { Terminal.print(json: $0) } }
        guard !sessions.isEmpty else { return Terminal.error("There is no session.") }
        for line in TextTable(rows: sessions.map(\.row)).lines(width: OutputStyle.output.width) { Terminal.print(line) }
    }
}

extension SessionsList.Session {
    /// The columns for people.
    var row: [String] {
        let place = readers.isEmpty ? "no reader yet" : readers.joined(separator: ", ")
        let left = remaining.map { "\(Int($0.rounded(.up))) s left" } ?? "waits"
        return [
            session, state.rawValue, "uid \(client.uid), pid \(client.pid)", kind.rawValue, left, place.escaped,
            alertMessage.escaped,
        ]
    }
}

/// `nfcctl cancel`: ends somebody's session.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End a session, whoever began it.",
        discussion: """
            Its client is told 200 UserCanceled, with the message as the detail. 'nfcctl sessions' lists the names.

            Examples:
              nfcctl cancel session-7
              nfcctl cancel session-7 --message 'The desk is needed for something else.'
            """)

    @Argument(help: "The session's name.")
    var session: String

    @Option(help: ArgumentHelp("What its client is told as the reason.", valueName: "text"))
    var message: String?

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let (path, parameters) = (connection.path, SessionsCancel.Parameters(session: session, errorMessage: message))
        _ = try await reportingErrors {
            try await NFCClient.withConnection(to: path) { try await $0.call(SessionsCancel.self, parameters) }
        }
    }
}
