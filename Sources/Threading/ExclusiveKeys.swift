import Synchronization

/// Lets one task of each key at a time in; those of a key keep their order, and different keys do not wait for each other.
package final class ExclusiveKeys<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// Those who wait, by the keys that are in use.
        var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())

    /// No key is in use.
    package init() {}

    /// How many wait for a key.
    package func waitingCount(for key: Key) -> Int { state.withLock { $0.waiting[key]?.count ?? 0 } }

    /// Runs a function when no other one of the key runs.
    package func run<Value, Failure: Error>(
        for key: Key, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(key)
        defer { leave(key) }
        return try await body()
    }

    private func enter(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.waiting[key] == nil else {
                    state.waiting[key]?.append(continuation)
                    return false
                }
                state.waiting[key] = []
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ key: Key) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let first = state.waiting[key]?.first else {
                state.waiting[key] = nil
                return nil
            }
            state.waiting[key]?.removeFirst()
            return first
        }
        next?.resume()
    }
}
