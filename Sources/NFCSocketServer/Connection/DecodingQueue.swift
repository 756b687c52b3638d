import NIOPosix
import Synchronization
import Threading

/// Decodes long lines on a thread of its own, one after another: neither the event loop nor the task pool waits for them, and only
/// one at a time takes memory.
///
/// The users whose clients wait take turns, one line each. A line waits for lines of the same user that arrived earlier only as far as
/// these are not longer: the user's next one is that whose arrival, counted in bytes decoded by then, plus its own length is least.
final class DecodingQueue: Sendable {
    private struct State {
        var isBusy = false
        var progress = 0
        /// The users whose turn it is next, once for each line that waits.
        var users = FairQueue<UInt32, Void>()
        var waiting: [UInt32: [(rank: Int, continuation: CheckedContinuation<Void, Never>)]] = [:]
    }

    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let state = Mutex(State())

    /// How many lines wait.
    var waitingCount: Int { state.withLock { $0.users.count } }

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
    ///   - user: the user whose turn it is.
    /// - Throws: if the thread has ended.
    func run<Value: Sendable>(
        _ length: Int, for user: UInt32, _ body: @escaping @Sendable () -> Value
    ) async throws -> Value {
        await turn(length, user)
        defer { end() }
        return try await thread.runIfActive(body)
    }

    private func turn(_ length: Int, _ user: UInt32) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                defer { state.isBusy = true }
                if state.isBusy {
                    state.users.append((), for: user)
                    state.waiting[user, default: []].append((state.progress + length, continuation))
                }
                return !state.isBusy
            }
            if isFree { continuation.resume() }
        }
    }

    private func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let user = state.users.popFirstEntry()?.key, var lines = state.waiting.removeValue(forKey: user),
                let index = lines.indices.min(by: { lines[$0].rank < lines[$1].rank })
            else {
                state.isBusy = false
                return nil
            }
            let next = lines.remove(at: index)
            if !lines.isEmpty { state.waiting[user] = lines }
            state.progress = max(state.progress, next.rank)
            return next.continuation
        }
        next?.resume()
    }
}
