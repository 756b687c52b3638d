import Synchronization

/// Deadlines for calls that follow each other closely. One sleeper watches over all of them and is not woken by a call that
/// ends in time: a timer for each would cost more than the call.
final class Watchdog: Sendable {
    private struct Call {
        let deadline: Duration
        let onMiss: @Sendable () -> Void
    }

    private struct State {
        var count: UInt64 = 0
        var calls: [UInt64: Call] = [:]
        var sleeper: (task: Task<Void, Never>, until: Duration)?
    }

    private let clock: Stopwatch
    private let state = Mutex(State())

    init(_ clock: some Clock<Duration>) {
        self.clock = Stopwatch(clock)
    }

    deinit {
        state.withLock { $0.sleeper?.task.cancel() }
    }

    /// Calls `onMiss` when the limit is over, unless the call has ended by then.
    func watch(_ limit: Duration, onMiss: @escaping @Sendable () -> Void) -> UInt64 {
        let deadline = clock.elapsed + limit
        return state.withLock { state in
            state.count += 1
            state.calls[state.count] = Call(deadline: deadline, onMiss: onMiss)
            if state.sleeper.map({ $0.until > deadline }) ?? true { sleep(until: deadline, &state) }
            return state.count
        }
    }

    /// A call has ended.
    func end(_ call: UInt64) {
        state.withLock { $0.calls[call] = nil }
    }

    /// No call follows for now: nobody sleeps, unless there are calls.
    func rest() {
        state.withLock { state in
            guard state.calls.isEmpty else { return }
            state.sleeper?.task.cancel()
            state.sleeper = nil
        }
    }

    /// What is left of a limit that begins now; never negative.
    func countdown(_ limit: Duration) -> @Sendable () -> Duration {
        let end = clock.elapsed + limit
        return { [clock] in max(.zero, end - clock.elapsed) }
    }

    /// Whether a call is still waited for so long after its limit.
    func isLate(by grace: Duration) -> Bool {
        let now = clock.elapsed
        return state.withLock { $0.calls.values.contains { $0.deadline + grace < now } }
    }

    private func sleep(until deadline: Duration, _ state: inout State) {
        state.sleeper?.task.cancel()
        let task = Task { [weak self, clock] in
            guard (try? await clock.sleep(until: deadline)) != nil, !Task.isCancelled else { return }
            self?.wakeUp()
        }
        state.sleeper = (task, deadline)
    }

    private func wakeUp() {
        let now = clock.elapsed
        let missed = state.withLock { state in
            let missed = state.calls.filter { $0.value.deadline <= now }
            for number in missed.keys { state.calls[number] = nil }
            state.sleeper = nil
            if let next = state.calls.values.map(\.deadline).min() { sleep(until: next, &state) }
            return missed.values
        }
        for call in missed { call.onMiss() }
    }
}
