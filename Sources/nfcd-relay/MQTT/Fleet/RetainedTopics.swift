import Synchronization

/// The retained messages that a consumer wants the broker to have, and the topics whose message is no longer wanted.
final class RetainedTopics: Sendable {
    private let identity: RelayIdentity
    private let discovery: Discovery?
    /// Topics that were published, in this process or an earlier one.
    private let known = Mutex(Set<String>())

    init(_ settings: MQTTSettings, _ identity: RelayIdentity) {
        self.identity = identity
        discovery = settings.homeAssistantPrefix.map { Discovery(prefix: $0, identity: identity) }
    }

    /// Where Home Assistant publishes that it has started; nil where it is not used.
    var homeAssistantBirth: String? { discovery?.birthTopic }

    /// What the broker should have, the state of the machine first.
    func wanted(_ state: MachineState, _ birth: Birth) -> [MQTTMessage] {
        [state.online(identity, birth)] + state.readerMessages(identity) + discovered(state)
    }

    /// The configuration of the entities of Home Assistant.
    func discovered(_ state: MachineState) -> [MQTTMessage] {
        guard let readers = state.readers else { return [] }
        return discovery?.messages(readers) ?? []
    }

    /// Topics of the past that are no longer wanted. Nothing is unwanted before the readers are known.
    func unwanted(_ state: MachineState, _ wanted: [MQTTMessage]) -> [String] {
        guard state.readers != nil else { return [] }
        return known.withLock { $0.subtracting(wanted.map(\.topic)) }.sorted()
    }

    /// A message was published, or deleted.
    func published(_ message: MQTTMessage) {
        known.withLock { known in
            if message.payload.isEmpty { known.remove(message.topic) } else { known.insert(message.topic) }
        }
    }
}
