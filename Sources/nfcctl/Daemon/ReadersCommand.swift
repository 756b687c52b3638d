import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl readers`: lists the readers.
struct ReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "List the readers and their states.",
        discussion: """
            States: empty, present (there is a tag on the reader), inUse (a session holds the reader), failed (the reader \
            does not answer). The first column is the id for --reader. While the PC/SC service is being started, the command \
            waits for it. Without a reader, the exit code is 69; nfcctl doctor finds out why.

            Examples:
              nfcctl readers
              nfcctl readers --json | jq -r 'select(.state == "failed").failure'
            """)

    @Flag(help: "Print one line of JSON per reader.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let (readers, service) = try await connection.withClient { client in
            let info = try await Self.started(client)
            return (try await client.call(ReadersList.self), info)
        }
        guard !readers.isEmpty else {
            Terminal.error("nfcctl: no reader found: \(Self.reason(service)); run 'nfcctl doctor' to find out more")
            throw ExitCode.unavailable
        }
        if json {
            for reader in readers { Terminal.print(json: reader) }
        } else {
            show(readers)
        }
    }

    /// The state of the daemon as soon as the PC/SC service is not being started any more. The daemon limits how long that takes.
    private static func started(_ client: NFCClient) async throws -> ServerInfo.Result {
        defer { Terminal.clearStatus() }
        while true {
            let info = try await client.call(ServerInfo.self)
            guard info.readerService == .starting else { return info }
            Terminal.status("Waiting for the PC/SC service, which is being started… Press Ctrl-C to stop.")
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private static func reason(_ service: ServerInfo.Result) -> String {
        service.readerServiceDetail?.escaped ?? "none is plugged in"
    }

    private func show(_ readers: [ReadersList.Reader]) {
        let rows = readers.map { [$0.reader, state(of: $0), $0.name.escaped] }
        for line in TextTable(rows: rows).lines(width: OutputStyle.output.width) { Terminal.print(line) }
    }

    private func state(of reader: ReadersList.Reader) -> String {
        reader.failure.map { "\(reader.state.rawValue) (\($0.escaped))" } ?? reader.state.rawValue
    }
}
