import ArgumentParser
import NFCClient
import NFCProtocol

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
        _ = try await reporting {
            try await NFCClient.withConnection(to: path) { try await $0.call(SessionsCancel.self, parameters) }
        }
    }
}
