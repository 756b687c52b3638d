import LocalSocket
import NFCServer
import NFCTypes
import NIOPosix
import Synchronization
import Threading

/// Decodes long lines on its own thread, one after another: neither the event loop nor the task pool waits for them, and only
/// one at a time takes memory.
///
/// The users whose clients wait take turns, one line each, and the processes of a user among each other. A line waits for lines of the same
/// process that arrived earlier only as far as these are not longer: the process's next one is that whose arrival, counted in bytes decoded
/// by then, plus its own length is least.
final class DecodingQueue: Sendable {
    /// A process of a user.
    private struct Process: Hashable {
        let user: ClientAccount
        let number: Int32
    }

    private struct State {
        var isBusy = false
        var progress = 0
        /// The processes whose turn it is next, once for each line that waits.
        var turns = FairGroupQueue<ClientAccount, Int32, Void>()
        var waiting: [Process: [(rank: Int, continuation: CheckedContinuation<Void, Never>)]] = [:]
    }

    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let state = Mutex(State())

    /// How many lines wait.
    var waitingCount: Int { state.withLock { $0.turns.count } }

    /// Starts the thread.
    func start() {
        thread.start()
    }

    /// Ends the thread.
    func stop() async {
        try? await thread.shutdownGracefully()
    }

    /// Runs a function of another kind when the thread is free.
    func submit(_ body: @escaping @Sendable () -> Void) {
        thread.submit { state in if case .active = state { body() } }
    }

    /// Runs a function in turn.
    ///
    /// - Parameters:
    ///   - length: the length of the line that it decodes.
    ///   - client: the client whose turn it is.
    /// - Throws: if the thread has ended.
    func run<Value: Sendable>(
        _ length: Int, for client: PeerCredentials, _ body: @escaping @Sendable () -> Value
    ) async throws -> Value {
        await turn(length, Process(user: client.account, number: client.processID))
        defer { end() }
        return try await thread.runIfActive(body)
    }

    private func turn(_ length: Int, _ process: Process) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                defer { state.isBusy = true }
                if state.isBusy {
                    state.turns.append((), for: process.user, process.number)
                    state.waiting[process, default: []].append((state.progress + length, continuation))
                }
                return !state.isBusy
            }
            if isFree { continuation.resume() }
        }
    }

    private func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let turn = state.turns.popFirstEntry(),
                case let process = Process(user: turn.group, number: turn.member),
                var lines = state.waiting.removeValue(forKey: process),
                let index = lines.indices.min(by: { lines[$0].rank < lines[$1].rank })
            else {
                state.isBusy = false
                return nil
            }
            let next = lines.remove(at: index)
            if !lines.isEmpty { state.waiting[process] = lines }
            state.progress = max(state.progress, next.rank)
            return next.continuation
        }
        next?.resume()
    }
}
