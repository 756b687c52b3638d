import NIOCore
import Synchronization

/// Returns memory to the system a second after clients have disconnected, on the thread that decodes long lines.
final class MemoryReturn: Sendable {
    private enum State {
        case idle, scheduled
        /// Another client has disconnected since.
        case repeated
    }

    private static let pause = TimeAmount.seconds(1)

    private let loop: any EventLoop
    private let thread: DecodingQueue
    private let release: @Sendable () -> Void
    private let state = Mutex(State.idle)

    init(_ loop: any EventLoop, _ thread: DecodingQueue, _ release: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.thread = thread
        self.release = release
    }

    /// A client has disconnected.
    func request() {
        let isFirst = state.withLock { state in
            defer { state = state == .idle ? .scheduled : .repeated }
            return state == .idle
        }
        if isFirst { schedule() }
    }

    private func schedule() {
        loop.scheduleTask(in: Self.pause) {
            self.thread.submit(self.release)
            let isRepeated = self.state.withLock { state in
                defer { state = state == .repeated ? .scheduled : .idle }
                return state == .repeated
            }
            if isRepeated { self.schedule() }
        }
    }
}
