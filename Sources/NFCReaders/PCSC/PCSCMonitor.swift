import Dispatch
import PCSC
import Synchronization

/// Follows the readers of pcscd on a thread of its own, by waiting for changes; comes back when pcscd does.
actor PCSCMonitor {
    /// A change that fell between two waits is missed by pcscd before 2.3; the slice bounds how long it goes unseen.
    private static let slice = Duration.seconds(60)
    private static let mostListingRaces = 5

    private let executor = ThreadExecutor()
    private let clock: any Clock<Duration>
    private let attention = MonitorAttention()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// Runs until the task is cancelled.
    func run(report: @escaping @Sendable (ReaderEvent) -> Void, names: NameBook) async {
        await withTaskCancellationHandler {
            await keepFollowing(report, names)
        } onCancel: {
            attention.stop()
        }
        attention.ended()
    }

    /// Returns when the readers have been looked at; ends a rest between two attempts.
    nonisolated func refresh() async {
        await attention.refresh()
    }

    private func keepFollowing(_ report: @Sendable (ReaderEvent) -> Void, _ names: NameBook) async {
        var backoff = Backoff()
        var reported: PCSCError?
        while !attention.isStopped {
            do throws(PCSCError) {
                try follow(report, names, backoff: &backoff)
            } catch {
                names.clear()
                // A service that stays away is told of once, not at every attempt.
                if backoff.isFresh || error != reported { report(.serviceUnavailable(reason: "\(error)")) }
                reported = error
            }
            await attention.rest(for: backoff.next(), clock: clock)
        }
    }

    /// Blocks until stopped, or until pcscd is gone.
    private func follow(
        _ report: @Sendable (ReaderEvent) -> Void, _ names: NameBook, backoff: inout Backoff
    ) throws(PCSCError) {
        let context = try Context()
        attention.following(context.canceller)
        backoff = Backoff()
        report(.serviceAvailable)
        var watch = ReaderWatch()
        var timeout = Duration.zero
        var races = 0
        while !attention.isStopped {
            let listed = watch.list(try context.readers())
            names.update(watch)
            listed.forEach(report)
            do throws(PCSCError) {
                var states = watch.states
                if try context.waitForChange(in: &states, timeout: timeout) { watch.look(states).forEach(report) }
                races = 0
            } catch {
                // A reader unplugged between the list and the wait; the list tells which.
                guard error.code == .unknownReader, races < Self.mostListingRaces else { throw error }
                races += 1
            }
            attention.settled()
            timeout = Self.slice
        }
    }
}

/// Doubling pauses between attempts to reach pcscd.
struct Backoff {
    private static let shortest = Duration.milliseconds(200)
    private static let longest = Duration.seconds(5)
    private var pause = shortest

    /// Whether no pause was taken yet.
    var isFresh: Bool { pause == Self.shortest }

    /// The pause before the next attempt.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Self.longest) }
        return pause
    }
}

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
