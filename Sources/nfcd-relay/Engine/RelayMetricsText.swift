import NFCTypes
import RelayProtocol

extension MetricsText {
    /// A consumer and what it counted, with the age of the oldest tap that is not delivered, in seconds.
    typealias Consumer = (status: RelayStatus.Consumer, counts: ConsumerMachine.Counts, age: Double)

    /// The metrics of the relay.
    init(isConnected: Bool, _ consumers: [Consumer]) {
        self.init()
        let help = "Whether the relay is connected to nfcd."
        single("nfcd_relay_daemon_connected", "gauge", help, isConnected ? "1" : "0")
        guard !consumers.isEmpty else { return }
        add("connected", "Whether the consumer delivers.", consumers) { $0.status.state == .connected ? "1" : "0" }
        add("held", "Whether the consumer waits for a person.", consumers) {
            [.held, .paused].contains($0.status.state) ? "1" : "0"
        }
        add("backlog", "Taps that are not delivered.", consumers) { "\($0.status.backlog)" }
        add("oldest_seconds", "Age of the oldest tap that is not delivered.", consumers) { "\($0.age)" }
        add("delivered_total", "Taps delivered since the start.", consumers) { "\($0.counts.delivered)" }
        begin("nfcd_relay_failed_total", "counter", "Failed attempts since the start.")
        for consumer in consumers {
            for kind in Delivery.FailureKind.allCases {
                let count = consumer.counts.failed[kind] ?? 0
                sample(
                    "nfcd_relay_failed_total", "\(count)", Self.labels(consumer) + [("reason", kind.rawValue)])
            }
        }
        add("parked", "Taps that the receiver refused permanently.", consumers) { "\($0.status.parked)" }
        add("other_readers_total", "Taps of other readers that were not delivered since the start.", consumers) {
            "\($0.counts.ofOtherReaders)"
        }
        add("passed_over_total", "Taps without a required proof that were not delivered since the start.", consumers) {
            "\($0.counts.passedOver)"
        }
        add("too_old_total", "Taps older than max-age that were not delivered since the start.", consumers) {
            "\($0.counts.tooOld)"
        }
        add("lost_total", "Taps and journals found to be lost since the start.", consumers) { "\($0.counts.lost)" }
    }

    private mutating func add(
        _ name: String, _ help: String, _ consumers: [Consumer], _ value: (Consumer) -> String
    ) {
        begin("nfcd_relay_\(name)", name.hasSuffix("_total") ? "counter" : "gauge", help)
        for consumer in consumers { sample("nfcd_relay_\(name)", value(consumer), Self.labels(consumer)) }
    }

    private static func labels(_ consumer: Consumer) -> [(name: String, value: String)] {
        [("consumer", consumer.status.name), ("kind", consumer.status.kind.rawValue)]
    }
}
