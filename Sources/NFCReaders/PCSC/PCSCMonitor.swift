import PCSC

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
