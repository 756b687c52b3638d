import CExecutor
import Dispatch
import Synchronization

/// Where nfcd's tasks run: a few serial queues, in place of libdispatch's global pool.
///
/// On Linux libdispatch looks after its global pool once a second, for ever, as soon as one job has run there: 60
/// wake-ups a minute of a daemon that has nothing to do. Serial queues have threads of their own and no such care.
enum GlobalExecutor {
    private static let queues = (0..<4).map { DispatchQueue(label: "nfcd.tasks.\($0)") }
    private static let turn = Atomic<Int>(0)

    /// Takes over from libdispatch; before the first task.
    static func install() {
        cexecutor_install { job in GlobalExecutor.enqueue(job) }
    }

    private static func enqueue(_ job: UnsafeMutableRawPointer?) {
        // An address, which may go to another thread as it is.
        let address = Int(bitPattern: job)
        let turn = turn.add(1, ordering: .relaxed).newValue
        queues[turn & (queues.count - 1)].async { cexecutor_run(UnsafeMutableRawPointer(bitPattern: address)) }
    }

    /// Returns once every queue has come to an end with what it does.
    static func answers() async {
        for queue in queues { await withCheckedContinuation { done in queue.async { done.resume() } } }
    }

    /// Runs a task to its end while this thread, which is none of the pool's, waits.
    static func wait(for body: @escaping @Sendable () async throws -> Void) throws {
        let end = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<Void, any Error>>(.success(()))
        Task {
            do {
                try await body()
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            end.signal()
        }
        end.wait()
        try outcome.withLock { $0 }.get()
    }
}
