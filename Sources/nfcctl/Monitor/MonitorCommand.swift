import ArgumentParser
import NFCClient
import NFCProtocol

/// `nfcctl monitor`: what goes on, as it goes on.
struct MonitorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Watch readers, sessions and taps.",
        discussion: """
            Shows the readers with their states, the sessions that hold them, and each tag that is held to a reader while \
            no session holds it. It takes no reader away from a session. Ctrl-C ends.

            On a terminal a table is kept up to date; elsewhere there is a line for each event. With --json, the first line is
              {"event":"started","readers":[…],"sessions":[…]}
            and then one line per event, its name and what it carries, such as
              {"event":"reader.attached","reader":…,"name":…}
              {"event":"background.didReadTag","reader":…,"tag":{"type":…,"identifier":…},"messages":[{"records":[…]}]}

            Examples:
              nfcctl monitor
              nfcctl monitor --json | jq -r 'select(.event == "background.didReadTag").tag.identifier'
            """)

    @Flag(help: "One line of JSON per event.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let output: any MonitorOutput =
            if json { MonitorJSONOutput() } else if Terminal.isOutput { MonitorTableOutput() } else {
                MonitorLineOutput()
            }
        let path = connection.path
        let code = try await reporting {
            try await NFCClient.withConnection(to: path) { try await Monitor(client: $0, output: output).run() }
        }
        if code != .success { throw code }
    }
}
