/// A clock of the system, with sleeps that all wait for one timer of the kernel.
///
/// `Task.sleep` wakes up in libdispatch's global pool (see `GlobalExecutor`), keeps the timer of a sleep that was cancelled
/// until its end, and stands still while the system is suspended.
struct TimerClock: Clock {
    /// A time of the clock.
    struct Instant: InstantProtocol {
        /// Since a moment that is the same for all.
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let clock: SystemClock
    private let alarm: Alarm

    init(_ clock: SystemClock) throws(KernelTimer.Failure) {
        self.clock = clock
        alarm = try Alarm(clock)
    }

    var now: Instant { Instant(offset: clock.now) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await alarm.sleep(until: deadline.offset)
    }
}
