public import ArgumentParser
import NFCClient
public import NFCProtocol

/// `nfcctl scan`: a reader session by hand.
struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Read tags as they are held to a reader.",
        discussion: """
            Begins a reader session, shows each tag that comes, and ends with Ctrl-C, after --count tags, or when the \
            session's time is over. While it runs, no other session uses the reader. With --kind tag, tags are not read: \
            the message is null.

            With --json, one line per tag:
              {"event":"tag","reader":…,"tag":{"type":…,"identifier":…},"message":{"records":[…]}|null}
            and at the end:
              {"event":"invalidated","code":…,"name":…,"message":…}

            Examples:
              nfcctl scan
              nfcctl scan --json --count 1 --timeout 10 | jq -r '.message.records[].decoded.uri'
            """)

    @Flag(help: "One line of JSON per tag, and one at the end.")
    var json = false

    @Option(help: ArgumentHelp("End after this many tags.", valueName: "n"))
    var count: Int?

    @Option(help: ArgumentHelp("End after this many seconds (default: the daemon's limit).", valueName: "seconds"))
    var timeout: Double?

    @Option(help: "The kind of session: ndef reads messages, tag only tells which tags come.")
    var kind = SessionBegin.Kind.ndef

    @Option(help: ArgumentHelp("Only this reader, by id or name; may be repeated.", valueName: "reader"))
    var reader: [String] = []

    @Flag(help: "Wait for a reader, and for one's turn, instead of failing.")
    var wait = false

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
        if let timeout, !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("--timeout takes more than 0 and at most 86400 seconds")
        }
    }

    func run() async throws {
        let request = SessionBegin.Parameters(
            kind: kind, readers: reader.isEmpty ? nil : reader,
            whenBusy: wait ? .queue : .fail, waitForReader: wait, timeout: timeout)
        let output: any ScanOutput = json ? ScanJSONOutput() : ScanPeopleOutput()
        let path = connection.path
        let code = try await reporting {
            try await NFCClient.withConnection(to: path) { client in
                try await Scan(client: client, request: request, count: count, output: output).run()
            }
        }
        if code != .success { throw code }
    }
}

extension SessionBegin.Kind: ExpressibleByArgument {}
