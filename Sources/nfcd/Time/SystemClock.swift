#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A clock of the system that never goes back (clock_gettime(2)).
enum SystemClock: Sendable {
    /// Stands still while the system is suspended.
    case monotonic
    /// Goes on while the system is suspended.
    case boottime

    /// Its number.
    var id: clockid_t {
        switch self {
        case .monotonic: CLOCK_MONOTONIC
        case .boottime: CLOCK_BOOTTIME
        }
    }

    /// The time since some moment in the past.
    var now: Duration {
        var time = timespec()
        clock_gettime(id, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
