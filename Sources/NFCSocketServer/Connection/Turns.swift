import LocalSocket
import NFCServer
import NFCTypes
import NIOCore
import NIOPosix
import Synchronization
import Threading

/// Requests take turns: one of each user whose clients wait, then the next user. Among a user's requests, its processes take turns, and
/// among a process's requests its connections, as each of them waits with one request. After 2 ms the event loop serves its sockets before
/// it continues. So a burst of a process's connections delays another user's request by no more than that and one request of each user who
/// waits, and a request of another process of the same user by as much for each process that waits.
final class Turns: Sendable {
    private struct State {
        var waiting = FairGroupQueue<ClientAccount, Int32, CheckedContinuation<Void, Never>>()
        /// Whether a step is going to follow.
        var isRunning = false
        /// When the turns of this tick of the loop end; nil before the first.
        var end: NIODeadline?
    }

    /// How long turns follow each other.
    private static let slice = TimeAmount.milliseconds(2)
    /// The time for the event loop to run the other tasks that are ready.
    private static let pause = TimeAmount.microseconds(50)

    private let loop: any EventLoop
    private let state = Mutex(State())

    /// - Parameter ticks: reports the ticks of the loop.
    init(_ loop: any EventLoop, _ ticks: LoopTicks) {
        self.loop = loop
        ticks.onEnd { [weak self] in self?.tickEnded() }
    }

    /// Returns when it is the turn of a client: at once where no other waits and this tick of the loop has time left.
    func next(for client: PeerCredentials) async {
        if isFree() { return }
        await withCheckedContinuation { continuation in
            let starts = state.withLock { state in
                state.waiting.append(continuation, for: client.account, client.processID)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if starts { continueLater() }
        }
    }

    /// How many requests wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func isFree() -> Bool {
        state.withLock { state in
            guard !state.isRunning else { return false }
            let now = NIODeadline.now()
            let end = state.end ?? now + Self.slice
            state.end = end
            return now < end
        }
    }

    private func continueLater() {
        loop.execute { self.step() }
    }

    /// Gives one turn. The next step follows when the task that has the turn has run, or when the next tick has begun.
    private func step() {
        let (waiter, isOver) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Bool) in
            let now = NIODeadline.now()
            let end = state.end ?? now + Self.slice
            state.end = end
            let waiter = now < end ? state.waiting.popFirst() : nil
            state.isRunning = now >= end || waiter != nil
            return (waiter, now >= end)
        }
        if isOver {
            // Not from `tickEnded`: the loop would not notice the task before it waits for its sockets.
            loop.scheduleTask(in: Self.pause) { self.step() }
        } else if let waiter {
            waiter.resume()
            continueLater()
        }
    }

    /// The event loop looks at its sockets next.
    private func tickEnded() {
        state.withLock { $0.end = nil }
    }
}

/// Reports when a loop has run all tasks that were ready, before it looks at its sockets.
final class LoopTicks: NIOEventLoopMetricsDelegate {
    /// A struct, as a Mutex wraps a bare function once more at each access.
    private struct Observer {
        var action: (@Sendable () -> Void)?
    }

    private let observer = Mutex(Observer())

    /// Sets the function to call, on the thread of the loop.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        observer.withLock { $0.action = action }
    }

    func processedTick(info: NIOEventLoopTickInfo) {
        observer.withLock { $0.action }?()
    }
}

/// The schedule of requests on the one event loop of a server.
final class LoopSchedule: RequestSchedule {
    /// Decodes long lines.
    let longLines = DecodingQueue()
    /// Reports the ticks of the loop.
    let ticks = LoopTicks()
    private let turns = Mutex<Turns?>(nil)
    private let deliveries = Mutex<Deliveries?>(nil)

    /// Gives turns on a loop from now on.
    func follow(_ loop: any EventLoop) {
        turns.withLock { $0 = Turns(loop, ticks) }
    }

    /// The turns of lines that many clients receive. There is one loop.
    func deliveries(on loop: any EventLoop) -> Deliveries {
        deliveries.withLock { deliveries in
            let made = deliveries ?? Deliveries(loop)
            deliveries = made
            return made
        }
    }

    func turn(for client: PeerCredentials) async {
        await turns.withLock { $0 }?.next(for: client)
    }

    func decode<Value: Sendable>(
        _ length: Int, for client: PeerCredentials, _ body: @escaping @Sendable () -> Value
    ) async throws -> Value {
        try await longLines.run(length, for: client, body)
    }
}
