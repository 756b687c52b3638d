import Foundation
import Synchronization

/// The first outcome that a completion handler is given, handed to a task that waits for it.
///
/// A checked continuation traps when it is resumed twice, and hangs when it never is. Tags written by others, such as
/// test doubles, can do both.
private final class FirstOutcome<Value: Sendable>: Sendable {
    private let waiting: Mutex<CheckedContinuation<Value, any Error>?>

    init(for continuation: CheckedContinuation<Value, any Error>) {
        waiting = Mutex(continuation)
    }

    func give(_ outcome: Result<Value, any Error>) {
        waiting.withLock { $0.take() }?.resume(with: outcome)
    }

    /// A handler that was dropped without a call: the session is over.
    deinit { give(.failure(NFCReaderError(.readerTransceiveErrorSessionInvalidated))) }
}

/// What a completion handler was called with, as a result.
func outcome<Value>(_ value: Value, _ error: (any Error)?) -> Result<Value, any Error> {
    error.map { .failure($0) } ?? .success(value)
}

/// Waits for a completion handler: `start` calls a method and passes the handler on.
///
/// Cancelling the task does not stop the command. A second call of the handler is ignored.
///
/// - Throws: the error that the handler was called with; 103 where it was released without a call.
func awaiting<Value: Sendable>(
    _ start: (@escaping @Sendable (Value, (any Error)?) -> Void) -> Void
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let first = FirstOutcome(for: continuation)
        start { value, error in first.give(outcome(value, error)) }
    }
}
