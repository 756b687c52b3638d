#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// A clock of the system that never goes back (clock_gettime(2)).
package enum SystemClock: Sendable {
    /// Stops while the system is suspended.
    case monotonic
    /// Continues while the system is suspended.
    case boottime

    /// Its number.
    package var id: clockid_t {
        switch self {
        case .monotonic: CLOCK_MONOTONIC
        case .boottime: CLOCK_BOOTTIME
        }
    }

    /// The time since some moment in the past.
    package var now: Duration {
        var time = timespec()
        clock_gettime(id, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
