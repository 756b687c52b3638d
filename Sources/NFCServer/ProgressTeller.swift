import NFCProtocol
import NFCTags
import Synchronization

/// Tells a client how far its request has come: at most 20 times a second, and always that it is done.
final class ProgressTeller<C: Clock<Duration>>: Sendable {
    private static var pause: Duration { .milliseconds(50) }

    private let id: RequestID
    private let peer: Peer
    private let clock: C
    private let last = Mutex<C.Instant?>(nil)

    init(id: RequestID, peer: Peer, clock: C) {
        self.id = id
        self.peer = peer
        self.clock = clock
    }

    func tell(_ done: Int, _ total: Int) {
        guard isTime() || done == total else { return }
        peer.notify(RequestProgress(id: id, done: done, total: total))
    }

    private func isTime() -> Bool {
        let now = clock.now
        return last.withLock { last in
            if let last, last.duration(to: now) < Self.pause { return false }
            last = now
            return true
        }
    }
}

extension Caller {
    /// Where a driver tells its steps; nil where the caller wants none, or gets none.
    func progress(of parameters: some ProgressParameters, clock: some Clock<Duration>) -> TagProgress? {
        guard parameters.progress == true, let progressID else { return nil }
        let teller = ProgressTeller(id: progressID, peer: peer, clock: clock)
        return { teller.tell($0, $1) }
    }
}
