import RelayProtocol

/// Figures in the text format of Prometheus: a family is described once, before its first sample.
struct RelayMetricsText {
    enum Kind: String {
        case counter, gauge
    }

    private struct Family {
        let head: String
        var samples: [String] = []
    }

    private var order: [String] = []
    private var families: [String: Family] = [:]

    /// The text.
    var text: String {
        order.compactMap { families[$0] }.map { $0.head + $0.samples.joined() }.joined()
    }

    /// Adds a sample.
    ///
    /// - Parameter labels: their values have no quotes, backslashes or line ends.
    mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ labels: [(String, String)], _ value: some Numeric & Sendable
    ) {
        let name = "nfcd_relay_\(name)"
        if families[name] == nil {
            order.append(name)
            families[name] = Family(head: "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
        }
        let pairs = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
        families[name]?.samples.append("\(name)\(labels.isEmpty ? "" : "{\(pairs)}") \(value)\n")
    }

    /// Adds everything about a consumer.
    ///
    /// - Parameter age: of the oldest tap that is not delivered, in seconds.
    mutating func add(_ status: RelayStatus.Consumer, _ counts: ConsumerMachine.Counts, age: Double) {
        let labels = [("consumer", status.name), ("kind", status.kind.rawValue)]
        add("connected", .gauge, "Whether the consumer delivers.", labels, status.state == .connected ? 1 : 0)
        add(
            "held", .gauge, "Whether the consumer waits for a person.", labels,
            [.held, .paused].contains(status.state) ? 1 : 0)
        add("backlog", .gauge, "Taps that are not delivered.", labels, status.backlog)
        add("oldest_seconds", .gauge, "Age of the oldest tap that is not delivered.", labels, age)
        add("delivered_total", .counter, "Taps delivered since the start.", labels, counts.delivered)
        for kind in ["temporary", "refused", "unacceptable", "configuration"] {
            add(
                "failed_total", .counter, "Failed attempts since the start.", labels + [("reason", kind)],
                counts.failed[kind] ?? 0)
        }
        add("parked", .gauge, "Taps that the receiver refused permanently.", labels, status.parked)
        add("lost_total", .counter, "Taps and journals found to be lost since the start.", labels, counts.lost)
    }
}
