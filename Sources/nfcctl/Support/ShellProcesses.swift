import CommandSupport
import Dispatch
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The shell commands that nfcctl runs, with everything that they start.
final class ShellProcesses: Sendable {
    /// A command, and what it has left.
    private final class Kept: Sendable {
        private let program: Mutex<KeptProgram>
        let ended: Int32

        init(_ program: consuming KeptProgram) {
            ended = program.ended
            self.program = Mutex(program)
        }

        func end() { program.withLock { $0.end() } }
        /// Whether all of it has ended.
        func isGone() -> Bool { program.withLock { $0.reap(waits: false) } }
    }

    private let background: KeptProgram.Background
    private let programs = Mutex<[Kept]>([])

    /// - Parameter background: what becomes of processes that a command leaves in the background.
    init(background: KeptProgram.Background) { self.background = background }

    /// Runs /bin/sh with a command to its end. Standard input is empty. When the task is cancelled, the command is ended.
    ///
    /// - Parameter outputToErrors: whether the standard output of the command is nfcctl's standard error.
    /// - Returns: the status of waitpid(2); nil if the task is cancelled.
    func run(
        _ command: String, variables: [String: String], outputToErrors: Bool
    ) async throws(KeptProgram.StartError) -> Int32? {
        let kept = Kept(try start(command, variables, outputToErrors: outputToErrors))
        programs.withLock { programs in
            programs.removeAll { $0.isGone() }
            programs.append(kept)
        }
        let (statuses, input) = AsyncStream.makeStream(of: Int32.self)
        DispatchQueue(label: "nfcctl.command").async {
            // It keeps the command until its end is known.
            input.yield(withExtendedLifetime(kept) { KeptProgram.status(from: kept.ended) })
            input.finish()
        }
        for await status in statuses { return status }
        kept.end()
        return nil
    }

    /// Ends what the commands have left.
    func end() {
        programs.withLock { programs in
            for program in programs { program.end() }
        }
    }

    private func start(
        _ command: String, _ variables: [String: String], outputToErrors: Bool
    ) throws(KeptProgram.StartError) -> KeptProgram {
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw KeptProgram.StartError(code: errno) }
        defer { close(input) }
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        return try KeptProgram.start(
            ["/bin/sh", "-c", command],
            // The environment of a process cannot hold NUL characters.
            environment: environment.map { "\($0)=\($1)".filter { $0 != "\0" } },
            streams: .init(
                input: input, output: outputToErrors ? STDERR_FILENO : STDOUT_FILENO, errors: STDERR_FILENO),
            background: background)
    }
}
