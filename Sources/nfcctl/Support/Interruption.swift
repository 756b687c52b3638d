import Synchronization
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// SIGINT (Ctrl-C), SIGTERM and SIGHUP (a terminal that was closed), handled from the creation of the value on.
///
/// A session that has been requested is ended by Ctrl-C, not abandoned. So a command creates this value before it begins a
/// session.
struct Interruption: Sendable {
    private let signals: UnixSignalsSequence

    /// The signals that ask a command to end. SIGHUP stays ignored under nohup(1); it is looked up once, because a handled signal
    /// looks ignored.
    static let endingSignals: [UnixSignal] = {
        let before = signal(SIGHUP, SIG_IGN)
        _ = signal(SIGHUP, before)
        let isIgnored = unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        return [.sigint, .sigterm] + (isIgnored ? [] : [.sighup])
    }()

    init() async {
        signals = await UnixSignalsSequence(trapping: Self.endingSignals)
        await ConnectionWatch.shared.arm()
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

    /// Waits for a signal.
    func wait() async {
        for await _ in signals { return }
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

/// The request of a person to stop at the next point where nothing is left half done.
final class StopRequest: Sendable {
    private struct State {
        var isRequested = false
        var waiter: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    /// Whether ``request()`` was called.
    var isRequested: Bool { state.withLock(\.isRequested) }

    /// Ends what waits now, and everything that waits later at once.
    func request() {
        state.withLock { state in
            state.isRequested = true
            state.waiter?.finish()
        }
    }

    /// Waits for the result of an operation, or for a request. Only one task at a time may call it.
    ///
    /// - Returns: nil after a request; the operation was cancelled.
    func unlessRequested<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let (requests, waiter) = AsyncStream<Void>.makeStream()
        state.withLock { state in
            state.waiter = waiter
            if state.isRequested { waiter.finish() }
        }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                for await _ in requests {}
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
