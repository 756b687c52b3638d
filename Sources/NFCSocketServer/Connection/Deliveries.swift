import LocalSocket
import NFCServer
import NFCTypes
import NIOCore
import Synchronization
import Threading

/// The lines that many clients receive at once, such as the tap of a tag, are written in turns: one line of one client of each user,
/// then the next user; the processes of a user take turns among each other. After 1 ms the event loop serves its sockets before it
/// continues, so that the answer to another client waits for no more than that.
final class Deliveries: Sendable {
    private struct State {
        var waiting = FairGroupQueue<ClientAccount, Int32, Outbox>()
        /// Whether a step is going to follow.
        var isRunning = false

        mutating func append(_ outbox: Outbox) {
            waiting.append(outbox, for: outbox.client.account, outbox.client.processID)
        }
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
    func add(_ outbox: Outbox) {
        let starts = state.withLock { state in
            state.append(outbox)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { loop.execute { self.step() } }
    }

    private func step() {
        let end = NIODeadline.now() + Self.slice
        while NIODeadline.now() < end {
            guard let outbox = next() else { return idleAction.withLock { $0.run }?() ?? () }
            if outbox.deliver() { state.withLock { $0.append(outbox) } }
        }
        loop.scheduleTask(in: Self.pause) { self.step() }
    }

    /// The outbox whose turn it is; nil if none waits: then there is no further step.
    private func next() -> Outbox? {
        state.withLock { state in
            let outbox = state.waiting.popFirst()
            if outbox == nil { state.isRunning = false }
            return outbox
        }
    }
}
