import Dispatch
import Synchronization
import Threading

/// The thread on which a token is used, with a limit for each call: a library that hangs keeps its own thread, and a caller only until the
/// limit. After that, callers are refused at once until the library answers.
final class TokenThread: Sendable {
    private let thread = ThreadExecutor()
    /// The calls whose callers have left.
    private let overdue = OverdueCalls()

    /// Runs a function after those before it.
    ///
    /// - Throws: what the function throws, or an error when the limit has passed.
    func run<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () throws(TokenError) -> Value
    ) throws(TokenError) -> Value {
        guard overdue.isEmpty else { throw Self.silence }
        let call = TokenCall<Value>(overdue)
        thread.run { call.run(body) }
        guard let result = call.result(within: limit) else { throw Self.silence }
        return try result.get()
    }

    private static let silence = TokenError(
        "the token does not answer; if it was removed, insert it again, and restart nfcd if this stays so")
}

/// Counts the calls whose callers have left before they ended.
private final class OverdueCalls: Sendable {
    private let count = Mutex(0)

    var isEmpty: Bool { count.withLock { $0 == 0 } }

    func add(_ number: Int) { count.withLock { $0 += number } }
}

/// One call: its result, or that its caller has left.
private final class TokenCall<Value: Sendable>: Sendable {
    private enum Phase: Sendable {
        case waiting
        case done(Result<Value, TokenError>)
        case abandoned
    }

    private let phase = Mutex(Phase.waiting)
    private let isDone = DispatchSemaphore(value: 0)
    private let overdue: OverdueCalls

    init(_ overdue: OverdueCalls) { self.overdue = overdue }

    /// Runs on the thread of the token. A call that was abandoned before is not made.
    func run(_ body: () throws(TokenError) -> Value) {
        let isWanted = phase.withLock { if case .waiting = $0 { true } else { false } }
        guard isWanted else { return overdue.add(-1) }
        let result: Result<Value, TokenError>
        do throws(TokenError) { result = .success(try body()) } catch { result = .failure(error) }
        phase.withLock { phase in
            if case .abandoned = phase { return overdue.add(-1) }
            phase = .done(result)
        }
        isDone.signal()
    }

    /// Waits; nil when the limit has passed.
    func result(within limit: Duration) -> Result<Value, TokenError>? {
        let milliseconds = limit.components.seconds * 1000 + limit.components.attoseconds / 1_000_000_000_000_000
        _ = isDone.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
        return phase.withLock { phase in
            if case .done(let result) = phase { return result }
            phase = .abandoned
            overdue.add(1)
            return nil
        }
    }
}
