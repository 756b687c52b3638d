import Synchronization
import Threading

/// Deadlines for operations that cannot be interrupted.
///
/// One task sleeps until the earliest deadline, and an operation that ends in time does not wake it: a task for each
/// operation would cost more than an exchange with a tag.
package final class DeadlineTimer: Sendable {
    private struct Operation {
        let deadline: Duration
        let onMiss: @Sendable () -> Void
    }

    private struct State {
        var count: UInt64 = 0
        var operations: [UInt64: Operation] = [:]
        var sleeper: (task: Task<Void, Never>, until: Duration)?
    }

    private let clock: Stopwatch
    private let state = Mutex(State())

    package init(_ clock: some Clock<Duration>) {
        self.clock = Stopwatch(clock)
    }

    deinit {
        state.withLock { $0.sleeper?.task.cancel() }
    }

    /// Starts an operation and waits for its result until the limit is over.
    ///
    /// A blocking C call cannot be interrupted. An operation that misses its deadline continues, and `late` is called when
    /// it completes.
    ///
    /// - Parameters:
    ///   - limit: the time limit.
    ///   - late: called if the operation completes after the limit.
    ///   - start: starts the operation, which calls the function it is given with its result.
    /// - Returns: the result; nil if the limit is over.
    func wait<Value: Sendable>(
        _ limit: Duration, late: @escaping @Sendable () -> Void = {},
        for start: (_ complete: @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
            let first = FirstResult(continuation)
            let number = add(limit) { _ = first.resume(returning: nil) }
            start { value in
                self.remove(number)
                if !first.resume(returning: value) { late() }
            }
        }
    }

    /// Waits for one operation that no other follows soon.
    package func result<Value: Sendable>(
        within limit: Duration, of operation: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let value = await wait(limit) { complete in
            Task { complete(await operation()) }
        }
        rest()
        return value
    }

    /// Waits for one blocking call, which runs on its own thread.
    package func result<Value: Sendable>(
        within limit: Duration, ofBlocking call: @escaping @Sendable () -> Value
    ) async -> Value? {
        let value = await wait(limit) { complete in
            ThreadExecutor().run { complete(call()) }
        }
        rest()
        return value
    }

    /// Stops the sleeping task, unless an operation is running: no operation will follow soon.
    func rest() {
        state.withLock { state in
            guard state.operations.isEmpty else { return }
            state.sleeper?.task.cancel()
            state.sleeper = nil
        }
    }

    /// The rest of a limit that begins now; never negative.
    func countdown(_ limit: Duration) -> @Sendable () -> Duration {
        let end = clock.elapsed + limit
        return { [clock] in max(.zero, end - clock.elapsed) }
    }

    /// Whether an operation is still waited for this long after its deadline, which means that nfcd itself hangs.
    func isLate(by grace: Duration) -> Bool {
        let now = clock.elapsed
        return state.withLock { $0.operations.values.contains { $0.deadline + grace < now } }
    }

    private func add(_ limit: Duration, onMiss: @escaping @Sendable () -> Void) -> UInt64 {
        let deadline = clock.elapsed + limit
        return state.withLock { state in
            state.count += 1
            state.operations[state.count] = Operation(deadline: deadline, onMiss: onMiss)
            if state.sleeper.map({ $0.until > deadline }) ?? true { sleep(until: deadline, &state) }
            return state.count
        }
    }

    private func remove(_ number: UInt64) {
        state.withLock { $0.operations[number] = nil }
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
            let missed = state.operations.filter { $0.value.deadline <= now }
            for number in missed.keys { state.operations[number] = nil }
            state.sleeper = nil
            if let next = state.operations.values.map(\.deadline).min() { sleep(until: next, &state) }
            return missed.values
        }
        for operation in missed { operation.onMiss() }
    }
}

/// A continuation that the operation and its deadline both want to resume; the first one does.
private final class FirstResult<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) {
        self.continuation = Mutex(continuation)
    }

    /// - Returns: whether this was the first call.
    func resume(returning value: sending Value?) -> Bool {
        let waiting = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        waiting?.resume(returning: value)
        return waiting != nil
    }
}

/// The time since its creation, by any clock. It has no type parameter: code that is generic over clocks looks up types at
/// every call, which takes longer than the call.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Starts at zero.
    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The time since its creation.
    package var elapsed: Duration { read() }

    /// Returns when this time since its creation has passed; throws if the task is cancelled before.
    package func sleep(until time: Duration) async throws { try await wait(time) }
}
