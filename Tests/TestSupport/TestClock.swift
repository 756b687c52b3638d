import Synchronization

/// A clock that changes only when it is advanced.
package final class TestClock: Clock {
    package struct Instant: InstantProtocol {
        package var offset = Duration.zero

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let isSatisfied: @Sendable (_ remaining: [Duration]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant()
        var sleeps = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var watchers: [Watcher] = []

        var remaining: [Duration] { sleepers.values.map { now.duration(to: $0.deadline) }.sorted() }

        mutating func satisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
            let remaining = remaining
            defer { watchers.removeAll { $0.isSatisfied(remaining) } }
            return watchers.filter { $0.isSatisfied(remaining) }.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock(\.now) }
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// How long each sleeper will still sleep, shortest first.
    package var remaining: [Duration] { state.withLock(\.remaining) }

    /// Returns as soon as a task sleeps, for the given duration if there is one.
    package func sleeping(for duration: Duration? = nil) async {
        await withCheckedContinuation { continuation in
            let watcher = Watcher(
                isSatisfied: { duration.map($0.contains) ?? !$0.isEmpty }, continuation: continuation)
            state.withLock { $0.watchers.append(watcher) }
            resumeWatchers()
        }
    }

    /// Lets time pass and wakes those whose time has come.
    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.sleeps += 1
            return state.sleeps
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { add(Sleeper(deadline: deadline, continuation: $0), number) }
        } onCancel: {
            cancel(number)
        }
    }

    private func add(_ sleeper: Sleeper, _ number: Int) {
        let end: Result<Void, any Error>? = state.withLock { state in
            if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
            if sleeper.deadline <= state.now { return .success(()) }
            state.sleepers[number] = sleeper
            return nil
        }
        if let end { return sleeper.continuation.resume(with: end) }
        resumeWatchers()
    }

    private func resumeWatchers() {
        let satisfied = state.withLock { $0.satisfiedWatchers() }
        for continuation in satisfied { continuation.resume() }
    }

    private func cancel(_ number: Int) {
        let sleeper = state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: number)
            if sleeper == nil { state.cancelled.insert(number) }
            return sleeper
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
