/// A serial executor with an OS thread of its own, for an actor whose calls block.
///
/// The cooperative pool has a thread per core: one blocked call there delays everything else. A queue of libdispatch would
/// do, but a thread of its pool takes longer to wake, and is another one each time.
final class ThreadExecutor: SerialExecutor {
    private let thread = JobThread()

    init() {
        thread.start()
    }

    deinit {
        thread.finish()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs something that is no task, in its turn.
    func run(_ body: @escaping @Sendable () -> Void) {
        thread.run(body)
    }

    func checkIsolated() {
        precondition(JobThread.current === thread, "not on the reader's thread")
    }
}
