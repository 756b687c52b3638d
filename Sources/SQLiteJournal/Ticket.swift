import Synchronization
import TapJournal

/// The result of a job on another thread, which one task waits for. The first result counts.
final class Ticket<Value: Sendable, Failure: Error>: Sendable {
    private enum State {
        case isWaiting(CheckedContinuation<Result<Value, Failure>, Never>?)
        case isDone(Result<Value, Failure>)
    }

    private let state = Mutex(State.isWaiting(nil))

    /// Whether there is a result.
    var isDone: Bool {
        state.withLock { if case .isDone = $0 { true } else { false } }
    }

    /// Sets the result; false if there is one already.
    @discardableResult
    func finish(_ result: Result<Value, Failure>) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Result<Value, Failure>, Never>?) in
            guard case .isWaiting(let waiter) = state else { return (false, nil) }
            state = .isDone(result)
            return (true, waiter)
        }
        waiter?.resume(returning: result)
        return isFirst
    }

    /// Waits for the result. Cancelling the task does not end the wait: a deadline does.
    func value() async throws(Failure) -> Value {
        let result = await withCheckedContinuation { continuation in
            let result = state.withLock { state -> Result<Value, Failure>? in
                if case .isDone(let result) = state { return result }
                state = .isWaiting(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
        return try result.get()
    }
}

/// The taps that wait for their commit.
final class AppendQueue: Sendable {
    /// A tap, and the task that waits for it.
    struct Entry: Sendable {
        let tap: TapRecord
        let ticket: Ticket<JournalTap, JournalError>
    }

    /// The most taps that wait: more come only where the disk does not answer.
    static let limit = 1024
    /// The most taps of a commit.
    private static let batch = 256

    private let entries = Mutex<[Entry]>([])

    /// Adds a tap.
    ///
    /// - Returns: whether it is the first one; nil where too many wait.
    func add(_ entry: Entry) -> Bool? {
        entries.withLock { entries in
            guard entries.count < Self.limit else { return nil }
            entries.append(entry)
            return entries.count == 1
        }
    }

    /// Takes the taps for a commit. Those that are not waited for any more stay out of it.
    func take() -> [Entry] {
        entries.withLock { entries in
            entries.removeAll { $0.ticket.isDone }
            defer { entries.removeFirst(min(Self.batch, entries.count)) }
            return Array(entries.prefix(Self.batch))
        }
    }

    /// Removes the taps that are not waited for any more.
    func removeExpired() {
        entries.withLock { $0.removeAll { $0.ticket.isDone } }
    }
}
