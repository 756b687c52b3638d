import NFCReaders
import NFCTags

/// The life of one reader session as a value: events go in, actions come out; no I/O, no clock.
///
///     created ─► waiting ─► active ─► invalidated
///
/// A session begins once and ends once; after its end no event has any effect.
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

// What a session is told of tags.

extension SessionMachine {
    struct Tag: Sendable, Hashable {
        enum State: Sendable, Hashable {
            /// It is being read or connected to.
            case pending
            /// It is held, and told of as soon as nothing of its look is pending any more.
            case found(DetectedTag)
            /// The client knows of it.
            case reported(TagID)
            /// It is not the session's, or could not be connected to.
            case passedOver
        }

        let arrival: TagArrival
        /// Tags that were seen in one look have the same number, and are told of together.
        let look: Int
        var state = State.pending
        var held: HeldTag?
        var hasLeft = false

        /// Its name, where the client knows of it.
        var reported: TagID? { if case .reported(let id) = state { id } else { nil } }
    }

    /// Tags that were seen in one look: they came into the field of the session's readers, or lie there as polling starts.
    mutating func tagsArrived(_ arrivals: [TagArrival]) -> [Action] {
        guard phase == .active else { return [] }
        let look = (tags.map(\.look).max() ?? 0) + 1
        return arrivals.flatMap { tagArrived($0, look: look) }
    }

    private mutating func tagArrived(_ arrival: TagArrival, look: Int) -> [Action] {
        guard !tags.contains(where: { $0.arrival == arrival && !$0.hasLeft }) else { return [] }
        tags.append(Tag(arrival: arrival, look: look))
        return switch request.detection {
        case .messages: [.read(arrival, polling: polling)]
        case .tags: [.connect(arrival, polling: polling)]
        }
    }

    /// The tag of a reader left. One that is being looked at is reported first, as soon as that has ended.
    mutating func tagLeft(_ reader: ReaderID) -> [Action] {
        guard phase == .active else { return [] }
        for index in tags.indices where tags[index].arrival.reader == reader { tags[index].hasLeft = true }
        return dropLeft()
    }

    /// A reading that `read` asked for has ended.
    mutating func tagRead(
        _ arrival: TagArrival, polling readFor: Int, on reader: ReaderDescription, identity: TagIdentity?,
        _ reading: NDEFReading
    ) -> [Action] {
        guard let index = pending(arrival, polling: readFor) else { return [] }
        let found = DetectedTag(id: nextName(), reader: reader, identity: identity)
        tags[index].state = .reported(found.id)
        let report = Action.notify(.didDetectNDEFs(found, reading))
        if request.invalidateAfterFirstRead, !reading.messages.isEmpty {
            return [report] + invalidate(Invalidation(.firstNDEFTagRead))
        }
        return [report] + dropLeft()
    }

    /// A tag that `connect` asked for is held. One that nobody wants any more is let go of at once.
    mutating func tagFound(
        _ arrival: TagArrival, polling foundFor: Int, on reader: ReaderDescription, _ held: HeldTag
    ) -> [Action] {
        guard let index = pending(arrival, polling: foundFor) else { return [.letGo(held, on: arrival.reader)] }
        tags[index].held = held
        tags[index].state = .found(
            DetectedTag(
                id: nextName(), reader: reader, identity: held.identity, delivery: held.delivery, polling: polling))
        return tell(tags[index].look)
    }

    /// A tag that was looked at is none that the session wants to hear of.
    mutating func tagIgnored(_ arrival: TagArrival, polling lookedFor: Int) -> [Action] {
        guard let index = pending(arrival, polling: lookedFor) else { return [] }
        return passOver(index)
    }

    /// A tag that `connect` asked for could not be connected to.
    mutating func tagFailed(
        _ arrival: TagArrival, polling lookedFor: Int, on reader: ReaderDescription, _ error: TagError
    ) -> [Action] {
        guard let index = pending(arrival, polling: lookedFor) else { return [] }
        return [.notify(.tagFailed(reader, error))] + passOver(index)
    }

    /// Makes a reported tag the one that takes commands, in place of another.
    ///
    /// - Returns: why not, or nil.
    mutating func connect(_ tag: TagID) -> NFCErrorCode? {
        guard phase == .active else { return .sessionInvalidated }
        guard tags.contains(where: { $0.reported == tag && $0.held != nil }) else { return .tagConnectionLost }
        connected = tag
        return nil
    }

    /// What becomes of a command.
    enum Command: Sendable, Hashable {
        /// It goes to this tag.
        case run(HeldTag)
        /// It is refused.
        case refuse(NFCErrorCode)
    }

    /// Decides on a command to a tag. A card of type ISO 7816 that is the only tag is connected to by its first command.
    mutating func command(_ tag: TagID) -> Command {
        guard phase == .active else { return .refuse(.sessionInvalidated) }
        let reported = tags.filter { $0.reported != nil }
        guard let held = reported.first(where: { $0.reported == tag })?.held else {
            return .refuse(.tagConnectionLost)
        }
        if connected == nil, reported.count == 1, held.delivery.type == .iso7816 { connected = tag }
        return connected == tag ? .run(held) : .refuse(.tagNotConnected)
    }

    /// Forgets every tag; those in the field are detected anew, by the session's options and what is different this time.
    mutating func restartPolling(present: [TagArrival], _ change: PollingChange) -> [Action] {
        guard phase == .active else { return [] }
        polling += 1
        options = request.options.changed(by: change)
        return forgetTags() + tagsArrived(present)
    }

    /// Lets go of every tag that is held.
    mutating func forgetTags() -> [Action] {
        defer { (tags, connected) = ([], nil) }
        return tags.compactMap { tag in tag.held.map { .letGo($0, on: tag.arrival.reader) } }
    }

    // MARK: Steps

    private func pending(_ arrival: TagArrival, polling lookedFor: Int) -> Int? {
        guard phase == .active, lookedFor == polling else { return nil }
        return tags.firstIndex { $0.arrival == arrival && $0.state == .pending }
    }

    private mutating func nextName() -> TagID {
        detections += 1
        return TagID(rawValue: "tag-\(detections)")
    }

    private mutating func passOver(_ index: Int) -> [Action] {
        tags[index].state = .passedOver
        return tell(tags[index].look)
    }

    /// Tells of the tags of a look, once none of them is pending any more.
    private mutating func tell(_ look: Int) -> [Action] {
        guard !tags.contains(where: { $0.look == look && $0.state == .pending }) else { return dropLeft() }
        var found: [DetectedTag] = []
        for index in tags.indices where tags[index].look == look {
            guard case .found(let tag) = tags[index].state else { continue }
            found.append(tag)
            tags[index].state = .reported(tag.id)
        }
        return (found.isEmpty ? [] : [.notify(.didDetectTags(found))]) + dropLeft()
    }

    /// Drops the tags that left and of which nothing is to be told any more but that.
    private mutating func dropLeft() -> [Action] {
        let left = tags.filter { $0.hasLeft && ($0.reported != nil || $0.state == .passedOver) }
        tags.removeAll { $0.hasLeft && ($0.reported != nil || $0.state == .passedOver) }
        if left.contains(where: { $0.reported != nil && $0.reported == connected }) { connected = nil }
        return left.flatMap { tag -> [Action] in
            guard let id = tag.reported else { return [] }
            return (tag.held.map { [.letGo($0, on: tag.arrival.reader)] } ?? []) + [.notify(.tagRemoved(id))]
        }
    }
}
