import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// `nfcctl readers`: what is plugged in.
struct ReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "List the readers and what they are doing.",
        discussion: """
            States: empty, present (a tag lies there), inUse (a session holds it), failed (it no longer answers). The id \
            in the first column is what --reader takes. Without a reader it ends with 69; nfcctl doctor looks for the reason.

            Examples:
              nfcctl readers
              nfcctl readers --json | jq -r 'select(.state == "failed").failure'
            """)

    @Flag(help: "One line of JSON per reader.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let path = connection.path
        let readers = try await reportingErrors {
            try await NFCClient.withConnection(to: path) { try await $0.call(ReadersList.self) }
        }
        guard !readers.isEmpty else {
            Terminal.error(
                "nfcctl: no reader is plugged in, or pcscd does not run; 'nfcctl doctor' looks for the reason")
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
