import UnixSignals

/// SIGINT (Ctrl-C) and SIGTERM, handled from the creation of the value on.
///
/// A session that has been requested is ended by Ctrl-C, not abandoned. So a command creates this value before it begins a
/// session.
struct Interruption: Sendable {
    private let signals: UnixSignalsSequence

    init() async {
        signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    }

    /// Runs an operation, and cancels it when a signal arrives or the time limit is reached.
    ///
    /// - Returns: the result of the operation; nil if it was cancelled.
    func cancelling<Value: Sendable>(
        after limit: Duration? = nil, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            if let limit {
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Runs an operation to its end, and calls `handler` for each signal in the meantime.
    func handling<Value: Sendable>(
        with handler: @escaping @Sendable () async -> Void, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { await handler() } }
            defer { group.cancelAll() }
            return try await operation()
        }
    }
}
