import Synchronization

/// Real time, and what a test has skipped of it.
final class SkippingClock: Clock {
    private struct State {
        var skipped = Duration.zero
        var sleeps: UInt64 = 0
        /// Those who sleep: each is notified when time is skipped.
        var sleepers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    }

    private let real = ContinuousClock()
    private let state = Mutex(State())

    var now: ContinuousClock.Instant { real.now + state.withLock(\.skipped) }
    var minimumResolution: Duration { real.minimumResolution }

    /// Lets time pass at once.
    func skip(_ duration: Duration) {
        state.withLock { state in
            state.skipped += duration
            for sleeper in state.sleepers.values { sleeper.yield() }
        }
    }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let (skips, sleeper) = AsyncStream<Void>.makeStream()
        let number = add(sleeper)
        defer { state.withLock { $0.sleepers[number] = nil } }
        while case let rest = now.duration(to: deadline), rest > .zero {
            try Task.checkCancellation()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [real] in try? await real.sleep(for: rest, tolerance: tolerance) }
                group.addTask { for await _ in skips { break } }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private func add(_ sleeper: AsyncStream<Void>.Continuation) -> UInt64 {
        state.withLock { state in
            state.sleeps += 1
            state.sleepers[state.sleeps] = sleeper
            return state.sleeps
        }
    }
}
