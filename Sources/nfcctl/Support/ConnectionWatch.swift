import FoundationEssentials
import NFCClient
import NFCProtocol
import Synchronization
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The watch over what a command waits for: whether nfcd still answers, and whether the program was asked to end.
///
/// A command that handles SIGINT, SIGTERM and SIGHUP ends its session first. What it waits for then may never come: a daemon that hangs, a
/// connection that is not accepted. So the program dies of the signal unless it ends soon. Only a change of a tag is waited for, and no
/// longer than nfcd lets one take.
final class ConnectionWatch: Sendable {
    private struct State {
        var client: NFCClient?
        var changes = 0
        /// What a person has to know if the program ends during the change.
        var note: (@Sendable () -> String)?
        var isArmed = false
    }

    static let shared = ConnectionWatch()

    /// How long a command has to end by itself, and nfcd for an answer in that time.
    private static let patience = NFCClient.answerLimit / 10
    /// How long a command has where nfcd answers.
    private static let patienceWithAnswer = NFCClient.answerLimit / 5
    /// How long nfcd lets a change of a tag take whose client has left.
    private static let changeLimit = 30

    private let state = Mutex(State())
    private let armed: AsyncStream<UnixSignalsSequence>
    private let arming: AsyncStream<UnixSignalsSequence>.Continuation

    private init() {
        (armed, arming) = AsyncStream.makeStream()
    }

    // MARK: The connection

    /// Runs `body` with a connection, and asks nfcd from time to time whether it still answers.
    ///
    /// - Throws: why the daemon is taken for one that hangs; otherwise what `body` throws.
    func run<Value>(over client: NFCClient, _ body: (NFCClient) async throws -> Value) async throws -> Value {
        state.withLock { $0.client = client }
        defer { state.withLock { $0.client = nil } }
        return try await withTaskGroup(of: NFCClientError?.self) { group in
            group.addTask { await Self.failure(of: client) }
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(client))
            } catch {
                result = .failure(error)
            }
            group.cancelAll()
            if let failure = await group.next() ?? nil { return Result<Value, any Error>.failure(failure) }
            return result
        }.get()
    }

    /// Waits until nfcd does not answer, or until the task is cancelled.
    private static func failure(of client: NFCClient) async -> NFCClientError? {
        while (try? await Task.sleep(for: NFCClient.answerLimit)) != nil {
            do {
                _ = try await client.call(ServerInfo.self)
            } catch NFCClientError.connectionFailed(let path, let reason) {
                // It has closed the connection, so that what waits ends.
                return .connectionFailed(path: path, reason: reason)
            } catch {
                return nil
            }
        }
        return nil
    }

    // MARK: Changes of a tag

    /// Runs `body`, which may change a tag: a signal lets it end.
    func changingTag<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        state.withLock { $0.changes += 1 }
        defer { state.withLock { $0.changes -= 1 } }
        return try await body()
    }

    /// Runs `body`, which may change a tag in many steps: a signal lets it end, and a second one ends the program with a note.
    ///
    /// - Parameter note: what became of the tag and what to do, in sentences.
    func changingTag<Value>(
        ifEnded note: @escaping @Sendable () -> String, _ body: () async throws -> Value
    ) async rethrows -> Value {
        state.withLock { $0.note = note }
        defer { state.withLock { $0.note = nil } }
        return try await changingTag(body)
    }

    private var isChangingTag: Bool { state.withLock { $0.changes > 0 } }

    // MARK: Signals

    /// Runs a command, and ends the program when it does not end soon after SIGINT, SIGTERM or SIGHUP.
    func guarding<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in await observe() }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Begins to observe the signals: from now on the program does not die of them at once.
    func arm() async {
        let isFirst = state.withLock { state in
            defer { state.isArmed = true }
            return !state.isArmed
        }
        if isFirst { arming.yield(await UnixSignalsSequence(trapping: Interruption.endingSignals)) }
    }

    private func observe() async {
        guard let signals = await armed.first(where: { _ in true }) else { return }
        let (received, input) = AsyncStream.makeStream(of: UnixSignal.self)
        await withTaskGroup(of: Void.self) { group in
            // A sequence of signals has only one iterator.
            group.addTask {
                // A second SIGHUP is not a second request: for one terminal, the shell and the kernel may each send one.
                var hasHungUp = false
                for await signal in signals where signal != .sighup || !hasHungUp {
                    if signal == .sighup { hasHungUp = true }
                    input.yield(signal)
                }
            }
            defer { group.cancelAll() }
            guard let signal = await received.first(where: { _ in true }) else { return }
            await untilExpired(or: received)
            // Otherwise the command has ended.
            guard !Task.isCancelled else { return }
            if let note = state.withLock(\.note) { Terminal.error("nfcctl: \(note())") }
            Self.end(signal == .sigterm ? SIGTERM : signal == .sighup ? SIGHUP : SIGINT)
        }
    }

    /// Returns when the program should have ended, or with the next signal.
    private func untilExpired(or received: AsyncStream<UnixSignal>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in await expire() }
            group.addTask { _ = await received.first { _ in true } }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns when the program should have ended.
    private func expire() async {
        if isChangingTag {
            Terminal.error(
                "nfcctl: the tag is being changed; nfcctl waits for the end of that, up to \(Self.changeLimit) s. Press Ctrl-C again to "
                    + "end it now.")
            let end = ContinuousClock.now + .seconds(Self.changeLimit)
            while isChangingTag, ContinuousClock.now < end {
                guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { return }
            }
        }
        let client = state.withLock(\.client)
        let isAnswered = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return false
            }
            group.addTask {
                if let client, (try? await client.call(ServerInfo.self)) != nil { return true }
                // A connection that was closed fails at once: the command may be about to end.
                try? await Task.sleep(for: Self.patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if isAnswered { try? await Task.sleep(for: Self.patienceWithAnswer) }
    }

    private static func end(_ signal: Int32) {
        // Not exit(3): what runs at the exit may wait as well.
        #if canImport(Glibc)
            _ = Glibc.signal(signal, SIG_DFL)
        #else
            _ = Musl.signal(signal, SIG_DFL)
        #endif
        allowSignals()
        kill(getpid(), signal)
    }

    /// Lets SIGINT, SIGTERM and SIGHUP reach this thread: a program that starts nfcctl may have blocked them, and a new program keeps that.
    private static func allowSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGHUP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}

extension NFCClient {
    /// How long nfcd or nfcd-relay may take for an answer that no tag is needed for: 10 s, or the seconds of
    /// `NFCD_ANSWER_LIMIT`, which is for tests.
    static let answerLimit: Duration = {
        let seconds = ProcessInfo.processInfo.environment["NFCD_ANSWER_LIMIT"].flatMap(Int.init) ?? 10
        return .seconds(min(max(seconds, 1), 600))
    }()

    /// Connects to a daemon for as long as `body` runs. Its answers have a limit, and an interrupted program waits for none.
    ///
    /// - Throws: `NFCClientError` if there is no connection, or no answer in time; otherwise what `body` throws.
    static func answering<Value>(
        at path: String, _ body: (NFCClient) async throws -> Value
    ) async throws -> Value {
        try await connect(to: path, answersWithin: answerLimit).closing(after: { client in
            try await ConnectionWatch.shared.run(over: client, body)
        })
    }
}
