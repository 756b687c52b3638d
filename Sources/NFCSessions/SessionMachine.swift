import NFCReaders
import NFCTags

/// The life of one reader session as a value: events go in, actions come out; no I/O, no clock.
///
///     created ─► waiting ─► active ─► invalidated
///
/// A session begins once and ends once; after its end no event has any effect. What happens to tags is in
/// `SessionMachine+Tags`.
struct SessionMachine: Sendable, Hashable {
    /// What stands between a session and its readers.
    enum Standing: Sendable, Hashable {
        /// Nothing.
        case clear
        /// Another session holds one of them, or waits for one longer than this.
        case busy(String)
        /// None of them is plugged in, or none has a technology that is looked for.
        case noReader(String)
        /// No reader can be seen.
        case serviceUnavailable(String)
    }

    /// What the coordinator has to do, in this order.
    enum Action: Sendable, Hashable {
        /// Take the readers, start the clock of the time limit, and look for tags.
        case activate
        /// Read a tag and answer with `tagRead` or `tagIgnored`.
        case read(TagArrival, polling: Int)
        /// Connect to a tag and answer with `tagFound`, `tagIgnored` or `tagFailed`.
        case connect(TagArrival, polling: Int)
        /// Let go of a tag, behind whatever is done on its reader.
        case letGo(HeldTag, on: ReaderID)
        /// Tell the client.
        case notify(SessionEvent)
        /// Give back readers and clock, and forget the session.
        case end
    }

    enum Phase: Sendable, Hashable {
        case created
        /// The session ends with this where it waits for too long.
        case waiting(Invalidation)
        case active
        case invalidated
    }

    /// What the client asked for.
    let request: SessionRequest
    /// What is looked for since polling was started last.
    var options: PollingOptions
    var phase = Phase.created
    var tags: [Tag] = []
    var detections = 0
    /// The tag that takes commands.
    var connected: TagID?
    /// Raised by each restart of polling; what was read for an earlier one is of no interest.
    var polling = 0

    init(request: SessionRequest) {
        self.request = request
        options = request.options
    }

    /// Whether the session holds its readers.
    var isActive: Bool { phase == .active }
    /// Whether the session waits for readers.
    var isWaiting: Bool { if case .waiting = phase { true } else { false } }
    /// Whether the session is over.
    var isInvalidated: Bool { phase == .invalidated }

    /// Begins the session, or tries again for one that waits. A session that is active or over stays as it is.
    mutating func begin(_ standing: Standing) -> [Action] {
        guard phase == .created || isWaiting else { return [] }
        switch standing {
        case .clear:
            phase = .active
            return [.activate, .notify(.didBecomeActive)]
        case .busy(let holder):
            return waitOrEnd(request.whenBusy == .queue, Invalidation(.systemIsBusy, holder))
        case .noReader(let detail):
            return waitOrEnd(request.waitForReader, Invalidation(.unsupportedFeature, detail))
        case .serviceUnavailable(let detail):
            return waitOrEnd(request.waitForReader, Invalidation(.radioDisabled, detail))
        }
    }

    /// The session has waited for as long as its client wants to. Without effect on one that does not wait.
    mutating func waitedTooLong() -> [Action] {
        guard case .waiting(let reason) = phase else { return [] }
        return invalidate(Invalidation(reason.code, "waited for too long; \(reason.detail)"))
    }

    /// Ends the session. The readers are free before the client hears of it, so that it can begin the next one at once.
    mutating func invalidate(_ reason: Invalidation) -> [Action] {
        guard phase != .invalidated else { return [] }
        phase = .invalidated
        return forgetTags() + [.end, .notify(.didInvalidate(reason))]
    }

    private mutating func waitOrEnd(_ waits: Bool, _ reason: Invalidation) -> [Action] {
        guard waits else { return invalidate(reason) }
        phase = .waiting(reason)
        return []
    }
}
