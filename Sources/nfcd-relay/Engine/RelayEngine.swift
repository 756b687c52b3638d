import FoundationEssentials
import NFCProtocol
import NFCTypes
import RelayProtocol
import ServiceClient
import Synchronization

/// What a person or a fleet can ask of the relay.
final class RelayEngine: RelayOperations {
    private struct Parts {
        var consumers: [Consumer] = []
        var feed: JournalFeed?
    }

    private let daemon: DaemonLink
    private let state: StateFile
    private let parts = Mutex(Parts())

    init(daemon: DaemonLink, state: StateFile) {
        self.daemon = daemon
        self.state = state
    }

    /// Adds the consumers, whose sinks need the engine themselves.
    func start(_ consumers: [Consumer], _ feed: JournalFeed) {
        parts.withLock { $0 = Parts(consumers: consumers, feed: feed) }
    }

    private var consumers: [Consumer] { parts.withLock { $0.consumers } }

    private func consumer(_ name: String) throws(RPCError) -> Consumer {
        let consumers = consumers
        if let consumer = consumers.first(where: { $0.name == name }) { return consumer }
        let known =
            consumers.isEmpty ? "none is configured" : "there are \(consumers.map(\.name).joined(separator: ", "))"
        throw .invalidParameters("there is no consumer \"\(name.prefix(64))\"; \(known)", path: "params.consumer")
    }

    func status() async -> RelayStatus.Result {
        var states: [RelayStatus.Consumer] = []
        for consumer in consumers { states.append(await consumer.status()) }
        return RelayStatus.Result(
            version: NFCDVersion.release, daemonConnected: daemon.isConnected, daemonError: daemon.error,
            consumers: states)
    }

    func metrics() async -> String {
        var figures: [MetricsText.Consumer] = []
        for consumer in consumers { figures.append(await consumer.figures()) }
        return MetricsText(isConnected: daemon.isConnected, figures).text
    }

    func test(_ consumer: String) async throws(RPCError) -> RelayTest.Result {
        switch await (try self.consumer(consumer)).test() {
        case .delivered(let detail): RelayTest.Result(delivered: true, detail: detail)
        case let other: RelayTest.Result(delivered: false, detail: other.failure?.reason ?? "")
        }
    }

    func parked(_ consumer: String?) async throws(RPCError) -> [RelayParked.Tap] {
        let names = if let consumer { [try self.consumer(consumer).name] } else { consumers.map(\.name) }
        var taps: [RelayParked.Tap] = []
        for name in names {
            let list = try await stored { try await $0.parkedList(of: name) }
            taps += list.map {
                RelayParked.Tap(
                    consumer: name, sequence: $0.sequence, id: $0.id, reader: $0.reader, time: $0.time,
                    attempts: $0.attempts, reason: $0.reason)
            }
        }
        return taps
    }

    func unpark(_ parameters: RelayUnpark.Parameters) async throws(RPCError) -> Int {
        let consumer = try self.consumer(parameters.consumer)
        let changed = try await stored { state in
            switch parameters.action {
            case .retry: try await state.retry(parameters.id, of: consumer.name)
            case .discard: try await state.discard(parameters.id, of: consumer.name)
            }
        }
        await consumer.parkedTapsChanged()
        return changed
    }

    func pause(_ consumer: String, _ isPaused: Bool) async throws(RPCError) {
        await (try self.consumer(consumer)).pause(isPaused)
    }

    func replay(_ consumer: String, after sequence: Int64) async throws(RPCError) {
        guard sequence >= 0 else { throw .invalidParameters("expected a number of at least 0", path: "params.after") }
        await (try self.consumer(consumer)).replay(after: sequence)
        await parts.withLock { $0.feed }?.goBack(to: sequence)
    }

    private func stored<Value: Sendable>(_ body: (StateFile) async throws -> Value) async throws(RPCError) -> Value {
        do {
            return try await body(state)
        } catch {
            throw .internalError("the state file cannot be used: \(error)")
        }
    }
}
