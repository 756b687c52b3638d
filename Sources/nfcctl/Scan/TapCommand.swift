import CommandSupport
import NDEF
import NFCProtocol

/// The commands that wait for their turn, in the order of taps and removals.
struct TapQueue: Sendable {
    /// The most commands that wait: for each, a process will be started.
    private static let limit = 1000

    private let forTap: String?
    private let forRemoval: String?
    private let commands: AsyncStream<TapCommand>
    private let input: AsyncStream<TapCommand>.Continuation

    private init(forTap: String?, forRemoval: String?) {
        (self.forTap, self.forRemoval) = (forTap, forRemoval)
        (commands, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
    }

    /// Runs `body`, and the commands for the taps and removals that it adds to the queue, one after another. What they leave in the
    /// background ends with `body`.
    ///
    /// - Parameters:
    ///   - tap: the shell command for each tap; nil: none.
    ///   - removal: the shell command for each removal; nil: none.
    ///   - json: whether standard output is for lines of JSON alone.
    /// - Throws: what `body` throws.
    static func run(
        tap: String?, removal: String?, json: Bool, _ body: @escaping @Sendable (TapQueue) async throws -> Void
    ) async throws {
        let queue = TapQueue(forTap: tap, forRemoval: removal)
        let processes = ShellProcesses(background: .stays)
        defer { processes.end() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await command in queue.commands { await command.run(in: processes, outputToErrors: json) }
            }
            defer { group.cancelAll() }
            try await body(queue)
        }
    }

    /// Adds the command for a tap, if there is one.
    func add(_ tap: BackgroundDidReadTag) {
        if let forTap { add(TapCommand(forTap, for: tap)) }
    }

    /// Adds the command for a removal, if there is one.
    func add(_ removal: BackgroundTagRemoved) {
        if let forRemoval { add(TapCommand(forRemoval, for: removal)) }
    }

    /// Adds a command; reports one for which there is no room.
    private func add(_ command: TapCommand) {
        guard case .dropped = input.yield(command) else { return }
        Terminal.error("nfcctl: \(Self.limit) commands are waiting; the one for UID \(command.uid) is not run")
    }
}

/// A shell command for one tap or one removal.
private struct TapCommand: Sendable {
    private let command: String
    /// What happened, as variables of the environment. Each is set every time, so that none is inherited.
    private let variables: [String: String]
    /// The tag, for messages.
    let uid: String

    init(_ command: String, for tap: BackgroundDidReadTag) {
        self.command = command
        let message = try? tap.messages.first.map { try JSONLine.encode($0) }
        uid = TagSummary(tap).uid
        variables = Self.variables("tap", tap.tag, on: tap.reader).merging([
            "NFC_URI": tap.uri ?? "", "NFC_TEXT": tap.text ?? "",
            "NFC_MESSAGE": message.map { String(String(decoding: $0, as: UTF8.self).trimmed) } ?? "null",
        ]) { $1 }.merging(ProofVariables(tap.proof, prefix: "NFC_").values) { $1 }
    }

    init(_ command: String, for removal: BackgroundTagRemoved) {
        self.command = command
        uid = TagSummary(removal).uid
        variables = Self.variables("removed", removal.tag, on: removal.reader)
    }

    /// The variables of a tag without a message.
    private static func variables(
        _ event: String, _ tag: BackgroundDidReadTag.Tag, on reader: String
    ) -> [String: String] {
        [
            "NFC_EVENT": event, "NFC_UID": tag.identifier.description, "NFC_READER": reader,
            "NFC_TYPE": tag.type.rawValue, "NFC_URI": "", "NFC_TEXT": "", "NFC_MESSAGE": "null",
        ].merging(ProofVariables(nil, prefix: "NFC_").values) { $1 }
    }

    /// Runs the command to its end, and reports a failure. When the task is cancelled, the command is ended.
    func run(in processes: ShellProcesses, outputToErrors: Bool) async {
        let status: Int32
        do throws(KeptProgram.StartError) {
            let end = try await processes.run(command, variables: variables, outputToErrors: outputToErrors)
            guard let end else { return }
            status = end
        } catch {
            return report("cannot be run: \(errorMessage(error.code))")
        }
        // The macros of waitpid(2).
        let (signal, code) = (status & 0x7F, (status >> 8) & 0xFF)
        if signal != 0 { report("was ended by signal \(signal)") }
        if signal == 0, code != 0 { report("failed with exit status \(code)") }
    }

    private func report(_ what: String) {
        Terminal.error("nfcctl: the command \(what), for UID \(uid)")
    }
}
