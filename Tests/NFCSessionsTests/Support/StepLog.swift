import Synchronization

/// Keeps the steps that were told.
final class StepLog: Sendable {
    private let steps = Mutex<[(done: Int, total: Int)]>([])

    var all: [(done: Int, total: Int)] { steps.withLock { $0 } }

    func add(_ done: Int, _ total: Int) {
        steps.withLock { $0.append((done, total)) }
    }
}
