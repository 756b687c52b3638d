import NFCProtocol
import NFCTags
import Synchronization

/// The requests of one client that wait for a tag or communicate with it. Their number is limited: when it is reached, the
/// client's next request is not started until one has been answered.
final class RunningRequests: Sendable {
    private struct State {
        var count: UInt64 = 0
        var open: [UInt64: RequestID?] = [:]
        /// How to cancel the latest request of an id.
        var cancellations: [RequestID: (request: UInt64, cancel: @Sendable () -> Bool)] = [:]
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let room: Int
    private let state = Mutex(State())

    init(room: Int) {
        self.room = room
    }

    /// Returns when there is room for one more. Only the reader of the client's lines may wait, one at a time.
    func waitForRoom() async {
        if state.withLock({ $0.open.count < room }) { return }
        await withCheckedContinuation { continuation in
            let isRoom = state.withLock { state in
                if state.open.count >= room { state.waiter = continuation }
                return state.open.count < room
            }
            if isRoom { continuation.resume() }
        }
    }

    /// Adds a request, and returns the number to remove it with. A batch and a request without an answer have no id.
    func add(_ id: RequestID?, cancel: @escaping @Sendable () -> Bool = { false }) -> UInt64 {
        state.withLock { state in
            state.count += 1
            state.open[state.count] = .some(id)
            if let id { state.cancellations[id] = (state.count, cancel) }
            return state.count
        }
    }

    /// Removes a request that has been answered.
    func remove(_ request: UInt64) {
        let waiter = state.withLock { state in
            if let id = state.open.removeValue(forKey: request) ?? nil,
                state.cancellations[id]?.request == request
            {
                state.cancellations[id] = nil
            }
            guard state.open.count < room else { return CheckedContinuation<Void, Never>?.none }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Cancels the latest request of an id, if it has not started.
    func cancel(_ id: RequestID) {
        let cancellation = state.withLock { $0.cancellations[id] }
        _ = cancellation?.cancel()
    }
}

/// Reports the progress of a request to its client: at most 20 times a second, and always the last step.
final class ProgressReporter<C: Clock<Duration>>: Sendable {
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

    func report(_ done: Int, _ total: Int) {
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
    /// The receiver of a driver's progress; nil if the caller cannot receive it.
    func progress(clock: some Clock<Duration>) -> TagProgress? {
        guard let progressID else { return nil }
        let reporter = ProgressReporter(id: progressID, peer: peer, clock: clock)
        return { reporter.report($0, $1) }
    }
}
