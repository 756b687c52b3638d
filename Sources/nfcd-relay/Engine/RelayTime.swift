import ServiceSupport

/// Time and chance, as the relay uses them: tests bring their own.
struct RelayTime: Sendable {
    /// The time since some moment in the past; it goes on while the system is suspended.
    let now: @Sendable () -> Duration
    /// Waits; throws where the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 to below 1.
    let random: @Sendable () -> Double

    /// The time of the system.
    static let system = RelayTime(
        now: { SystemClock.boottime.now },
        sleep: { try await Task.sleep(for: $0, tolerance: .zero, clock: .continuous) },
        random: { Double.random(in: 0..<1) })
}

/// Waits between attempts that grow, with full jitter: any time up to a limit that doubles.
struct BackOff: Sendable, Equatable {
    let base: Duration
    let cap: Duration
    private(set) var failures = 0

    init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// The time to wait after one more failure.
    ///
    /// - Parameter random: a number from 0 to below 1.
    mutating func next(_ random: Double) -> Duration {
        let limit = min(cap, base * (1 << min(failures, 20)))
        failures += 1
        return limit * random
    }

    /// The receiver answered.
    mutating func reset() { failures = 0 }
}
