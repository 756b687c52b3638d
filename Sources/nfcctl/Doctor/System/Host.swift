import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What is asked of the system beside its files.
struct Host: Sendable {
    /// The user this runs as.
    var user: UInt32
    /// The groups this process is in, which may be fewer than the user's account is in.
    var groups: [UInt32]
    var environment: [String: String]
    var clocks: Clocks
    /// Runs a program to its end; nil where it cannot be started or takes too long.
    var run: @Sendable (_ command: [String]) -> CommandResult?

    /// Whether everything is allowed.
    var isRoot: Bool { user == 0 }

    /// Whether this runs as root.
    static var userIsRoot: Bool { geteuid() == 0 }

    /// The machine this runs on.
    static var machine: Host {
        Host(
            user: geteuid(), groups: processGroups(), environment: ProcessInfo.processInfo.environment,
            clocks: .read(), run: { CommandRunner.run($0) })
    }

    private static func processGroups() -> [UInt32] {
        let count = getgroups(0, nil)
        guard count > 0 else { return [getegid()] }
        var groups = [gid_t](repeating: 0, count: Int(count))
        let filled = getgroups(count, &groups)
        return [getegid()] + groups.prefix(Int(max(0, filled)))
    }
}

/// What a program left.
struct CommandResult: Sendable, Equatable {
    /// The exit status; 128 and the signal's number for one that a signal ended.
    let status: Int32
    /// Standard output and standard error together.
    let output: String
}

/// The two clocks that differ by the time the system was suspended (clock_gettime(2)).
struct Clocks: Sendable, Equatable {
    /// CLOCK_MONOTONIC, in seconds.
    var monotonic: Double?
    /// CLOCK_BOOTTIME, in seconds; it goes on while the system is suspended.
    var boottime: Double?

    static func read() -> Clocks {
        // In this order boottime cannot seem to be behind.
        let monotonic = seconds(CLOCK_MONOTONIC)
        return Clocks(monotonic: monotonic, boottime: seconds(CLOCK_BOOTTIME))
    }

    private static func seconds(_ clock: clockid_t) -> Double? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
