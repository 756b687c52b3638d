import Dispatch
import FoundationEssentials
import NDEF
import NFCProtocol
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The taps that wait for their command.
struct TapQueue: Sendable {
    /// The most taps that wait: for each, a process will be started.
    private static let limit = 1000

    fileprivate let taps: AsyncStream<BackgroundDidReadTag>
    private let input: AsyncStream<BackgroundDidReadTag>.Continuation

    fileprivate init() {
        (taps, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
    }

    /// Adds a tap; reports one for which there is no room.
    func add(_ tap: BackgroundDidReadTag) {
        guard case .dropped = input.yield(tap) else { return }
        Terminal.error(
            "nfcctl: \(Self.limit) taps wait for their command; it is not run for UID \(TagSummary(tap).uid)")
    }
}

/// The shell command that is run for each tap.
struct TapCommand: Sendable {
    private let command: String
    /// Whether standard output is for lines of JSON alone.
    private let json: Bool

    init(_ command: String, json: Bool) {
        (self.command, self.json) = (command, json)
    }

    /// Runs `body`, and the command for each tap that it adds to the queue, one after another.
    ///
    /// - Throws: what `body` throws.
    static func run(_ command: TapCommand?, _ body: @escaping @Sendable (TapQueue?) async throws -> Void) async throws {
        guard let command else { return try await body(nil) }
        let queue = TapQueue()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await tap in queue.taps { await command.run(for: tap) } }
            defer { group.cancelAll() }
            try await body(queue)
        }
    }

    /// Runs the command to its end, and reports a failure. When the task is cancelled, the command is ended.
    private func run(for tap: BackgroundDidReadTag) async {
        let process: ShellProcess
        switch ShellProcess.start(command, variables: Self.variables(tap), outputToErrors: json) {
        case .success(let started): process = started
        case .failure(let error): return Self.report("cannot be run: \(errorMessage(error.code))", tap)
        }
        guard let status = await process.status() else { return }
        // The macros of waitpid(2).
        let (signal, code) = (status & 0x7F, (status >> 8) & 0xFF)
        if signal != 0 { Self.report("was ended by signal \(signal)", tap) }
        if signal == 0, code != 0 { Self.report("failed with exit status \(code)", tap) }
    }

    private static func report(_ what: String, _ tap: BackgroundDidReadTag) {
        Terminal.error("nfcctl: the command \(what), for UID \(TagSummary(tap).uid)")
    }

    /// The tap as variables of the environment. Each is set for every tap, so that none is inherited.
    private static func variables(_ tap: BackgroundDidReadTag) -> [String: String] {
        let payloads = tap.messages.flatMap(\.records).map(\.decoded)
        let texts = payloads.lazy.compactMap { if case .text(let record) = $0 { record.text } else { nil } }
        let message = try? tap.messages.first.map { try JSONLine.encode($0) }
        return [
            "NFC_UID": tap.tag.identifier.description, "NFC_READER": tap.reader, "NFC_TYPE": tap.tag.type.rawValue,
            "NFC_URI": payloads.lazy.compactMap(\.uri).first ?? "", "NFC_TEXT": texts.first ?? "",
            "NFC_MESSAGE": message.map { String(String(decoding: $0, as: UTF8.self).trimmed) } ?? "null",
        ]
    }
}

extension DecodedPayload {
    /// The URI of the record; nil if it has none.
    fileprivate var uri: String? {
        switch self {
        case .uri(let record): record.uri
        case .smartPoster(let record): record.uri.uri
        case .absoluteURI(let record): record.uri
        default: nil
        }
    }
}

/// A shell command in a process group of its own, so that it can be ended with everything that it has started.
private final class ShellProcess: Sendable {
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
