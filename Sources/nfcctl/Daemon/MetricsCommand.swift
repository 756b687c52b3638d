import ArgumentParser
import NFCClient
import NFCProtocol

/// `nfcctl metrics`: what nfcd has counted.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Show what nfcd has counted, as Prometheus text.",
        discussion: """
            Taps, reads, writes, errors by code, the durations of exchanges and sessions, and how many readers, clients \
            and sessions there are now. With --json, one object whose text holds the same.

            Examples:
              nfcctl metrics
              nfcctl metrics > nfcd.prom      for the textfile collector of node_exporter
            """)

    @Flag(help: "One object on one line.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let path = connection.path
        let metrics = try await reportingErrors {
            try await NFCClient.withConnection(to: path) { try await $0.call(ServerMetrics.self) }
        }
        guard !json else { return Terminal.print(json: metrics) }
        let output = OutputBuffer()
        try output.put(Array(metrics.text.utf8))
        try output.flush()
    }
}
