import NDEF
import NFCProtocol

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
        let message = try? tap.messages.first.map { try JSONLine.encode($0) }
        return [
            "NFC_UID": tap.tag.identifier.description, "NFC_READER": tap.reader, "NFC_TYPE": tap.tag.type.rawValue,
            "NFC_URI": tap.uri ?? "", "NFC_TEXT": tap.text ?? "",
            "NFC_MESSAGE": message.map { String(String(decoding: $0, as: UTF8.self).trimmed) } ?? "null",
        ]
    }
}
