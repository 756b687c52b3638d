import Synchronization
import Threading

/// The thread on which a token is used, with a limit for each call: a library that hangs keeps its own thread, and a caller only until the
/// limit. After that, callers are refused at once until the library answers.
///
/// Callers wait without a thread: what their actors and the cooperative pool do besides is not delayed.
final class TokenThread: Sendable {
    private let thread = ThreadExecutor()
    private let clock: any Clock<Duration>
    /// The calls whose limit has passed.
    private let overdue = OverdueCalls()

    /// - Parameter clock: the clock of the limits.
    init(clock: any Clock<Duration>) { self.clock = clock }

    /// Runs a function after those before it. It is not run if its caller has left before it begins.
    ///
    /// - Throws: what the function throws, or an error when the limit has passed or the task is cancelled.
    func run<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () throws(TokenError) -> Value
    ) async throws(TokenError) -> Value {
        guard overdue.isEmpty else { throw .silence }
        let call = TokenCall<Value>(overdue)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                guard call.begin(caller) else { return }
                call.end(by: end(of: call, after: limit))
                thread.run { call.run(body) }
            }
        } onCancel: {
            call.cancel()
        }
        return try result.get()
    }

    /// A task that ends the wait of a caller.
    private func end<Value>(of call: TokenCall<Value>, after limit: Duration) -> Task<Void, Never> {
        Task { [clock] in
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            call.miss()
        }
    }
}

/// Counts the calls that have missed their limit and have not ended.
private final class OverdueCalls: Sendable {
    private let count = Mutex(0)

    var isEmpty: Bool { count.withLock { $0 == 0 } }

    func add(_ number: Int) { count.withLock { $0 += number } }
}

/// One call, which the thread of the token ends, and for which its caller waits until the limit or its own cancellation.
private final class TokenCall<Value: Sendable>: Sendable {
    typealias Caller = CheckedContinuation<Result<Value, TokenError>, Never>

    private struct State: Sendable {
        /// Nil before it waits, and when it has its result or has left.
        var caller: Caller?
        var limit: Task<Void, Never>?
        var isCancelled = false
        var isOverdue = false
        var hasEnded = false

        mutating func takeCaller() -> Caller? {
            defer { caller = nil }
            return caller
        }
    }

    private let state = Mutex(State())
    private let overdue: OverdueCalls

    init(_ overdue: OverdueCalls) { self.overdue = overdue }

    /// Lets the caller wait.
    ///
    /// - Returns: false if it was cancelled before, and has its result.
    func begin(_ caller: Caller) -> Bool {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.caller = caller }
            return state.isCancelled
        }
        if isCancelled { caller.resume(returning: .failure(.cancellation)) }
        return !isCancelled
    }

    /// Keeps the task that ends the wait, until the call ends.
    func end(by limit: Task<Void, Never>) { state.withLock { $0.limit = limit } }

    /// Runs on the thread of the token.
    func run(_ body: () throws(TokenError) -> Value) {
        guard state.withLock({ $0.caller != nil }) else { return end(with: nil) }
        do throws(TokenError) { end(with: .success(try body())) } catch { end(with: .failure(error)) }
    }

    /// - Parameter result: nil if the call was not made, since its caller had left.
    private func end(with result: Result<Value, TokenError>?) {
        let (caller, limit) = state.withLock { state in
            state.hasEnded = true
            if state.isOverdue { overdue.add(-1) }
            return (state.takeCaller(), state.limit.take())
        }
        limit?.cancel()
        if let result { caller?.resume(returning: result) }
    }

    /// The limit has passed.
    func miss() {
        let caller = state.withLock { state -> Caller? in
            guard !state.hasEnded else { return nil }
            state.isOverdue = true
            state.limit = nil
            overdue.add(1)
            return state.takeCaller()
        }
        caller?.resume(returning: .failure(.silence))
    }

    /// The task of the caller is cancelled. The call is overdue only when its limit has passed as well.
    func cancel() {
        let caller = state.withLock { state in
            state.isCancelled = true
            return state.takeCaller()
        }
        caller?.resume(returning: .failure(.cancellation))
    }
}

extension TokenError {
    /// The limit of a call has passed.
    static let silence = TokenError(
        "the token does not answer; if it was removed, insert it again, and restart nfcd if this stays so",
        isTemporary: true)
    /// The task of the caller was cancelled.
    static let cancellation = TokenError("the key is no longer needed", isTemporary: true)
}
