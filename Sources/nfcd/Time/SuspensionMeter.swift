/// Tells from two clocks, of which one stands still meanwhile, how long the system was suspended.
struct SuspensionMeter: Sendable {
    /// What both showed at the same moment.
    struct Reading: Sendable {
        var monotonic: Duration
        var boottime: Duration

        /// Of this moment.
        static var now: Reading {
            Reading(monotonic: SystemClock.monotonic.now, boottime: SystemClock.boottime.now)
        }

        fileprivate var suspended: Duration { boottime - monotonic }
    }

    /// The clocks are read one after the other: less is no suspension.
    static let shortest = Duration.seconds(1)

    private var known: Duration

    init(_ reading: Reading) { known = reading.suspended }

    /// How long the system was suspended since it was last told; nil: it was not.
    mutating func look(_ reading: Reading) -> Duration? {
        let duration = reading.suspended - known
        guard duration > Self.shortest else { return nil }
        known = reading.suspended
        return duration
    }
}
