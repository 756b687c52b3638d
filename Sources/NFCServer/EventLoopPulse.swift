import NIOCore
import Synchronization

/// Tells whether the event loop of a server is alive.
public final class EventLoopPulse: Sendable {
    private let loop = Mutex<(any EventLoop)?>(nil)

    init() {}

    /// The loop to ask; nil: none any more. A loop that is about to end is not to be asked.
    func watch(_ loop: (any EventLoop)?) {
        self.loop.withLock { $0 = loop }
    }

    /// Returns when the loop comes by; at once where there is none, or none any more.
    public func answers() async {
        let loop = loop.withLock { $0 }
        try? await loop?.submit {}.get()
    }
}
