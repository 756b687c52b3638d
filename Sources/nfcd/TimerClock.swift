@preconcurrency import Dispatch
import Synchronization

/// The continuous clock, with sleeps that are timers of libdispatch.
///
/// `Task.sleep` wakes up in libdispatch's global pool (see `GlobalExecutor`), and one that was cancelled keeps its timer
/// until the end; a timer that is cancelled is gone.
struct TimerClock: Clock {
    typealias Instant = ContinuousClock.Instant

    private static let queue = DispatchQueue(label: "nfcd.timers")

    var now: Instant { ContinuousClock.now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let timer = OneShotTimer(queue: Self.queue)
        try await withTaskCancellationHandler {
            try await timer.wait(for: now.duration(to: deadline))
        } onCancel: {
            timer.cancel()
        }
    }
}

/// A timer somebody waits for, once.
private final class OneShotTimer: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, any Error>)
        case over
    }

    private let state = Mutex(State.idle)
    private let source: any DispatchSourceTimer

    init(queue: DispatchQueue) {
        source = DispatchSource.makeTimerSource(queue: queue)
    }

    /// Returns when the time is over; throws when cancelled before.
    func wait(for duration: Duration) async throws {
        let nanoseconds = max(0, min(duration / .nanoseconds(1), Double(Int64.max / 2)))
        source.setEventHandler { [self] in finish(.success(())) }
        source.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
        source.activate()
        try await withCheckedThrowingContinuation { continuation in
            let isOver = state.withLock { state in
                if case .over = state { return true }
                state = .waiting(continuation)
                return false
            }
            if isOver { continuation.resume(throwing: CancellationError()) }
        }
    }

    func cancel() {
        finish(.failure(CancellationError()))
    }

    private func finish(_ result: Result<Void, any Error>) {
        let previous = state.withLock { state in
            defer { state = .over }
            return state
        }
        source.cancel()
        if case .waiting(let continuation) = previous { continuation.resume(with: result) }
    }
}
