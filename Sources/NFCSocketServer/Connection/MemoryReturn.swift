import NIOCore
import Synchronization

/// How free memory is returned to the system.
package struct MemoryRelease: Sendable {
    let emptyThreadCache: @Sendable () -> Void
    let trim: @Sendable () -> Void

    /// - Parameters:
    ///   - emptyThreadCache: returns the free blocks that the calling thread keeps for itself.
    ///   - trim: returns the free memory of the process to the system.
    package init(
        emptyThreadCache: @escaping @Sendable () -> Void = {}, trim: @escaping @Sendable () -> Void = {}
    ) {
        (self.emptyThreadCache, self.trim) = (emptyThreadCache, trim)
    }
}

/// Returns memory to the system a second after clients have disconnected, and once more when idle threads have ended, on the thread that
/// decodes long lines.
final class MemoryReturn: Sendable {
    private enum State {
        case idle, scheduled
        /// Another client has disconnected since.
        case repeated
    }

    private static let pause = TimeAmount.seconds(1)
    /// The threads of the task pool end when they have been idle for 5 s; what they kept is free then.
    private static let idlePause = TimeAmount.seconds(7)

    private let loop: any EventLoop
    private let thread: DecodingQueue
    private let release: MemoryRelease
    private let state = Mutex(State.idle)
    private let lastReturn = Mutex<Scheduled<Void>?>(nil)

    init(_ loop: any EventLoop, _ thread: DecodingQueue, _ release: MemoryRelease) {
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
            self.run()
            let isRepeated = self.state.withLock { state in
                defer { state = state == .repeated ? .scheduled : .idle }
                return state == .repeated
            }
            if isRepeated { self.schedule() } else { self.scheduleLast() }
        }
    }

    private func scheduleLast() {
        let last = loop.scheduleTask(in: Self.idlePause) { self.run() }
        lastReturn.withLock { before in
            before?.cancel()
            before = last
        }
    }

    /// Called on the event loop, whose thread keeps the most.
    private func run() {
        release.emptyThreadCache()
        thread.submit {
            self.release.emptyThreadCache()
            self.release.trim()
        }
    }
}
