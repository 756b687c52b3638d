import CLinux
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
        guard let toChild = Pipe() else { return Self.notStarted(errno) }
        guard let fromChild = Pipe() else { return Self.notStarted(errno) }
        let environment = ["PATH=\(Self.path)", "LANG=C.UTF-8"] + variables.map { "\($0)=\($1)" }.sorted()
        let streams = KeptProgram.Streams(
            input: toChild.readEnd, output: fromChild.writeEnd, errors: fromChild.writeEnd)
        do {
            let program = try KeptProgram.start(
                arguments, environment: environment, streams: streams, background: .ends)
            toChild.closeReadEnd()
            fromChild.closeWriteEnd()
            toChild.unblock(toChild.writeEnd)
            fromChild.unblock(fromChild.readEnd)
            return follow(program, toChild, fromChild, stop)
        } catch {
            return Self.notStarted(error.code)
        }
    }

    private static func notStarted(_ code: Int32) -> End { .notStarted(code, String(cString: strerror(code))) }

    /// Feeds and drains the pipes until the command has ended, and all that it has started.
    private func follow(
        _ started: consuming KeptProgram, _ toChild: Pipe, _ fromChild: Pipe, _ stop: StopFlag
    ) -> End {
        var program = started
        let deadline = SystemClock.monotonic.now + timeout
        var lines = OutputLines(output)
        var rest = input[...]
        var early: End?
        while true {
            Self.feed(&rest, toChild)
            Self.drain(fromChild, &lines)
            if Self.canBeRead(program.ended) {
                let status = program.status()
                _ = program.reap(waits: true)
                Self.drain(fromChild, &lines)
                lines.finish()
                return early ?? Self.end(status)
            }
            if early == nil, stop.isSet || SystemClock.monotonic.now >= deadline {
                early = stop.isSet ? .stopped : .timedOut(timeout)
                program.end()
            }
            Self.wait(toChild, fromChild, program.ended, hasInput: !rest.isEmpty)
        }
    }

    private static func end(_ status: Int32) -> End {
        // The macros of waitpid(2).
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    private static func feed(_ rest: inout ArraySlice<UInt8>, _ pipe: Pipe) {
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(pipe.writeEnd, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            // The command does not read all of it: no failure.
            rest = count > 0 ? rest.dropFirst(count) : []
        }
        pipe.closeWriteEnd()
    }

    /// Reads what is there, but not endlessly from a command that never stops writing.
    private static func drain(_ pipe: Pipe, _ lines: inout OutputLines) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<16 where pipe.readEnd >= 0 {
            let count = read(pipe.readEnd, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count == 0 { pipe.closeReadEnd() }
                return
            }
            lines.take(buffer.prefix(count))
        }
    }

    private static func canBeRead(_ descriptor: Int32) -> Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&place, 1, 0) > 0
    }

    /// Waits until something can be read or written, until the command has ended, or a moment.
    private static func wait(_ toChild: Pipe, _ fromChild: Pipe, _ ended: Int32, hasInput: Bool) {
        // A negative descriptor is ignored.
        var descriptors = [
            pollfd(fd: fromChild.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
            pollfd(fd: hasInput ? toChild.writeEnd : -1, events: Int16(POLLOUT), revents: 0),
        ]
        _ = poll(&descriptors, nfds_t(descriptors.count), 250)
    }
}

/// A pipe whose ends do not block and are not inherited.
private final class Pipe {
    private(set) var readEnd: Int32
    private(set) var writeEnd: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard cspawn_pipe(&ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        closeReadEnd()
        closeWriteEnd()
    }

    func closeReadEnd() {
        if readEnd >= 0 { close(readEnd) }
        readEnd = -1
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// Makes the relay's end not block; the command's end blocks, as programs expect.
    func unblock(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
}
