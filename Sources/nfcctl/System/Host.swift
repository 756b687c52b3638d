import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the system reports apart from its files: the user, the environment, the clocks and the output of programs.
struct Host: Sendable {
    /// The user that this process runs as.
    var user: UInt32
    /// The groups of this process; the user's account may be in more.
    var groups: [UInt32]
    var environment: [String: String]
    var clocks: Clocks
    /// Runs a program and waits for it; nil if it cannot be started or takes too long.
    var run: @Sendable (_ command: [String]) -> CommandResult?

    /// Whether the user is root.
    var isRoot: Bool { user == 0 }

    /// Whether this process runs as root.
    static var userIsRoot: Bool { geteuid() == 0 }

    /// The machine that this process runs on.
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

/// The exit status and output of a program.
struct CommandResult: Sendable, Equatable {
    /// The exit status; 128 plus the signal number if a signal terminated the program.
    let status: Int32
    /// Standard output and standard error, interleaved.
    let output: String
}

/// The two clocks whose difference is the time that the system was suspended (clock_gettime(2)), and the wall clock.
struct Clocks: Sendable, Equatable {
    /// CLOCK_MONOTONIC, in seconds.
    var monotonic: Double?
    /// CLOCK_BOOTTIME, in seconds; it includes the time that the system is suspended.
    var boottime: Double?
    /// CLOCK_REALTIME, in seconds since 1970 in UTC.
    var wall: Double?

    static func read() -> Clocks {
        // In this order, boottime is never less than monotonic.
        let monotonic = seconds(CLOCK_MONOTONIC)
        return Clocks(
            monotonic: monotonic, boottime: seconds(CLOCK_BOOTTIME), wall: seconds(CLOCK_REALTIME))
    }

    private static func seconds(_ clock: clockid_t) -> Double? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Runs other programs with a time limit.
enum CommandRunner {
    /// The maximum number of bytes that are kept of a program's output.
    static let maximumOutputLength = 65_536

    /// Runs a program, given by its path, with empty standard input. Returns nil if it cannot be started or if it takes
    /// longer than `limit`; then it is killed.
    static func run(_ command: [String], limit: Duration = .seconds(5)) -> CommandResult? {
        var ends: [Int32] = [-1, -1]
        guard !command.isEmpty, pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let process = spawn(command, output: ends[1])
        close(ends[1])
        guard let process else { return nil }
        let deadline = ContinuousClock.now + limit
        let output = collect(ends[0], until: deadline)
        guard let status = wait(for: process, until: output == nil ? .now : deadline), let output else { return nil }
        return CommandResult(status: status, output: String(decoding: output, as: UTF8.self))
    }

    private static func spawn(_ command: [String], output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        guard posix_spawn(&process, command[0], &actions, nil, &arguments, environ) == 0 else { return nil }
        return process
    }

    /// Everything that is written until end of file; nil if the deadline passes first.
    private static func collect(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&waiting, 1, Int32(left.rounded(.up))) != 0 else { return nil }
            guard waiting.revents != 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { readRetrying(descriptor, into: $0) }
            guard count > 0 else { return output }
            output += buffer.prefix(min(count, maximumOutputLength - output.count))
        }
    }

    /// The exit status; nil for a program that had to be killed.
    private static func wait(for process: pid_t, until deadline: ContinuousClock.Instant) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            // The low seven bits are the signal, the next byte is the exit status (wait(2)).
            let signal = status & 0x7F
            if ended == process { return signal == 0 ? (status >> 8) & 0xFF : 128 + signal }
            guard ended == 0 || errno == EINTR else { return nil }
            if .now >= deadline {
                kill(process, SIGKILL)
                waitpid(process, &status, 0)
                return nil
            }
            poll(nil, 0, 5)
        }
    }
}

/// The users and groups of /etc/passwd and /etc/group.
struct AccountFiles: Sendable {
    /// A group and its listed members.
    struct Group: Sendable {
        let name: String
        let number: UInt32
        let members: [String]
    }

    /// A user and its primary group.
    struct User: Sendable {
        let name: String
        let number: UInt32
        let group: UInt32
    }

    let users: [User]
    let groups: [Group]

    /// Skips invalid lines (passwd(5), group(5)).
    init(_ files: any SystemFiles) {
        users = files.lines("/etc/passwd").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 4, let number = UInt32(fields[2]), let group = UInt32(fields[3]) else { return nil }
            return User(name: String(fields[0]), number: number, group: group)
        }
        groups = files.lines("/etc/group").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 4, let number = UInt32(fields[2]) else { return nil }
            return Group(
                name: String(fields[0]), number: number, members: fields[3].split(separator: ",").map(String.init))
        }
    }

    /// The user with a user ID.
    func user(_ number: UInt32) -> User? { users.first { $0.number == number } }

    /// The group with a group ID.
    func group(_ number: UInt32) -> Group? { groups.first { $0.number == number } }

    /// Whether the account is a member of the group, regardless of the groups of its current logins.
    func isMember(_ user: UInt32, of group: UInt32) -> Bool {
        guard let account = self.user(user) else { return false }
        return account.group == group || groups.contains { $0.number == group && $0.members.contains(account.name) }
    }
}
