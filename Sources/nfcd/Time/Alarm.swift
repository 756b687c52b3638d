import Synchronization

/// Wakes up those who sleep by one clock: one timer of the kernel, set to the next time somebody waits for.
final class Alarm: Sendable {
    private struct State {
        var sleepers = DeadlineQueue<Sleeper>()
        var timer: KernelTimer?
        /// What the timer is set to.
        var isSet: Duration?
    }

    private let clock: SystemClock
    private let state = Mutex(State())

    init(_ clock: SystemClock) throws(KernelTimer.Failure) {
        self.clock = clock
        let timer = try KernelTimer(clock) { [weak self] in self?.wakeUp() }
        state.withLock { $0.timer = timer }
    }

    /// Returns at this time of the clock; throws when cancelled before.
    func sleep(until deadline: Duration) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard sleeper.wait(continuation) else { return continuation.resume(throwing: CancellationError()) }
                setTimer { $0.insert(sleeper, at: deadline) }
            }
        } onCancel: {
            if sleeper.end(.failure(CancellationError())) { setTimer() }
        }
    }

    private func wakeUp() {
        let due = setTimer(hasRung: true) { [clock] in $0.removeDue(at: clock.now) }
        for sleeper in due { sleeper.end(.success(())) }
    }

    /// Changes who sleeps, and sets the timer to who is next.
    @discardableResult
    private func setTimer<Result: Sendable>(
        hasRung: Bool = false, _ change: @Sendable (inout DeadlineQueue<Sleeper>) -> Result = { _ in }
    ) -> Result {
        state.withLock { state in
            let result = change(&state.sleepers)
            // Nobody is woken up for a sleep that was cancelled.
            state.sleepers.dropFirst { $0.isOver }
            let next = state.sleepers.first
            if hasRung || next != state.isSet { state.timer?.set(next) }
            state.isSet = next
            return result
        }
    }
}

/// One who sleeps, once.
private final class Sleeper: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, any Error>)
        case over
    }

    private let state = Mutex(State.idle)

    var isOver: Bool {
        state.withLock { state in
            if case .over = state { return true }
            return false
        }
    }

    /// False: it is over already.
    func wait(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        state.withLock { state in
            if case .over = state { return false }
            state = .waiting(continuation)
            return true
        }
    }

    /// Ends the sleep, if it has not ended. True: somebody slept.
    @discardableResult
    func end(_ result: Result<Void, any Error>) -> Bool {
        let previous = state.withLock { state in
            defer { state = .over }
            return state
        }
        guard case .waiting(let continuation) = previous else { return false }
        continuation.resume(with: result)
        return true
    }
}
