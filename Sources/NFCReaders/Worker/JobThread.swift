import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread that does one job after another until it is told to finish.
final class JobThread: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isFinished = false
    }

    /// What is to be done next on this thread; touched there alone.
    private final class Followers: @unchecked Sendable {
        var jobs: [() -> Void] = []
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private let state = Mutex(State())
    private let followers = Followers()
    private let wakeUp = DispatchSemaphore(value: 0)

    /// The one that runs this; nil on any other thread.
    static var current: JobThread? {
        pthread_getspecific(key).map { Unmanaged<JobThread>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Begins. Where the machine has no thread left nothing is ever done, and every call misses its deadline.
    func start() {
        let box = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { box in
                guard let box else { return nil }
                let thread = Unmanaged<JobThread>.fromOpaque(box).takeRetainedValue()
                pthread_setspecific(JobThread.key, box)
                thread.work()
                pthread_setspecific(JobThread.key, nil)
                return nil
            }, box.toOpaque())
        guard result == 0 else { return box.release() }
        pthread_detach(thread)
    }

    /// Does a job when those before it are done.
    func run(_ job: @escaping Job) {
        let wasEmpty = state.withLock { state in
            state.jobs.append(job)
            return state.jobs.count == 1
        }
        if wasEmpty { wakeUp.signal() }
    }

    /// Does a job right after the one that runs now; to be called on this thread.
    func runNext(_ job: @escaping () -> Void) {
        followers.jobs.append(job)
    }

    /// Ends when all jobs are done.
    func finish() {
        state.withLock { $0.isFinished = true }
        wakeUp.signal()
    }

    private func work() {
        while true {
            let (jobs, isFinished) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isFinished)
            }
            for job in jobs { perform(job) }
            guard jobs.isEmpty else { continue }
            if isFinished { return }
            wakeUp.wait()
        }
    }

    private func perform(_ job: Job) {
        job()
        while !followers.jobs.isEmpty {
            let next = followers.jobs
            followers.jobs.removeAll(keepingCapacity: true)
            for job in next { job() }
        }
    }
}

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
