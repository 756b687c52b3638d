import ArgumentParser
import NDEF
import NFCProtocol
import RelayProtocol

/// `nfcctl relay`: the state of nfcd-relay, and its consumers.
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Show and control the deliveries of nfcd-relay.",
        discussion: """
            nfcd-relay delivers the taps of the journal to MQTT brokers, webhooks and commands: its consumers. relay.toml(5) \
            describes them. Root and the relay's own user may test, pause and replay; everyone who can open its control \
            socket may see its state.

            Examples:
              nfcctl relay status
              sudo nfcctl relay test home
              nfcctl relay parked
              sudo nfcctl relay parked retry till --all
              sudo nfcctl relay replay till --after 1000

            Exit codes: 69 no relay, or a test event was not delivered; the others are those of nfcctl(1).
            """,
        subcommands: [
            RelayStatusCommand.self, RelayTestCommand.self, RelayParkedCommand.self, RelayPauseCommand.self,
            RelayResumeCommand.self, RelayReplayCommand.self, RelayMetricsCommand.self,
        ])
}

/// `nfcctl relay status`: shows the state of every consumer.
struct RelayStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of every consumer.",
        discussion: """
            States: connected; waiting (its receiver is out of reach, and the relay tries again by itself); held (its receiver \
            refuses everything because of the configuration, and needs a person); paused. The table shows the backlog, the \
            time of the oldest tap that is not delivered, and the last error.

            Examples:
              nfcctl relay status
              nfcctl relay status --json |
                jq '.consumers[] | select(.state != "connected")'
            """)

    @Flag(help: "Print one line of JSON.")
    var json = false

    @OptionGroup var relay: RelayOptions

    func run() async throws {
        let status = try await relay.call(RelayStatus.self)
        guard !json else { return Terminal.print(json: status) }
        for line in status.lines(width: OutputStyle.output.width) { Terminal.print(line) }
    }
}

extension RelayStatus.Result {
    /// The state as text: the relay, a table of the consumers, and their errors.
    func lines(width: Int? = nil) -> [String] {
        let daemon =
            daemonConnected
            ? "connected to nfcd" : "not connected to nfcd: \(daemonError?.printable ?? "unknown reason")"
        let head = ["nfcd-relay \(version.escaped), \(daemon)", ""]
        guard !consumers.isEmpty else { return head + ["It has no consumers; see relay.toml(5)."] }
        return head + TextTable(rows: consumers.map(\.row)).lines(width: width)
    }
}

extension RelayStatus.Consumer {
    /// Whether the last error is of the past: everything was delivered since.
    private var isOver: Bool { state == .connected && backlog == 0 }

    fileprivate var row: [String] {
        let leftOut = [
            ofOtherReaders.map { "\($0) of other readers left out" },
            passedOver.map { "\($0) without a proof left out" }, tooOld.map { "\($0) older than max-age left out" },
        ].compactMap(\.self)
        let none = leftOut.isEmpty ? "all delivered" : "none to deliver"
        let rest = backlog == 0 ? none : "\(backlog) to deliver, oldest \(oldest?.escaped ?? "unknown")"
        let problems =
            leftOut
            + [
                parked > 0 ? "\(parked) parked" : nil,
                lastError.map {
                    "\(isOver ? "earlier error, " : "")\(lastErrorTime.map { "\($0.escaped): " } ?? "")\($0.printable)"
                },
            ].compactMap(\.self)
        return [
            name.escaped, kind.rawValue, state.rawValue, "\(delivered) delivered", rest,
            problems.joined(separator: "; "),
        ]
    }
}

/// `nfcctl relay metrics`: prints the metrics of nfcd-relay.
struct RelayMetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print the metrics of nfcd-relay in the Prometheus text format.",
        discussion: """
            The metrics are deliveries, failures, backlog, age of the oldest tap and parked taps of every consumer. With \
            --json, prints one object with the metrics in the field text.

            Examples:
              nfcctl relay metrics
              nfcctl relay metrics > nfcd-relay.prom   for node_exporter
            """)

    @Flag(help: "Print one line of JSON.")
    var json = false

    @OptionGroup var relay: RelayOptions

    func run() async throws {
        let metrics = try await relay.call(RelayMetrics.self)
        guard !json else { return Terminal.print(json: metrics) }
        let output = OutputBuffer()
        try output.put(Array(metrics.text.utf8))
        try output.flush()
    }
}
