import NIOCore
import Synchronization
import Threading

/// The lines that many clients receive at once, such as the tap of a tag, are written in turns: one line of one client of each user,
/// then the next user. After 1 ms the event loop serves its sockets before it continues, so that the answer to another client waits
/// for no more than that.
final class Deliveries: Sendable {
    private struct State {
        var waiting = FairQueue<UInt32, Outbox>()
        /// Whether a step is going to follow.
        var isRunning = false
    }

    /// How long lines are written one after another.
    private static let slice = TimeAmount.milliseconds(1)
    /// The time for the event loop to serve its sockets.
    private static let pause = TimeAmount.microseconds(50)

    private let loop: any EventLoop
    private let state = Mutex(State())
    private let idleAction = Mutex(IdleAction())

    private struct IdleAction {
        var run: (@Sendable () -> Void)?
    }

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Calls a function whenever all lines were written: what they took can be given back.
    func onIdle(_ action: @escaping @Sendable () -> Void) {
        idleAction.withLock { $0.run = action }
    }

    /// Delivers the lines of an outbox in its turns.
    func add(_ outbox: Outbox, for user: UInt32) {
        let starts = state.withLock { state in
            state.waiting.append(outbox, for: user)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { loop.execute { self.step() } }
    }

    private func step() {
        let end = NIODeadline.now() + Self.slice
        while NIODeadline.now() < end {
            guard let (user, outbox) = next() else { return idleAction.withLock { $0.run }?() ?? () }
            if outbox.deliver() { state.withLock { $0.waiting.append(outbox, for: user) } }
        }
        loop.scheduleTask(in: Self.pause) { self.step() }
    }

    /// The outbox whose turn it is; nil if none waits: then there is no further step.
    private func next() -> (UInt32, Outbox)? {
        state.withLock { state in
            guard let outbox = state.waiting.popFirst() else {
                state.isRunning = false
                return nil
            }
            return (outbox.user, outbox)
        }
    }
}
