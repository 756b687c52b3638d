import Dispatch
import Synchronization

/// An executor whose jobs can be held back, to choose the order of things that race.
final class HeldExecutor: SerialExecutor {
    private struct State {
        var isHolding = false
        var jobs: [UnownedJob] = []
    }

    private let queue = DispatchQueue(label: "held")
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isHeld = state.withLock { state in
            if state.isHolding { state.jobs.append(job) }
            return state.isHolding
        }
        if isHeld { arrived.yield() } else { run(job) }
    }

    /// From now on jobs are kept.
    func hold() {
        state.withLock { $0.isHolding = true }
    }

    /// Returns when a job was kept.
    func held() async {
        _ = await arrivals.first { _ in true }
    }

    /// Runs what was kept and all that follows.
    func letGo() {
        let jobs = state.withLock { state in
            defer { state = State() }
            return state.jobs
        }
        jobs.forEach(run)
    }

    private func run(_ job: UnownedJob) {
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
