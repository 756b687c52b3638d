import FoundationEssentials
import Logging
import Synchronization

/// What a consumer of a broker remembers across restarts: its last connection, and the topics that have a retained message of it.
final class BrokerMemory: Sendable {
    private struct State {
        var lastBirth: Birth?
        var topics: Set<String> = []
        /// The last tap of each reader that was announced.
        var events: [String: ReaderEvent] = [:]
    }

    private static let birthKey = "mqtt.birth"
    private static let topicsKey = "mqtt.topics"
    /// The most topics that are remembered: those of 64 readers, and some of the past.
    private static let mostTopics = 1_000

    private let context: SinkContext
    private let state = Mutex(State())

    init(_ context: SinkContext) {
        self.context = context
    }

    /// The last connection on which taps were delivered.
    var lastBirth: Birth? { state.withLock(\.lastBirth) }

    /// The topics that have a retained message.
    var topics: Set<String> { state.withLock(\.topics) }

    /// Keeps the event of a tap until the tag leaves the reader.
    func note(_ event: ReaderEvent, on reader: String) { state.withLock { $0.events[reader] = event } }

    /// The event of the tag that left a reader; nil where its tap is not known.
    func takeEvent(on reader: String) -> ReaderEvent? { state.withLock { $0.events.removeValue(forKey: reader) } }

    /// Reads what an earlier process has noted.
    func load() async {
        let birth = await value(Birth.self, Self.birthKey)
        let topics = await value(Set<String>.self, Self.topicsKey)
        state.withLock { $0 = State(lastBirth: birth, topics: topics ?? [], events: $0.events) }
    }

    /// Notes a connection, before taps are delivered on it and after those that the broker lost are to be delivered again.
    func setLastBirth(_ birth: Birth) async {
        guard await note(birth, Self.birthKey) else { return }
        state.withLock { $0.lastBirth = birth }
    }

    /// Notes the topics, where they have changed.
    func setTopics(_ topics: Set<String>) async {
        guard topics != self.topics, await note(topics.sorted().suffix(Self.mostTopics), Self.topicsKey) else { return }
        state.withLock { $0.topics = topics }
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ key: String) async -> Value? {
        let text = try? await context.memory.note(key, of: context.consumer)
        return text.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    /// - Returns: whether it is on the disk.
    private func note(_ value: some Encodable, _ key: String) async -> Bool {
        do {
            let text = String(decoding: JSON.data(value), as: UTF8.self)
            try await KillPoint.around { try await context.memory.setNote(text, for: key, of: context.consumer) }
            return true
        } catch {
            context.logger.warning("\(context.consumer): the state file cannot be written: \(error)")
            return false
        }
    }
}
