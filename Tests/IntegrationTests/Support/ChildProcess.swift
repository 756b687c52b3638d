import Foundation
import Synchronization

/// A running program, its output and its exit status. The program is killed when the value is released.
final class ChildProcess: Sendable {
    let output = LineLog()
    let errors = LineLog()
    let processID: pid_t
    private let life: ChildLife
    private let input: Mutex<Int32?>
    private let exit = LineLog()
    /// Serializes starts: a program that is started concurrently would inherit the pipes of the other one.
    private static let starting = Mutex(())

    /// Starts a program, found by PATH unless a path is given.
    init(_ command: [String], environment: [String: String] = [:]) throws {
        // A busy machine takes its time; only the tests of this limit set another.
        let variables = ProcessInfo.processInfo.environment.merging(["NFCD_ANSWER_LIMIT": "120"]) { $1 }
            .merging(environment) { $1 }
        let (processID, input, output, errors) = try Self.starting.withLock { _ in
            let (input, output, errors) = (try OneWay(), try OneWay(), try OneWay())
            let ends = [input.read, output.write, errors.write]
            defer { for end in ends { close(end) } }
            return (try Self.spawn(command, variables, descriptors: ends), input, output, errors)
        }
        self.processID = processID
        life = ChildLife(processID)
        self.input = Mutex(input.write)
        let copies = DispatchGroup()
        Self.copy(output.read, into: self.output, copies)
        Self.copy(errors.read, into: self.errors, copies)
        Thread.detachNewThread { [exit, life] in
            let status = life.waitForEnd()
            // What the program printed last is read before its end is known, unless a program that it started holds the pipe.
            _ = copies.wait(timeout: .now() + 2)
            // The low seven bits are the signal, the next byte is the exit status (wait(2)).
            let signal = status & 0x7F
            exit.add("\(signal == 0 ? (status >> 8) & 0xFF : -signal)\n".utf8)
        }
    }

    deinit {
        signal(SIGKILL)
        finishInput()
    }

    /// The exit status, or the negative number of the signal that terminated the program.
    func status() async -> Int32 {
        let status = await exit.next().flatMap { Int32($0) } ?? -1
        exit.add("\(status)\n".utf8)
        return status
    }

    /// Waits for the end of the program and of its output.
    func finished() async -> Finished {
        let status = await status()
        while await output.next() != nil {}
        while await errors.next() != nil {}
        return Finished(status: status, output: output.all, errors: errors.all)
    }

    /// Writes to standard input and closes it.
    func finishInput(with bytes: [UInt8] = []) {
        send(bytes)
        input.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }

    /// Writes to standard input and leaves it open.
    func send(_ bytes: [UInt8]) {
        input.withLock { descriptor in
            if let descriptor { Self.write(bytes, to: descriptor) }
        }
    }

    /// Writes to a pipe whose reader may have ended: without a SIGPIPE, which would end all tests.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var (pipe, before, none) = (sigset_t(), sigset_t(), timespec())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        if Glibc.write(descriptor, bytes, bytes.count) < 0, errno == EPIPE { sigtimedwait(&pipe, nil, &none) }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Sends a signal, if the program has not ended.
    func signal(_ number: Int32) { life.signal(number) }

    /// Sends a signal and waits for the end of the program.
    @discardableResult
    func end(_ number: Int32 = SIGTERM) async -> Int32 {
        signal(number)
        return await status()
    }

    private static func spawn(
        _ command: [String], _ environment: [String: String], descriptors: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        // Sockets of tests that run at the same time: while a child held one, its other end would not see it close.
        for descriptor in openDescriptors() { posix_spawn_file_actions_addclose(&actions, descriptor) }
        // The threads of this process block signals that the program must receive.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var processID: pid_t = 0
        let code = posix_spawnp(&processID, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw TestError("\(command[0]): \(String(cString: strerror(code)))") }
        return processID
    }

    /// The open descriptors of this process besides the standard ones.
    private static func openDescriptors() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { $0 > STDERR_FILENO }
    }

    private static func copy(_ descriptor: Int32, into log: LineLog, _ group: DispatchGroup) {
        group.enter()
        Thread.detachNewThread {
            defer { group.leave() }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var count = 1
            while count > 0 {
                count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { count = 1 } else { log.add(buffer.prefix(max(0, count))) }
            }
            close(descriptor)
        }
    }
}

/// A pipe that other programs do not inherit.
private struct OneWay {
    let read: Int32
    let write: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TestError("no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (read, write) = (ends[0], ends[1])
    }
}

/// Runs a program and waits for its end.
func run(_ command: [String], environment: [String: String] = [:], input: String = "") async throws -> Finished {
    try await run(command, environment: environment, input: Array(input.utf8))
}

/// Runs a program and waits for its end.
func run(_ command: [String], environment: [String: String] = [:], input: [UInt8]) async throws -> Finished {
    let child = try ChildProcess(command, environment: environment)
    child.finishInput(with: input)
    return await child.finished()
}

/// The exit status and output of a program.
struct Finished: Sendable {
    let status: Int32
    let output: [String]
    let errors: [String]
}

/// The lines that a program writes, which a test can wait for.
final class LineLog: Sendable {
    private struct State {
        var lines: [String] = []
        var cursor = 0
        var partial: [UInt8] = []
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// All lines so far.
    var all: [String] { state.withLock(\.lines) }

    /// Appends bytes; no bytes mean the end.
    func add(_ bytes: some Collection<UInt8>) {
        state.withLock { state in
            if bytes.isEmpty { state.isOver = true }
            state.partial += bytes
            while let newline = state.partial.firstIndex(of: UInt8(ascii: "\n")) {
                state.lines.append(String(decoding: state.partial[..<newline], as: UTF8.self))
                state.partial.removeFirst(newline + 1)
            }
        }
        wake()
    }

    private func wake() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// The next line; nil at the end, or if the task is cancelled.
    func next() async -> String? {
        while true {
            let (line, isOver) = state.withLock { state -> (String?, Bool) in
                guard state.cursor < state.lines.count else { return (nil, state.isOver) }
                defer { state.cursor += 1 }
                return (state.lines[state.cursor], false)
            }
            if line != nil || isOver || Task.isCancelled { return line }
            await withTaskCancellationHandler {
                await change()
            } onCancel: {
                wake()
            }
        }
    }

    /// The next line that contains a text; other lines are skipped. Nil if there is none.
    func next(containing text: String) async -> String? {
        while let line = await next() {
            if line.contains(text) { return line }
        }
        return nil
    }

    private func change() async {
        await withCheckedContinuation { continuation in
            let isStale = state.withLock { state in
                guard !state.isOver, !Task.isCancelled, state.cursor >= state.lines.count else { return true }
                state.waiter = continuation
                return false
            }
            if isStale { continuation.resume() }
        }
    }
}

/// The time in which a number is that of a program: later, the system gives it to another one, which no signal must reach.
private final class ChildLife: Sendable {
    private let processID: pid_t
    private let isReaped = Mutex(false)

    init(_ processID: pid_t) { self.processID = processID }

    func signal(_ number: Int32) {
        isReaped.withLock { if !$0 { kill(processID, number) } }
    }

    /// Returns the status of wait(2).
    func waitForEnd() -> Int32 {
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return isReaped.withLock { isReaped in
            isReaped = true
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }
}
