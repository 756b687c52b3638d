import CommandSupport
import ServiceSupport
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Ends a command early.
final class StopFlag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}

/// One run of a command: in a separate session, with nothing of the relay but three descriptors. `run` blocks its thread.
struct CommandRun: Sendable {
    /// How a run ended.
    enum End: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)
        case timedOut(Duration)
        case stopped
        /// The code of errno(3), and its words.
        case notStarted(Int32, String)

        /// Whether the system lacks something for the moment.
        static func isTransient(_ code: Int32) -> Bool { [EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY].contains(code) }
    }

    private static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    private let arguments: [String]
    private let variables: [String: String]
    private let input: [UInt8]
    private let timeout: Duration
    private let output: @Sendable (String) -> Void

    /// - Parameter output: is called with each line of standard output and standard error.
    init(
        arguments: [String], variables: [String: String], input: [UInt8], timeout: Duration,
        output: @escaping @Sendable (String) -> Void
    ) {
        self.arguments = arguments
        self.variables = variables
        self.input = input
        self.timeout = timeout
        self.output = output
    }

    /// Runs the command to its end. What it has left is killed then, so that nothing of a run is there in the next.
    func run(until stop: StopFlag) -> End {
        // A command that does not read its input must not end the relay.
        var pipeSignal = sigset_t()
        sigemptyset(&pipeSignal)
        sigaddset(&pipeSignal, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
        let environment = ["PATH=\(Self.path)", "LANG=C.UTF-8"] + variables.map { "\($0)=\($1)" }.sorted()
        do throws(KeptProgram.StartError) {
            let pipes = try ProgramPipes()
            let program = try KeptProgram.start(
                arguments, environment: environment, streams: pipes.streams(), background: .ends)
            pipes.keepOwnEnds()
            return follow(program, pipes, stop)
        } catch {
            return Self.notStarted(error.code)
        }
    }

    private static func notStarted(_ code: Int32) -> End { .notStarted(code, String(cString: strerror(code))) }

    /// Feeds and drains the pipes until the command has ended, and all that it has started.
    private func follow(_ started: consuming KeptProgram, _ pipes: ProgramPipes, _ stop: StopFlag) -> End {
        var program = started
        let deadline = SystemClock.monotonic.now + timeout
        var lines = OutputLines(output)
        var rest = input[...]
        var early: End?
        while true {
            pipes.feed(&rest)
            pipes.drain { lines.take($0) }
            if program.hasEnded {
                let status = program.status()
                _ = program.reap(waits: true)
                pipes.drain { lines.take($0) }
                lines.finish()
                return early ?? Self.end(status)
            }
            if early == nil, stop.isSet || SystemClock.monotonic.now >= deadline {
                early = stop.isSet ? .stopped : .timedOut(timeout)
                program.end()
            }
            pipes.wait(for: program.ended, hasInput: !rest.isEmpty)
        }
    }

    private static func end(_ status: Int32) -> End {
        // The macros of waitpid(2).
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
}
