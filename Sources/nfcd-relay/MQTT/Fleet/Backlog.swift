import RelayProtocol

/// How many taps wait to be delivered: the retained message of a machine.
struct Backlog: Sendable, Hashable, Encodable {
    let backlog: Int
    let consumers: [String: Int]

    init(_ consumers: [RelayStatus.Consumer]) {
        self.consumers = Dictionary(consumers.map { ($0.name, $0.backlog) }) { $1 }
        backlog = consumers.map(\.backlog).reduce(0, +)
    }

    func message(_ topic: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: JSON.data(self), isRetained: true)
    }
}
