/// Jobs that are done in their order over a session's connection; until there is one they wait.
final class JobLane: Sendable {
    private let jobs: AsyncStream<SessionEngine.Job>
    private let sink: AsyncStream<SessionEngine.Job>.Continuation

    init() {
        (jobs, sink) = AsyncStream.makeStream()
    }

    func add(_ job: @escaping SessionEngine.Job) {
        sink.yield(job)
    }

    /// Nothing comes any more.
    func close() {
        sink.finish()
    }

    /// Does the jobs until the lane is closed. For one caller.
    func work(_ job: (SessionEngine.Job) async -> Void) async {
        for await next in jobs { await job(next) }
    }
}
