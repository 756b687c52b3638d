/// Runs tasks elsewhere, except when a reader's answer makes one go on: then that goes on where the answer came in.
///
/// So whoever asked has the answer without a change of threads. What runs there must not block: it holds up that reader.
public final class AnswerExecutor: TaskExecutor {
    private let other: any TaskExecutor

    /// `other`: where tasks begin, and go on after everything else they waited for.
    public init(elsewhere other: any TaskExecutor) {
        self.other = other
    }

    /// Called by the runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        guard let thread = JobThread.current else { return other.enqueue(job) }
        let job = UnownedJob(job)
        thread.runNext { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
