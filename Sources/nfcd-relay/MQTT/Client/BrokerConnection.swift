import ServiceSupport
import Synchronization
import Threading

/// What a connection reports, in order.
enum BrokerEvent: Sendable, Hashable {
    /// The broker accepted the connection.
    case connected(ConnectAnswer)
    /// The broker answered a subscription.
    case subscribed(String, isGranted: Bool)
    /// A message arrived.
    case message(topic: String, payload: [UInt8], isRetained: Bool)
}

/// Why a connection ended.
enum ConnectionEnd: Sendable, Hashable {
    /// The relay ended it.
    case stopped
    /// The broker refused it.
    case refused(UInt8, reason: String?)
    /// It could not be opened.
    case failed(String)
    /// It ended after it was accepted.
    case cut(String)
    /// It cannot be opened with this configuration.
    case misconfigured(String)
}

/// One connection to a broker: what other tasks ask of it, while `BrokerLoop` drives it on its own thread.
///
/// Messages wait here until the broker's window has room; libmosquitto has no queue. They are lost with the connection, and their
/// callers are notified: the journal has the taps.
final class BrokerConnection: Sendable {
    /// What another task asks of the thread.
    struct Requests {
        var messages: [(id: Int, message: MQTTMessage)] = []
        var subscriptions: [String] = []
        /// Set once the connection is to end: the last message, if there is one.
        var farewell: Farewell?
    }

    /// How a connection is to end.
    struct Farewell {
        let message: MQTTMessage?
    }

    private enum Phase {
        /// The thread may be blocked for minutes: a stop does not wait for it.
        case connecting
        case connected
        case ended
    }

    private struct State {
        var phase = Phase.connecting
        var requests = Requests()
        var replies: [Int: CheckedContinuation<PublishOutcome, Never>] = [:]
        var nextID = 0
        var end: CheckedContinuation<ConnectionEnd, Never>?
    }

    let events: AsyncStream<BrokerEvent>
    let eventWriter: AsyncStream<BrokerEvent>.Continuation
    /// Nil where the process has no descriptor left: the thread then wakes up at its next tick.
    let wakeUp = try? WakeUp()
    private let time: ServiceTime
    private let state = Mutex(State())

    init(queue: Int, time: ServiceTime) {
        self.time = time
        (events, eventWriter) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(queue))
    }

    /// Connects, and drives the connection until it ends. A cancelled task ends it with the message of `farewell`.
    func run(
        _ plan: ConnectionPlan, on thread: ThreadExecutor, farewell: MQTTMessage?
    ) async -> ConnectionEnd {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.end = continuation }
                thread.run { self.finish(BrokerLoop(plan, self, self.time).run()) }
                if Task.isCancelled { stop(farewell: farewell) }
            }
        } onCancel: {
            stop(farewell: farewell)
        }
    }

    /// Ends the connection, after a last message.
    func stop(farewell: MQTTMessage?) {
        let end = state.withLock { state -> CheckedContinuation<ConnectionEnd, Never>? in
            state.requests.farewell = state.requests.farewell ?? Farewell(message: farewell)
            guard state.phase == .connecting else { return nil }
            defer { state.end = nil }
            return state.end
        }
        end?.resume(returning: .stopped)
        wakeUp?.signal()
    }

    /// Sends a message, and returns when the broker has answered or the connection has ended.
    func publish(_ message: MQTTMessage) async -> PublishOutcome {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    guard state.phase == .connected, state.requests.farewell == nil, !Task.isCancelled else {
                        return false
                    }
                    state.replies[id] = continuation
                    state.requests.messages.append((id, message))
                    return true
                }
                guard isOpen else {
                    return continuation.resume(
                        returning: Task.isCancelled ? .cancelled : .notConnected)
                }
                wakeUp?.signal()
            }
        } onCancel: {
            reply(to: id, .cancelled)
        }
    }

    /// Subscribes to a topic; the answer is an event.
    func subscribe(_ topic: String) {
        state.withLock { $0.requests.subscriptions.append(topic) }
        wakeUp?.signal()
    }
}

/// What the thread calls.
extension BrokerConnection {
    /// The broker accepted the connection: from now on messages are sent.
    func didConnect() {
        state.withLock { if $0.phase == .connecting { $0.phase = .connected } }
    }

    /// Takes what is asked: at most so many messages, and everything else.
    func requests(messages: Int) -> Requests {
        wakeUp?.reset()
        return state.withLock { state in
            // A message whose sender no longer waits is not sent.
            state.requests.messages.removeAll { state.replies[$0.id] == nil }
            var taken = state.requests
            taken.messages = Array(taken.messages.prefix(max(0, messages)))
            state.requests.messages.removeFirst(taken.messages.count)
            state.requests.subscriptions = []
            return taken
        }
    }

    /// Answers the sender of a message.
    func reply(to id: Int, _ outcome: PublishOutcome) {
        state.withLock { $0.replies.removeValue(forKey: id) }?.resume(returning: outcome)
    }

    private func finish(_ end: ConnectionEnd) {
        let (continuation, replies) = state.withLock { state in
            state.phase = .ended
            state.requests.messages = []
            defer { (state.end, state.replies) = (nil, [:]) }
            return (state.end, state.replies.values)
        }
        let words = if case .cut(let reason) = end { reason } else { "the relay stops" }
        for reply in replies { reply.resume(returning: .cut(words)) }
        eventWriter.finish()
        continuation?.resume(returning: end)
    }
}
