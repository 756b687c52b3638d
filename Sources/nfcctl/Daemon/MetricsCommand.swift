import ArgumentParser
import NFCClient
import NFCProtocol

/// `nfcctl metrics`: prints the metrics of nfcd.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print the metrics of nfcd in the Prometheus text format.",
        discussion: """
            The metrics are taps, reads, writes, errors by code, the durations of exchanges and sessions, and the current \
            numbers of readers, clients and sessions. With --json, prints one object with the metrics in the field text.

            Examples:
              nfcctl metrics
              nfcctl metrics > nfcd.prom      for the textfile collector of node_exporter
            """)

    @Flag(help: "Print one line of JSON.")
    var json = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let metrics = try await connection.call(ServerMetrics.self)
        guard !json else { return Terminal.print(json: metrics) }
        let output = OutputBuffer()
        try output.put(Array(metrics.text.printableMetrics.utf8))
        try output.flush()
    }
}
