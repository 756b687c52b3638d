import Synchronization

/// Lets one task of each key at a time in. The members of a key take turns, as in ``FairQueue``, and different keys do not wait for each
/// other.
package final class ExclusiveKeys<Key: Hashable & Sendable, Member: Hashable & Sendable>: Sendable {
    private struct State {
        /// Those who wait, by the keys that are in use.
        var waiting: [Key: FairQueue<Member, CheckedContinuation<Void, Never>>] = [:]
    }

    private let state = Mutex(State())

    /// No key is in use.
    package init() {}

    /// How many wait for a key.
    package func waitingCount(for key: Key) -> Int { state.withLock { $0.waiting[key]?.count ?? 0 } }

    /// Runs a function when no other one of the key runs.
    package func run<Value, Failure: Error>(
        for key: Key, _ member: Member, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(key, member)
        defer { leave(key) }
        return try await body()
    }

    private func enter(_ key: Key, _ member: Member) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.waiting[key] == nil else {
                    state.waiting[key]?.append(continuation, for: member)
                    return false
                }
                state.waiting[key] = FairQueue()
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ key: Key) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            let next = state.waiting[key]?.popFirst()
            if next == nil { state.waiting[key] = nil }
            return next
        }
        next?.resume()
    }
}
