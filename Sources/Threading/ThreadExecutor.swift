import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A serial executor with its own OS thread, for an actor whose calls block.
///
/// The cooperative pool has one thread for each core: one blocked call there delays everything else. See Docs/runtime.md.
package final class ThreadExecutor: SerialExecutor {
    private let thread = JobThread()

    package init() {
        thread.start()
    }

    deinit {
        thread.finish()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs a function that is not part of a task, after everything enqueued before it.
    package func run(_ body: @escaping @Sendable () -> Void) {
        thread.run(body)
    }

    package func checkIsolated() {
        precondition(thread.isCurrent, "not on the thread of this executor")
    }
}

/// A thread that runs one job after another until it is finished.
final class JobThread: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isFinished = false
        /// The running thread; nil before it runs its first job.
        var identity: pthread_t?
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Whether the caller runs on this thread.
    var isCurrent: Bool {
        state.withLock { $0.identity.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Starts the thread. If the system has no thread left, no job ever runs, and every call misses its deadline.
    func start() {
        DetachedThread.run {
            self.work()
        } orFail: { _ in
        }
    }

    /// Runs a job when those before it are done.
    func run(_ job: @escaping Job) {
        let wasEmpty = state.withLock { state in
            state.jobs.append(job)
            return state.jobs.count == 1
        }
        if wasEmpty { wakeUp.signal() }
    }

    /// Ends the thread when all jobs are done.
    func finish() {
        state.withLock { $0.isFinished = true }
        wakeUp.signal()
    }

    private func work() {
        state.withLock { $0.identity = pthread_self() }
        while true {
            let (jobs, isFinished) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isFinished)
            }
            for job in jobs { job() }
            guard jobs.isEmpty else { continue }
            if isFinished { return state.withLock { $0.identity = nil } }
            wakeUp.wait()
        }
    }
}

/// A separate thread for a function that blocks.
package enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts a thread.
    ///
    /// - Parameter orFail: is called with the error code where the system has no thread left.
    package static func run(_ body: @escaping @Sendable () -> Void, orFail: (CInt) -> Void) {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { box in
                guard let box else { return nil }
                Unmanaged<Body>.fromOpaque(box).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            return orFail(code)
        }
        pthread_detach(thread)
    }
}
