import ServiceSupport
import Threading

/// Reports every suspension of the system, right after it. It sleeps until the kernel wakes it up.
struct SuspensionService: Service {
    private let changes: AsyncStream<Void>
    private let timer: KernelTimer
    private let wasSuspended: @Sendable (Duration) async -> Void

    init(_ wasSuspended: @escaping @Sendable (Duration) async -> Void) throws(KernelTimer.Failure) {
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        timer = try KernelTimer.clockChanges { change.yield() }
        self.changes = changes
        self.wasSuspended = wasSuspended
    }

    func run(until stop: StopSignal) async {
        await stop.cancelling {
            var meter = SuspensionMeter(.now)
            for await _ in changes {
                if let duration = meter.look(.now) { await wasSuspended(duration) }
            }
        }
    }
}

/// Measures suspensions with two clocks, one of which stops while the system is suspended.
struct SuspensionMeter: Sendable {
    /// The time of both clocks at one moment.
    struct Reading: Sendable {
        var monotonic: Duration
        var boottime: Duration

        /// The time now.
        static var now: Reading {
            Reading(monotonic: SystemClock.monotonic.now, boottime: SystemClock.boottime.now)
        }

        fileprivate var suspended: Duration { boottime - monotonic }
    }

    /// The clocks are read one after the other: a smaller difference is not a suspension.
    static let shortest = Duration.seconds(1)

    private var known: Duration

    init(_ reading: Reading) { known = reading.suspended }

    /// How long the system was suspended since the last call; nil: it was not.
    mutating func look(_ reading: Reading) -> Duration? {
        let duration = reading.suspended - known
        guard duration > Self.shortest else { return nil }
        known = reading.suspended
        return duration
    }
}
