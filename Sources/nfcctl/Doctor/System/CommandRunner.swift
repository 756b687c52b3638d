#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs other programs, each for a short time only.
enum CommandRunner {
    /// The most that is kept of what a program says, in bytes.
    static let mostOutput = 65_536

    /// Runs a program, given by its path, with nothing on standard input. Nil where it cannot be started, and for one that
    /// takes longer than `limit`, which is killed.
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

    /// What is written until the end; nil where the end does not come in time.
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
            output += buffer.prefix(min(count, mostOutput - output.count))
        }
    }

    /// The exit status; nil for a program that has to be killed.
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
