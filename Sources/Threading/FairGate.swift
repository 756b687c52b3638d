import Synchronization

/// Lets one task at a time use something that serves one at a time. Those who wait take turns by key, as in ``FairQueue``.
package final class FairGate<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var isBusy = false
        var waiting = FairQueue<Key, CheckedContinuation<Void, Never>>()
    }

    private let state = Mutex(State())

    /// A gate that is free.
    package init() {}

    /// How many wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs a function when it is the caller's turn.
    package func run<Value, Failure: Error>(
        for key: Key, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(key)
        defer { leave() }
        return try await body()
    }

    private func enter(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                defer { state.isBusy = true }
                if state.isBusy { state.waiting.append(continuation, for: key) }
                return !state.isBusy
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            state.isBusy = next != nil
            return next
        }
        next?.resume()
    }
}
