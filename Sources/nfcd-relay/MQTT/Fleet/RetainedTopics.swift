import Synchronization

/// The retained messages that a consumer wants the broker to have, and the topics whose message is no longer wanted.
final class RetainedTopics: Sendable {
    private let identity: RelayIdentity
    private let discovery: Discovery?
    /// Topics that were published, in this process or an earlier one.
    private let topics = Mutex(Set<String>())

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
        return topics.withLock { $0.subtracting(wanted.map(\.topic)) }.sorted()
    }

    /// The topics that have a message.
    var known: Set<String> { topics.withLock(\.self) }

    /// Adds topics that an earlier process published.
    func remember(_ topics: Set<String>) {
        self.topics.withLock { $0.formUnion(topics) }
    }

    /// A message was published, or deleted.
    func published(_ message: MQTTMessage) {
        topics.withLock { topics in
            if message.payload.isEmpty { topics.remove(message.topic) } else { topics.insert(message.topic) }
        }
    }
}
