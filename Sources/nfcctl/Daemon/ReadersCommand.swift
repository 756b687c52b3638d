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
            does not answer). A reader that another program holds has a remark. The first column is the id for --reader. \
            While the PC/SC service is being started, nfcctl waits for it. Without a reader, the exit code is 69; nfcctl \
            doctor shows why.

            Examples:
              nfcctl readers
              nfcctl readers --json | jq -r 'select(.state == "failed").failure'
            """)

    @Flag(help: "Print one line of JSON per reader.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    /// The pause between two queries while the PC/SC service is being started; nfcd limits how long that takes.
    private static let pause = Duration.milliseconds(250)

    func run() async throws {
        let (info, readers) = try await connection.withClient { client in
            try await Self.readers(client) { Terminal.error("nfcctl: waiting for the PC/SC service to start") }
        }
        guard !readers.isEmpty else {
            let reason = info.readerServiceDetail?.escaped ?? "none is plugged in"
            Terminal.error("nfcctl: no reader found: \(reason); run 'nfcctl doctor' for details")
            throw ExitCode.unavailable
        }
        if json {
            for reader in readers { Terminal.print(json: reader) }
        } else {
            show(readers)
        }
    }

    /// The readers, as soon as the PC/SC service has started or failed to.
    private static func readers(
        _ client: NFCClient, onWaiting: () -> Void
    ) async throws -> (ServerInfo.Result, [ReadersList.Reader]) {
        var info = try await client.call(ServerInfo.self)
        if info.readerService == .starting { onWaiting() }
        while info.readerService == .starting {
            try await Task.sleep(for: pause)
            info = try await client.call(ServerInfo.self)
        }
        return (info, try await client.call(ReadersList.self))
    }

    private func show(_ readers: [ReadersList.Reader]) {
        let rows = readers.map { [$0.reader.escaped, state(of: $0), $0.name.escaped] }
        for line in TextTable(rows: rows).lines(width: OutputStyle.output.width) { Terminal.print(line) }
    }

    private func state(of reader: ReadersList.Reader) -> String {
        (reader.failure ?? reader.blocked).map { "\(reader.state.rawValue) (\($0.escaped))" } ?? reader.state.rawValue
    }
}
