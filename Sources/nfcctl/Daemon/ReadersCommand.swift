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
            does not answer). The first column is the id for --reader. Without a reader, the exit code is 69; nfcctl \
            doctor finds out why.

            Examples:
              nfcctl readers
              nfcctl readers --json | jq -r 'select(.state == "failed").failure'
            """)

    @Flag(help: "Print one line of JSON per reader.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let readers = try await connection.call(ReadersList.self)
        guard !readers.isEmpty else {
            Terminal.error(
                "nfcctl: no reader found: none is plugged in, or pcscd is not running; run 'nfcctl doctor' to find out")
            throw ExitCode.unavailable
        }
        if json {
            for reader in readers { Terminal.print(json: reader) }
        } else {
            show(readers)
        }
    }

    private func show(_ readers: [ReadersList.Reader]) {
        let rows = readers.map { [$0.reader, state(of: $0), $0.name.escaped] }
        for line in TextTable(rows: rows).lines(width: OutputStyle.output.width) { Terminal.print(line) }
    }

    private func state(of reader: ReadersList.Reader) -> String {
        reader.failure.map { "\(reader.state.rawValue) (\($0.escaped))" } ?? reader.state.rawValue
    }
}
