import Dispatch
import PCSC
import Synchronization

/// What others want of the monitor while its thread is blocked: to stop, to look again, to say when it has looked.
final class MonitorAttention: Sendable {
    private enum Phase {
        case looking
        case settled
        case resting(Task<Void, Never>)
    }

    private struct State {
        var phase = Phase.looking
        var waiters: [CheckedContinuation<Void, Never>] = []
        var canceller: Context.Canceller?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let end = DispatchSemaphore(value: 0)

    var isStopped: Bool { state.withLock(\.isStopped) }

    /// The monitor has a context to wait on.
    func following(_ canceller: Context.Canceller) {
        state.withLock {
            $0.canceller = canceller
            $0.phase = .looking
        }
    }

    /// The monitor has reported what there is.
    func settled() {
        release(.settled)
    }

    /// Rests before the next attempt; a refresh or a stop ends it.
    func rest(for pause: Duration, clock: any Clock<Duration>) async {
        let sleep = Task { _ = try? await clock.sleep(for: pause) }
        release(.resting(sleep))
        if isStopped { sleep.cancel() }
        await sleep.value
        state.withLock { $0.phase = .looking }
    }

    /// Returns when the monitor has looked, with or without success.
    func refresh() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if case .settled = state.phase { return true }
                if state.isStopped { return true }
                if case .resting(let sleep) = state.phase { sleep.cancel() }
                state.waiters.append(continuation)
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Ends the monitor: a cancel that nobody waits for is lost, so it is repeated until the monitor has ended.
    func stop() {
        state.withLock {
            $0.isStopped = true
            if case .resting(let sleep) = $0.phase { sleep.cancel() }
        }
        DispatchQueue.global().async { [self] in
            repeat {
                state.withLock(\.canceller)?.cancel()
            } while end.wait(timeout: .now() + .milliseconds(50)) == .timedOut
        }
    }

    /// The monitor has ended.
    func ended() {
        release(.settled)
        end.signal()
    }

    private func release(_ phase: Phase) {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.phase = phase
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
