import Synchronization

/// Runs `operation`, but waits for it no longer than `limit`: then nil, and the operation is left to itself.
///
/// A blocking C call cannot be interrupted, so structured concurrency would wait for it for ever; here the waiting ends
/// and `late` is called when the operation returns after all.
func withDeadline<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>, late: @escaping @Sendable () -> Void = {},
    _ operation: @escaping @Sendable () async -> Value
) async -> Value? {
    await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
        let first = FirstResult(continuation)
        let timer = Task {
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            _ = first.resume(returning: nil)
        }
        Task {
            let value = await operation()
            timer.cancel()
            if !first.resume(returning: value) { late() }
        }
    }
}

/// A continuation that two parties want to resume; the first one does.
final class FirstResult<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) {
        self.continuation = Mutex(continuation)
    }

    /// True if this was the first.
    func resume(returning value: sending Value?) -> Bool {
        let waiting = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        waiting?.resume(returning: value)
        return waiting != nil
    }
}

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

/// Tells the time since it was made, by a clock of whatever kind. It has no type parameter: code that is generic over clocks
/// looks up types at every call, which takes longer than the call.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Starts.
    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The time since it was made.
    package var elapsed: Duration { read() }

    /// Returns when so much time has passed since it was made; throws when cancelled before.
    package func sleep(until time: Duration) async throws { try await wait(time) }
}
