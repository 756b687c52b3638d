import Synchronization

/// Runs `operation`, but waits for it no longer than `limit`: then nil, and the operation is left to itself.
///
/// A blocking C call cannot be interrupted, so structured concurrency would wait for it for ever; here the waiting ends
/// and `late` is called when the operation returns after all.
func withDeadline<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>, late: @escaping @Sendable () -> Void = {},
    _ operation: @escaping @Sendable () async -> Value
) async -> Value? {
    await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
        let first = FirstResult(continuation)
        let timer = Task {
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            _ = first.resume(returning: nil)
        }
        Task {
            let value = await operation()
            timer.cancel()
            if !first.resume(returning: value) { late() }
        }
    }
}

/// A continuation that two parties want to resume; the first one does.
final class FirstResult<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) {
        self.continuation = Mutex(continuation)
    }

    /// True if this was the first.
    func resume(returning value: sending Value?) -> Bool {
        let waiting = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        waiting?.resume(returning: value)
        return waiting != nil
    }
}
