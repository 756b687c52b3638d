import NFCReaders
import NFCTags

/// The life of one reader session as a value: events go in, actions come out; no I/O, no clock.
///
///     created ─► waiting ─► active ─► invalidated
///
/// A session begins once and ends once; after its end no event has any effect.
struct SessionMachine: Sendable, Hashable {
    /// Whether a session can have its readers.
    enum Standing: Sendable, Hashable {
        /// It can.
        case clear
        /// Another session holds one of them, or has waited longer for one.
        case busy(String)
        /// None of them is plugged in, or none supports a technology that the session looks for.
        case noReader(String)
        /// All that it could use have failed.
        case readersFailed(String)
        /// It is known soon whether any reader is available.
        case serviceStarting(String)
        /// No readers are available at all.
        case serviceUnavailable(String)
    }

    /// What the coordinator has to do, in this order.
    enum Action: Sendable, Hashable {
        /// Take the readers, start the timer, and look for tags.
        case activate
        /// Read a tag and answer with `tagRead` or `tagIgnored`.
        case read(TagArrival, polling: Int)
        /// Connect to a tag and answer with `tagFound`, `tagIgnored` or `tagFailed`.
        case connect(TagArrival, polling: Int)
        /// Disconnect from a tag, behind the other operations on its reader.
        case release(HeldTag, on: ReaderID)
        /// Send the event to the client.
        case notify(SessionEvent)
        /// Free the readers, stop the timer, and remove the session.
        case end
    }

    enum Phase: Sendable, Hashable {
        case created
        /// The session ends with this when its queue timeout elapses.
        case waiting(Invalidation)
        case active
        case invalidated
    }

    /// What the client asked for.
    let request: SessionRequest
    /// What the session looks for since polling was last started.
    private(set) var options: PollingOptions
    private(set) var phase = Phase.created
    /// Whether the session ends where another client's session could become active without it.
    private(set) var yields: Bool
    /// Whether the session has waited for its turn: then it also waits for a failed reader to recover.
    private var isQueued = false
    private(set) var tags: [Tag] = []
    private var detections = 0
    /// The tag that takes commands.
    private(set) var connected: TagID?
    /// The number of restarts of polling so far; results for an earlier number are dropped.
    private(set) var polling = 0

    init(request: SessionRequest) {
        self.request = request
        options = request.options
        yields = request.yields
    }

    /// Whether the session holds its readers.
    var isActive: Bool { phase == .active }
    /// Whether the session waits for readers.
    var isWaiting: Bool { if case .waiting = phase { true } else { false } }
    /// Whether the session is over.
    var isInvalidated: Bool { phase == .invalidated }

    /// Begins the session, or tries again for one that waits. A session that is active or over stays unchanged.
    mutating func begin(_ standing: Standing) -> [Action] {
        guard phase == .created || isWaiting else { return [] }
        switch standing {
        case .clear:
            phase = .active
            return [.activate, .notify(.didBecomeActive)]
        case .busy(let holder):
            isQueued = request.whenBusy == .queue
            return waitOrEnd(isQueued, Invalidation(.systemIsBusy, holder))
        case .noReader(let detail):
            return waitOrEnd(request.waitForReader, Invalidation(.unsupportedFeature, detail))
        case .readersFailed(let detail):
            return waitOrEnd(request.waitForReader || isQueued, Invalidation(.unsupportedFeature, detail))
        case .serviceStarting(let detail):
            return waitOrEnd(true, Invalidation(.radioDisabled, detail))
        case .serviceUnavailable(let detail):
            return waitOrEnd(request.waitForReader, Invalidation(.radioDisabled, detail))
        }
    }

    /// The queue timeout of the session elapsed. Without effect on one that does not wait.
    mutating func waitedTooLong() -> [Action] {
        guard case .waiting(let reason) = phase else { return [] }
        return invalidate(Invalidation(reason.code, "waited for too long; \(reason.detail)"))
    }

    /// Ends the session. The readers are free before the client is notified, so that it can begin the next session at once.
    mutating func invalidate(_ reason: Invalidation) -> [Action] {
        guard phase != .invalidated else { return [] }
        phase = .invalidated
        return forgetTags() + [.end, .notify(.didInvalidate(reason))]
    }

    /// Changes whether the session yields.
    mutating func setYielding(_ yields: Bool) {
        if phase != .invalidated { self.yields = yields }
    }

    /// Another client's session could become active without this one. Without effect on one that does not hold readers or
    /// does not yield.
    mutating func yield(to taker: String) -> [Action] {
        guard phase == .active, yields else { return [] }
        return invalidate(Invalidation(.systemIsBusy, "\(taker) took the reader, and the session yields"))
    }

    private mutating func waitOrEnd(_ waits: Bool, _ reason: Invalidation) -> [Action] {
        guard waits else { return invalidate(reason) }
        phase = .waiting(reason)
        return []
    }
}

// The tags of a session.

extension SessionMachine {
    struct Tag: Sendable, Hashable {
        enum State: Sendable, Hashable {
            /// It is being read or connected to.
            case pending
            /// It is held, and reported as soon as no tag of its batch is pending any more.
            case found(DetectedTag)
            /// It was reported to the client.
            case reported(TagID)
            /// The session does not look for it, or connecting to it failed.
            case passedOver
        }

        let arrival: TagArrival
        /// Tags that were detected together have the same number, and are reported together.
        let batch: Int
        /// Whether it was in the field when the session became active.
        let wasPresent: Bool
        var state = State.pending
        var held: HeldTag?
        var hasLeft = false
        /// Whether another program held the reader when the tag was last read or connected to: it is tried again.
        var isBlocked = false
        /// The name under which it was reported as blocked.
        var blockedName: TagID?

        /// Whether it is blocked and not being tried at the moment.
        var isWaiting: Bool { isBlocked && !hasLeft && state != .pending }

        /// Its name, once it was reported.
        var reported: TagID? { if case .reported(let id) = state { id } else { nil } }
    }

    /// Tags were detected together: they came into the field of the session's readers, or are in it as polling starts.
    ///
    /// - Parameter wasPresent: whether they were in the field when the session became active.
    mutating func tagsArrived(_ arrivals: [TagArrival], wasPresent: Bool = false) -> [Action] {
        guard phase == .active else { return [] }
        let batch = (tags.map(\.batch).max() ?? 0) + 1
        return arrivals.flatMap { tagArrived($0, Tag(arrival: $0, batch: batch, wasPresent: wasPresent)) }
    }

    private mutating func tagArrived(_ arrival: TagArrival, _ tag: Tag) -> [Action] {
        guard !tags.contains(where: { $0.arrival == arrival && !$0.hasLeft }) else { return [] }
        tags.append(tag)
        return [look(for: arrival)]
    }

    /// The tag of a reader left, or the reader failed. One that is still being read or connected to is reported first.
    mutating func tagLeft(_ reader: ReaderID) -> [Action] {
        guard phase == .active else { return [] }
        for index in tags.indices where tags[index].arrival.reader == reader { tags[index].hasLeft = true }
        return dropLeft()
    }

    /// A tag that `read` asked for was read.
    mutating func tagRead(
        _ arrival: TagArrival, polling readFor: Int, on reader: ReaderDescription, identity: TagIdentity?,
        _ reading: NDEFReading
    ) -> [Action] {
        guard let index = pending(arrival, polling: readFor) else { return [] }
        let isBlocked = reading.failure?.code == .systemIsBusy
        if isBlocked, let name = tags[index].blockedName {
            tags[index].state = .reported(name)
            return dropLeft()
        }
        let found = DetectedTag(id: nextName(), reader: reader, identity: identity)
        let removal = tags[index].blockedName.map { [Action.notify(.tagRemoved($0))] } ?? []
        (tags[index].isBlocked, tags[index].blockedName) = (isBlocked, isBlocked ? found.id : nil)
        tags[index].state = .reported(found.id)
        let report = removal + [Action.notify(.didDetectNDEFs(found, reading))]
        if request.invalidateAfterFirstRead, !reading.messages.isEmpty {
            return report + invalidate(Invalidation(.firstNDEFTagRead))
        }
        return report + dropLeft()
    }

    /// A tag that `connect` asked for is held. If it is no longer wanted, it is released at once.
    mutating func tagFound(
        _ arrival: TagArrival, polling foundFor: Int, on reader: ReaderDescription, _ held: HeldTag
    ) -> [Action] {
        guard let index = pending(arrival, polling: foundFor) else { return [.release(held, on: arrival.reader)] }
        tags[index].held = held
        tags[index].isBlocked = false
        tags[index].state = .found(
            DetectedTag(
                id: nextName(), reader: reader, identity: held.identity, delivery: held.delivery, polling: polling,
                wasPresent: tags[index].wasPresent))
        return report(tags[index].batch)
    }

    /// The session does not look for such a tag.
    mutating func tagIgnored(_ arrival: TagArrival, polling sought: Int) -> [Action] {
        guard let index = pending(arrival, polling: sought) else { return [] }
        tags[index].isBlocked = false
        let notice = request.yields ? [Action.notify(.tagIgnored(arrival.reader))] : []
        return notice + passOver(index)
    }

    /// Connecting to a tag that `connect` asked for failed. Where another program holds the reader, that is reported once, and the tag
    /// is tried again by `retryBlocked`.
    mutating func tagFailed(
        _ arrival: TagArrival, polling sought: Int, on reader: ReaderDescription, _ error: TagError
    ) -> [Action] {
        guard let index = pending(arrival, polling: sought) else { return [] }
        let wasBlocked = tags[index].isBlocked
        tags[index].isBlocked = error.code == .systemIsBusy
        let isKnown = wasBlocked && tags[index].isBlocked
        return (isKnown ? [] : [.notify(.tagFailed(reader, error))]) + passOver(index)
    }

    /// Whether another program keeps a tag from being reached.
    var hasBlockedTag: Bool { phase == .active && tags.contains { $0.isBlocked && !$0.hasLeft } }
    /// Whether such a tag is to be tried again.
    var hasTagToRetry: Bool { phase == .active && tags.contains(where: \.isWaiting) }

    /// Tries the tags again that another program kept from being read or connected to.
    mutating func retryBlocked() -> [Action] {
        guard phase == .active else { return [] }
        return tags.indices.filter { tags[$0].isWaiting }.map { index in
            tags[index].state = .pending
            return look(for: tags[index].arrival)
        }
    }

    private func look(for arrival: TagArrival) -> Action {
        switch request.detection {
        case .messages: .read(arrival, polling: polling)
        case .tags: .connect(arrival, polling: polling)
        }
    }

    /// Makes a reported tag the one that takes commands, instead of another.
    ///
    /// - Returns: the error where it cannot be; nil where it is.
    mutating func connect(_ tag: TagID) -> NFCErrorCode? {
        guard phase == .active else { return .sessionInvalidated }
        guard tags.contains(where: { $0.reported == tag && $0.held != nil }) else { return .tagConnectionLost }
        connected = tag
        return nil
    }

    /// The tags that are held.
    var heldTags: [HeldTag] { tags.compactMap(\.held) }

    /// The decision on a command.
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

    /// Forgets every tag; those in the field are detected again, with the session's options and what is different this time.
    mutating func restartPolling(present: [TagArrival], _ change: PollingChange) -> [Action] {
        guard phase == .active else { return [] }
        polling += 1
        options = request.options.changed(by: change)
        return forgetTags() + tagsArrived(present)
    }

    /// Releases every tag that is held.
    private mutating func forgetTags() -> [Action] {
        defer { (tags, connected) = ([], nil) }
        return tags.compactMap { tag in tag.held.map { .release($0, on: tag.arrival.reader) } }
    }

    // MARK: Steps

    private func pending(_ arrival: TagArrival, polling sought: Int) -> Int? {
        guard phase == .active, sought == polling else { return nil }
        return tags.firstIndex { $0.arrival == arrival && $0.state == .pending }
    }

    private mutating func nextName() -> TagID {
        detections += 1
        return TagID(rawValue: "tag-\(detections)")
    }

    private mutating func passOver(_ index: Int) -> [Action] {
        tags[index].state = .passedOver
        return report(tags[index].batch)
    }

    /// Reports the tags of a batch, once none of them is pending any more.
    private mutating func report(_ batch: Int) -> [Action] {
        guard !tags.contains(where: { $0.batch == batch && $0.state == .pending }) else { return dropLeft() }
        var found: [DetectedTag] = []
        for index in tags.indices where tags[index].batch == batch {
            guard case .found(let tag) = tags[index].state else { continue }
            found.append(tag)
            tags[index].state = .reported(tag.id)
        }
        return (found.isEmpty ? [] : [.notify(.didDetectTags(found))]) + dropLeft()
    }

    /// Drops the tags that left, once everything else about them was reported.
    private mutating func dropLeft() -> [Action] {
        let left = tags.filter { $0.hasLeft && ($0.reported != nil || $0.state == .passedOver) }
        tags.removeAll { $0.hasLeft && ($0.reported != nil || $0.state == .passedOver) }
        if left.contains(where: { $0.reported != nil && $0.reported == connected }) { connected = nil }
        return left.flatMap { tag -> [Action] in
            guard let id = tag.reported else { return [] }
            return (tag.held.map { [.release($0, on: tag.arrival.reader)] } ?? []) + [.notify(.tagRemoved(id))]
        }
    }
}
