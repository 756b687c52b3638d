import Dispatch
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A shell command in a process group of its own, so that it can be ended with everything that it has started.
final class ShellProcess: Sendable {
    /// A code of errno(3).
    struct StartError: Error {
        let code: Int32
    }

    private let statuses: AsyncStream<Int32>
    /// Nil when the process is reaped: its number may then be that of another one.
    private let process: Mutex<pid_t?>

    private init(_ number: pid_t) {
        process = Mutex(number)
        let (statuses, input) = AsyncStream.makeStream(of: Int32.self)
        self.statuses = statuses
        DispatchQueue(label: "nfcctl.command").async { [self] in
            input.yield(reap(number))
            input.finish()
        }
    }

    /// Starts /bin/sh with a command. Standard input is empty.
    ///
    /// - Parameter outputToErrors: whether the standard output of the command is nfcctl's standard error.
    static func start(
        _ command: String, variables: [String: String], outputToErrors: Bool
    ) -> Result<ShellProcess, StartError> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if outputToErrors { posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // nfcctl handles SIGINT and SIGTERM in its own way, which the command must not inherit.
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        // The environment of a process cannot hold NUL characters.
        let lines = environment.map { "\($0)=\($1)".filter { $0 != "\0" } }
        let arguments = Self.copies(["/bin/sh", "-c", command])
        let values = Self.copies(lines)
        defer { for text in arguments + values { free(text) } }
        var number: pid_t = 0
        let code = posix_spawn(&number, "/bin/sh", &actions, &attributes, arguments, values)
        return code == 0 ? .success(ShellProcess(number)) : .failure(StartError(code: code))
    }

    /// Copies of texts for a C function, with a null pointer at the end. The caller frees them.
    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { text in strdup(text) } + [nil]
    }

    /// Waits for the end.
    ///
    /// - Returns: the status of waitpid(2); nil if the task is cancelled, after sending SIGTERM to the process group.
    func status() async -> Int32? {
        for await status in statuses { return status }
        process.withLock { number in
            if let number { kill(-number, SIGTERM) }
        }
        return nil
    }

    private func reap(_ number: pid_t) -> Int32 {
        var end = siginfo_t()
        // The process remains a zombie, and so keeps its number, until the lock is held.
        while waitid(P_PID, id_t(number), &end, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return process.withLock { process in
            var status: Int32 = 0
            while waitpid(number, &status, 0) < 0, errno == EINTR {}
            process = nil
            return status
        }
    }
}
