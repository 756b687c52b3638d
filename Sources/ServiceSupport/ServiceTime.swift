package import FoundationEssentials

/// Time and chance, as a service uses them: tests bring their own.
package struct ServiceTime: Sendable {
    /// The time since some moment in the past; it continues while the system is suspended.
    package let now: @Sendable () -> Duration
    /// The time of day.
    package let wall: @Sendable () -> Date
    /// Waits; throws where the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 to below 1.
    package let random: @Sendable () -> Double

    /// Creates another time.
    package init(
        now: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void, random: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.wall = wall
        self.sleep = sleep
        self.random = random
    }

    /// The time of the system.
    package static let system = ServiceTime(
        now: { SystemClock.boottime.now },
        sleep: { try await Task.sleep(for: $0, tolerance: .zero, clock: .continuous) },
        random: { Double.random(in: 0..<1) })
}
