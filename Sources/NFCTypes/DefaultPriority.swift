/// Runs a program's work in a task of default priority, and waits for it.
///
/// The main task has a high priority, which its child tasks inherit, and for which libdispatch raises the priority of a
/// thread. A service or an ordinary user is not permitted to do that, and libdispatch logs each attempt. A task that is
/// awaited for its value gets the priority of the waiting task, too; one that resumes a continuation does not. On the main
/// actor, because another function of the main task would already run on a thread with a raised priority.
@MainActor
package func runAtDefaultPriority(_ work: @escaping @Sendable () async -> Void) async {
    await withCheckedContinuation { continuation in
        Task.detached(priority: .medium) {
            await work()
            continuation.resume()
        }
    }
}
