import NIOCore
import Synchronization

/// Checks whether the event loop of a server is alive.
package final class EventLoopPulse: Sendable {
    private let loop = Mutex<(any EventLoop)?>(nil)

    init() {}

    /// Sets the loop to check; nil before that loop shuts down.
    func monitor(_ loop: (any EventLoop)?) {
        self.loop.withLock { $0 = loop }
    }

    /// Returns when the loop has run a task; at once if there is no loop.
    package func answers() async {
        let loop = loop.withLock { $0 }
        try? await loop?.submit {}.get()
    }
}

/// Runs tasks on an event loop.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
