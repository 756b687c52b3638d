import NIOPosix
import Synchronization

/// Decodes long lines on a thread of its own, one after another: neither the event loop nor the task pool waits for them, and only
/// one at a time takes memory.
///
/// A line waits for lines that arrived earlier only as far as these are not longer: the next one is that whose arrival, counted in
/// bytes decoded by then, plus its own length is least.
final class DecodingQueue: Sendable {
    private struct State {
        var isBusy = false
        var progress = 0
        var waiting: [(rank: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let state = Mutex(State())

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
    /// - Parameter length: the length of the line that it decodes.
    /// - Throws: if the thread has ended.
    func run<Value: Sendable>(_ length: Int, _ body: @escaping @Sendable () -> Value) async throws -> Value {
        await turn(length)
        defer { end() }
        return try await thread.runIfActive(body)
    }

    private func turn(_ length: Int) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                defer { state.isBusy = true }
                if state.isBusy { state.waiting.append((state.progress + length, continuation)) }
                return !state.isBusy
            }
            if isFree { continuation.resume() }
        }
    }

    private func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let index = state.waiting.indices.min(by: { state.waiting[$0].rank < state.waiting[$1].rank }) else {
                state.isBusy = false
                return nil
            }
            let next = state.waiting.remove(at: index)
            state.progress = next.rank
            return next.continuation
        }
        next?.resume()
    }
}
