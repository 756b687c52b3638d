import Synchronization

/// Asks a part of a program to end in order. It is given once, and stays given.
package final class StopSignal: Sendable {
    private struct State {
        var isGiven = false
        var lastAction = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Gives the signal.
    package func give() {
        let actions = state.withLock { state in
            state.isGiven = true
            defer { state.actions = [:] }
            return state.actions.values
        }
        for action in actions { action() }
    }

    /// Runs a function, and calls another as soon as the signal is given meanwhile, or at once if it was given before.
    package func calling<Value, Failure: Error>(
        _ action: @escaping @Sendable () -> Void, while body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let number = state.withLock { state -> Int? in
            guard !state.isGiven else { return nil }
            state.lastAction += 1
            state.actions[state.lastAction] = action
            return state.lastAction
        }
        if number == nil { action() }
        defer { number.map { number in state.withLock { $0.actions[number] = nil } } }
        return try await body()
    }

    /// Runs a function, and cancels it when the signal is given.
    package func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async rethrows -> Value {
        let (given, give) = AsyncStream<Never>.makeStream()
        return try await calling({ give.finish() }) {
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    for await _ in given {}
                    return nil
                }
                defer { group.cancelAll() }
                while true {
                    if let value = try await group.next() ?? nil { return value }
                    group.cancelAll()
                }
            }
        }
    }

    /// Waits for the signal, or until the task is cancelled.
    package func wait() async {
        await cancelling { await Task.untilCancelled() }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Waits until the current task is cancelled.
    package static func untilCancelled() async {
        let (nothing, _) = AsyncStream<Never>.makeStream()
        for await _ in nothing {}
    }
}
