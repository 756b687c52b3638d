/// Waits between attempts that grow: up to a limit that doubles from a base to a cap.
package struct BackOff: Sendable, Equatable {
    package let base: Duration
    package let cap: Duration
    package private(set) var failures = 0

    package init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// The time to wait after one more failure.
    ///
    /// - Parameter random: the part of the limit: a number from 0 to below 1 for full jitter, 1 for none.
    package mutating func next(_ random: Double = 1) -> Duration {
        let limit = min(cap, base * (1 << min(failures, 20)))
        failures += 1
        return limit * random
    }

    /// The receiver answered.
    package mutating func reset() { failures = 0 }
}
