import Dispatch

/// A serial executor with an OS thread of its own, for an actor whose calls block.
///
/// The cooperative pool has a thread per core: one blocked call there delays everything else.
final class ThreadExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// The label shows in a debugger.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs something that is no task, in its turn.
    func run(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
