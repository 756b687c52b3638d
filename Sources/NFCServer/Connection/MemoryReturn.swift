import NIOCore
import Synchronization

/// Returns memory to the system after clients have disconnected: at most once a second, on the thread that decodes long lines.
final class MemoryReturn: Sendable {
    private static let pause = TimeAmount.seconds(1)

    private let loop: any EventLoop
    private let thread: DecodingQueue
    private let release: @Sendable () -> Void
    private let isScheduled = Atomic<Bool>(false)

    init(_ loop: any EventLoop, _ thread: DecodingQueue, _ release: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.thread = thread
        self.release = release
    }

    /// A client has disconnected.
    func request() {
        guard !isScheduled.exchange(true, ordering: .relaxed) else { return }
        loop.scheduleTask(in: Self.pause) {
            self.isScheduled.store(false, ordering: .relaxed)
            self.thread.submit(self.release)
        }
    }
}
