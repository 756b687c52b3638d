import NIOCore
import NIOPosix
import Synchronization

/// Pipelined requests take turns: one of each client that waits, then the next client. After 2 ms the event loop looks at its sockets
/// before it goes on, so that a client with a single request waits for no more than that.
final class Turns: Sendable {
    private struct State {
        var waiting = CircularBuffer<CheckedContinuation<Void, Never>>()
        /// Whether a step is going to follow: as a task of the loop, or after its tick.
        var isRunning = false
        /// Whether the turns of this tick of the loop are over.
        var isResting = false
        /// When the turns of this tick end; nil before the first.
        var end: NIODeadline?
    }

    /// How long turns follow each other.
    private static let slice = TimeAmount.milliseconds(2)

    private let loop: any EventLoop
    private let state = Mutex(State())

    /// - Parameter ticks: reports the ticks of the loop.
    init(_ loop: any EventLoop, _ ticks: LoopTicks) {
        self.loop = loop
        ticks.onEnd { [weak self] in self?.tickEnded() }
    }

    /// Returns when it is the caller's turn.
    func next() async {
        await withCheckedContinuation { continuation in
            let starts = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if starts { continueLater() }
        }
    }

    private func continueLater() {
        loop.execute { self.step() }
    }

    /// Gives one turn. The next step follows when the task that has the turn has run.
    private func step() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            let now = NIODeadline.now()
            let end = state.end ?? now + Self.slice
            state.end = end
            state.isResting = now >= end
            let waiter = state.isResting ? nil : state.waiting.popFirst()
            state.isRunning = state.isResting || waiter != nil
            return waiter
        }
        guard let waiter else { return }
        waiter.resume()
        continueLater()
    }

    /// The event loop looks at its sockets next.
    private func tickEnded() {
        let continues = state.withLock { state in
            defer { (state.end, state.isResting) = (nil, false) }
            return state.isResting
        }
        if continues { continueLater() }
    }
}

/// Reports when a loop has run all tasks that were ready, before it looks at its sockets.
final class LoopTicks: NIOEventLoopMetricsDelegate {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    /// Sets the function to call, on the thread of the loop.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
    }

    func processedTick(info: NIOEventLoopTickInfo) {
        action.withLock { $0 }?()
    }
}
