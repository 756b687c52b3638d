import FoundationEssentials
import Logging
import Synchronization

/// What a consumer of a broker remembers across restarts: its last connection, and the topics that have a retained message of it.
final class BrokerMemory: Sendable {
    private struct State {
        var lastBirth: Birth?
        var topics: Set<String> = []
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

    /// Reads what an earlier process has noted.
    func load() async {
        let birth = await value(Birth.self, Self.birthKey)
        let topics = await value(Set<String>.self, Self.topicsKey)
        state.withLock { $0 = State(lastBirth: birth, topics: topics ?? []) }
    }

    /// Notes a connection, before taps are delivered on it and after those that the broker lost are to be delivered again.
    func setLastBirth(_ birth: Birth) async {
        guard await note(birth, Self.birthKey) else { return }
        state.withLock { $0.lastBirth = birth }
    }

    /// Notes the topics, where they have changed.
    ///
    /// - Parameter wanted: those that have, or get, a message that is to stay; others are forgotten first if there are too many.
    func setTopics(_ topics: Set<String>, wanted: Set<String>) async {
        let noted = Set(
            (topics.intersection(wanted).sorted() + topics.subtracting(wanted).sorted()).prefix(Self.mostTopics))
        if noted.count < topics.count {
            context.logger.warning(
                "\(context.consumer): only \(noted.count) of \(topics.count) retained topics are remembered; remove the messages of readers that no longer exist from the broker"
            )
        }
        guard noted != self.topics, await note(noted.sorted(), Self.topicsKey) else { return }
        state.withLock { $0.topics = noted }
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ key: String) async -> Value? {
        let text = try? await KillPoint.around { try await context.memory.note(key, of: context.consumer) }
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
