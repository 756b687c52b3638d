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
        /// None of them is plugged in.
        case noReader(String)
        /// No reader can be seen.
        case serviceUnavailable(String)
    }

    /// What the coordinator has to do, in this order.
    enum Action: Sendable, Hashable {
        /// Take the readers, start the clock of the time limit, and look for tags.
        case activate
        /// Read a tag and answer with `tagRead`.
        case read(TagArrival, polling: Int)
        /// Connect to a tag and answer with `tagFound`.
        case connect(TagArrival, polling: Int)
        /// Keep the tag that was just found, under this name.
        case hold(TagID)
        /// Let go of a tag that is held.
        case letGo(TagID)
        /// Tell the client.
        case notify(SessionEvent)
        /// Give back readers and clock, and forget the session.
        case end
    }

    private enum Phase: Sendable, Hashable {
        case created
        case waiting
        case active
        case invalidated
    }

    private struct Tag: Sendable, Hashable {
        var arrival: TagArrival
        /// Set when the client knows of it.
        var reported: TagID?
        var hasLeft = false
    }

    /// What the client asked for.
    let request: SessionRequest
    private var phase = Phase.created
    private var tags: [Tag] = []
    private var detections = 0
    /// The tag that takes commands.
    private var connected: TagID?
    /// Raised by each restart of polling; what was read for an earlier one is of no interest.
    private var polling = 0

    init(request: SessionRequest) {
        self.request = request
    }

    /// Whether the session holds its readers.
    var isActive: Bool { phase == .active }
    /// Whether the session waits for readers.
    var isWaiting: Bool { phase == .waiting }
    /// Whether the session is over.
    var isInvalidated: Bool { phase == .invalidated }

    /// Begins the session, or tries again for one that waits. A session that is active or over stays as it is.
    mutating func begin(_ standing: Standing) -> [Action] {
        guard phase == .created || phase == .waiting else { return [] }
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

    /// A tag came into the field of one of the session's readers, or lies there as polling starts.
    mutating func tagArrived(_ arrival: TagArrival) -> [Action] {
        guard phase == .active, !tags.contains(where: { $0.arrival == arrival && !$0.hasLeft }) else { return [] }
        tags.append(Tag(arrival: arrival))
        return switch request.detection {
        case .messages: [.read(arrival, polling: polling)]
        case .tags: [.connect(arrival, polling: polling)]
        }
    }

    /// The tag of a reader left. One that is being read is reported first, as soon as the reading has ended.
    mutating func tagLeft(_ reader: ReaderID) -> [Action] {
        guard phase == .active else { return [] }
        var actions: [Action] = []
        for index in tags.indices where tags[index].arrival.reader == reader {
            tags[index].hasLeft = true
            if let id = tags[index].reported { actions += removal(of: id) }
        }
        tags.removeAll { $0.hasLeft && $0.reported != nil }
        return actions
    }

    /// A reading that `read` asked for has ended.
    mutating func tagRead(
        _ arrival: TagArrival, polling readFor: Int, on reader: ReaderDescription, identity: TagIdentity?,
        _ reading: NDEFReading
    ) -> [Action] {
        guard let index = detected(arrival, polling: readFor), let id = tags[index].reported else { return [] }
        let found = DetectedTag(id: id, reader: reader, identity: identity)
        let report = Action.notify(.didDetectNDEFs(found, reading))
        if request.invalidateAfterFirstRead, !reading.messages.isEmpty {
            return [report] + invalidate(Invalidation(.firstNDEFTagRead))
        }
        return [report] + removalIfGone(at: index)
    }

    /// A tag that `connect` asked for is connected to. Without an action, nobody wants it any more.
    mutating func tagFound(
        _ arrival: TagArrival, polling foundFor: Int, on reader: ReaderDescription, identity: TagIdentity
    ) -> [Action] {
        guard let index = detected(arrival, polling: foundFor), let id = tags[index].reported else { return [] }
        let found = DetectedTag(id: id, reader: reader, identity: identity)
        return [.hold(id), .notify(.didDetectTags([found]))] + removalIfGone(at: index)
    }

    /// Gives a tag that was looked for its name; nil where it is of no interest any more.
    private mutating func detected(_ arrival: TagArrival, polling detectedFor: Int) -> Int? {
        guard phase == .active, detectedFor == polling,
            let index = tags.firstIndex(where: { $0.arrival == arrival && $0.reported == nil })
        else { return nil }
        detections += 1
        tags[index].reported = TagID(rawValue: "tag-\(detections)")
        return index
    }

    /// What follows the report of a tag that left while it was looked at.
    private mutating func removalIfGone(at index: Int) -> [Action] {
        guard tags[index].hasLeft, let id = tags.remove(at: index).reported else { return [] }
        return removal(of: id)
    }

    private mutating func removal(of id: TagID) -> [Action] {
        if connected == id { connected = nil }
        return (request.detection == .tags ? [.letGo(id)] : []) + [.notify(.tagRemoved(id))]
    }

    /// Makes a reported tag the one that takes commands, in place of another.
    ///
    /// - Returns: why not, or nil.
    mutating func connect(_ tag: TagID) -> NFCErrorCode? {
        guard phase == .active else { return .sessionInvalidated }
        guard tags.contains(where: { $0.reported == tag }), request.detection == .tags else {
            return .tagConnectionLost
        }
        connected = tag
        return nil
    }

    /// Why a tag does not take commands; nil where it does.
    func objection(toCommanding tag: TagID) -> NFCErrorCode? {
        guard phase == .active else { return .sessionInvalidated }
        guard tags.contains(where: { $0.reported == tag }) else { return .tagConnectionLost }
        return connected == tag ? nil : .tagNotConnected
    }

    /// Forgets every tag; those in the field are detected anew.
    mutating func restartPolling(present: [TagArrival]) -> [Action] {
        guard phase == .active else { return [] }
        polling += 1
        connected = nil
        let held = request.detection == .tags ? tags.compactMap(\.reported) : []
        tags = []
        return held.map { .letGo($0) } + present.flatMap { tagArrived($0) }
    }

    /// Ends the session. The readers are free before the client hears of it, so that it can begin the next one at once.
    mutating func invalidate(_ reason: Invalidation) -> [Action] {
        guard phase != .invalidated else { return [] }
        phase = .invalidated
        tags = []
        connected = nil
        return [.end, .notify(.didInvalidate(reason))]
    }

    private mutating func waitOrEnd(_ waits: Bool, _ reason: Invalidation) -> [Action] {
        guard waits else { return invalidate(reason) }
        phase = .waiting
        return []
    }
}
