import Synchronization

/// A clock that stands still until a test moves it.
final class TestClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var count = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
    }

    /// How long each sleeper wants to sleep, as it falls asleep. For one reader.
    let sleeps: AsyncStream<Duration>
    private let sleepSink: AsyncStream<Duration>.Continuation
    private let state = Mutex(State())

    init() {
        (sleeps, sleepSink) = AsyncStream.makeStream()
    }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { add(number, Sleeper(deadline: deadline, continuation: $0)) }
        } onCancel: {
            cancel(number)
        }
    }

    /// Moves the time on and wakes those whose time has come.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    private func add(_ number: Int, _ sleeper: Sleeper) {
        let isCancelled = state.withLock { state in
            guard state.cancelled.remove(number) == nil else { return true }
            state.sleepers[number] = sleeper
            return false
        }
        if isCancelled { return sleeper.continuation.resume(throwing: CancellationError()) }
        sleepSink.yield(now.duration(to: sleeper.deadline))
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
