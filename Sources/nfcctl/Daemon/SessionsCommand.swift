import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl sessions`: lists the sessions of all clients.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the sessions of your programs, or those of all users.",
        discussion: """
            The sessions of other users need the capability monitor, which root has. Active sessions are listed first, then queued sessions in the order of the queue. The first column is the name \
            for 'nfcctl cancel'. The line below has the text that the program shows, such as the origin of a web page.

            Examples:
              nfcctl sessions
              nfcctl sessions --json | jq -r 'select(.state == "queued").session'
            """)

    @Flag(help: "Print one line of JSON per session.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let sessions = try await connection.withClient { try await $0.sessions() }
        guard !json else { return sessions.forEach { Terminal.print(json: $0) } }
        guard !sessions.isEmpty else { return Terminal.error("There are no sessions.") }
        let width = OutputStyle.output.width
        for (session, line) in zip(sessions, TextTable(rows: sessions.map(\.row)).lines(width: width)) {
            Terminal.print(line)
            for line in session.message(width: width) { Terminal.print(line) }
        }
    }
}

extension NFCClient {
    /// The sessions of all clients, in as many calls as it takes.
    func sessions() async throws -> [SessionsList.Session] {
        var sessions: [SessionsList.Session] = []
        while true {
            let page = try await call(SessionsList.self, .init(offset: sessions.count))
            guard !page.isEmpty else { return sessions }
            sessions += page
        }
    }
}

extension SessionsList.Session {
    /// The columns of the table.
    var row: [String] {
        let readerNames = readers.isEmpty ? "no reader yet" : readers.joined(separator: ", ")
        let left = remaining.map { "\(Int($0.rounded(.up))) s left" } ?? "waiting"
        return [
            session, state.rawValue, "uid \(client.uid), pid \(client.pid)", kind.rawValue, left, readerNames.escaped,
        ]
    }

    /// The lines of the text that is shown for the session; none without one.
    func message(width: Int?) -> [String] {
        guard !alertMessage.isEmpty else { return [] }
        let text = alertMessage.escaped
        return (width.map { TextLines.wrap(text, to: $0 - 2) } ?? [text]).map { "  \($0)" }
    }
}

/// `nfcctl cancel`: ends a session of any client.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End a session of any client.",
        discussion: """
            The client of the session receives 200 UserCanceled, with the message as the detail, or without one, with the \
            user and process of this command. 'nfcctl sessions' lists the names.

            Examples:
              nfcctl cancel session-7
              nfcctl cancel session-7 --message 'The desk is needed for something else.'
            """)

    @Argument(help: "The name of the session.")
    var session: String

    @Option(help: ArgumentHelp("The reason that the client of the session receives.", valueName: "text"))
    var message: String?

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        _ = try await connection.call(SessionsCancel.self, .init(session: session, errorMessage: message?.shortened()))
    }
}
