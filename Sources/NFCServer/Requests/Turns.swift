import NIOCore
import Synchronization

/// Pipelined requests take turns: one of each client that waits, then the next client. After a few milliseconds the event loop
/// handles what other clients have sent meanwhile, so that a client with a single request waits for no more than that.
final class Turns: Sendable {
    private struct State {
        var waiting = CircularBuffer<CheckedContinuation<Void, Never>>()
        var isRunning = false
        var end = NIODeadline.uptimeNanoseconds(0)
    }

    /// How long turns follow each other without a pause.
    private static let slice = TimeAmount.milliseconds(2)
    /// A pause. The event loop only looks at sockets when no task is ready to run.
    private static let pause = TimeAmount.microseconds(50)

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Returns when it is the caller's turn.
    func next() async {
        await withCheckedContinuation { continuation in
            let starts = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if starts { startSlice() }
        }
    }

    private func startSlice() {
        loop.scheduleTask(in: Self.pause) {
            self.state.withLock { $0.end = .now() + Self.slice }
            self.step()
        }
    }

    /// Gives one turn. The next step follows when the task that has the turn has run.
    private func step() {
        let (waiter, isOver) = state.withLock { state in
            let waiter = state.waiting.popFirst()
            if waiter == nil { state.isRunning = false }
            return (waiter, NIODeadline.now() >= state.end)
        }
        guard let waiter else { return }
        waiter.resume()
        if isOver { startSlice() } else { loop.execute { self.step() } }
    }
}
