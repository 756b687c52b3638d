public import NFCTypes
import Synchronization

/// Events outside the program's own sessions: readers, tags and sessions of all clients, and taps.
///
/// The events are in the order in which the daemon sends them, whatever the observation includes. The sequence throws
/// `NFCClientError.connectionLost` where the connection is lost, and ends after ``stop()`` or where the task is
/// cancelled. Only one task may iterate it.
public struct Observation: AsyncSequence, Sendable {
    /// What the sequence consists of.
    public typealias Element = ObservedEvent
    /// What the sequence throws.
    public typealias Failure = NFCClientError

    /// Reads the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let queue: ObservationQueue

        /// The next event; nil after ``Observation/stop()``, or where the task is cancelled.
        public func next() async throws(NFCClientError) -> ObservedEvent? { try await queue.next() }

        /// The next event; nil after ``Observation/stop()``, or where the task is cancelled.
        public func next(isolation actor: isolated (any Actor)?) async throws(NFCClientError) -> ObservedEvent? {
            try await queue.next()
        }
    }

    private let client: NFCClient
    private let queue: ObservationQueue

    init(client: NFCClient, queue: ObservationQueue) {
        self.client = client
        self.queue = queue
    }

    /// Reads the events that have not been read yet.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: queue) }

    /// Includes taps on readers that no session holds. Needs the capability `background`.
    ///
    /// - Parameters:
    ///   - filter: the taps that are wanted; nil for all.
    ///   - removals: whether an event follows each tap when its tag leaves.
    ///   - requirement: `.proven`: only taps whose tag has proven itself, and their removals.
    /// - Throws: `NFCClientError`, also if the daemon does not know the requirement; `CancellationError`.
    public func includeTaps(
        matching filter: BackgroundSubscribe.Filter? = nil, removals: Bool = false,
        requiring requirement: ProofRequirement? = nil
    ) async throws {
        try await client.subscribe(queue, matching: filter, removals: removals, requiring: requirement)
    }

    /// Ends the observation.
    public func stop() {
        client.unsubscribe(queue)
    }
}

/// What happens on the readers and in the sessions of all clients.
public enum ObservedEvent: Sendable {
    /// A tag was read on a reader that no session holds.
    case didReadTag(BackgroundDidReadTag)
    /// The tag of a tap left, for an observation that includes removals.
    case tagRemoved(BackgroundTagRemoved)
    /// A reader was plugged in.
    case readerAttached(ReaderAttached)
    /// A reader was unplugged.
    case readerDetached(ReaderDetached)
    /// A reader does not answer any more.
    case readerFailed(ReaderFailed)
    /// A reader that had failed works again.
    case readerRecovered(ReaderRecovered)
    /// A tag came into the field of a reader.
    case tagArrived(ReaderTagArrived)
    /// A tag left the field of a reader.
    case tagLeft(ReaderTagLeft)
    /// A session of any client became active.
    case sessionBegan(SessionBegan)
    /// A session of any client ended.
    case sessionEnded(SessionEnded)
    /// A client shows a text to people.
    case noticeShown(NoticeShown)
    /// A notice is no longer shown.
    case noticeHidden(NoticeHidden)
    /// A line of a recording, for the observation that began it.
    case didRecord(RecordingDidRecord)

    /// The event as the daemon sent it, with its name on the wire.
    public var notification: any ServerNotification {
        switch self {
        case .didReadTag(let event): event
        case .tagRemoved(let event): event
        case .readerAttached(let event): event
        case .readerDetached(let event): event
        case .readerFailed(let event): event
        case .readerRecovered(let event): event
        case .tagArrived(let event): event
        case .tagLeft(let event): event
        case .sessionBegan(let event): event
        case .sessionEnded(let event): event
        case .noticeShown(let event): event
        case .noticeHidden(let event): event
        case .didRecord(let event): event
        }
    }
}

extension ObservedEvent {
    /// The subscription to taps or the recording that the event is for; nil for one of all clients.
    var subscription: String? {
        switch self {
        case .didReadTag(let event): event.subscription
        case .tagRemoved(let event): event.subscription
        case .didRecord(let event): event.recording
        default: nil
        }
    }
}

/// The unread events of an observation, and which events it includes.
final class ObservationQueue: Sendable {
    private struct State {
        var subscriptions: Set<String> = []
        var end: NFCClientError?
    }

    private let includesEvents: Bool
    private let queue = EventQueue<ObservedEvent>(budget: EventRouter.budget)
    private let state = Mutex(State())

    init(includesEvents: Bool) {
        self.includesEvents = includesEvents
    }

    /// The subscriptions to taps.
    var subscriptions: Set<String> { state.withLock { $0.subscriptions } }

    func subscribe(to subscription: String) {
        state.withLock { _ = $0.subscriptions.insert(subscription) }
    }

    /// Whether the observation includes an event.
    func wants(_ event: ObservedEvent) -> Bool {
        guard let subscription = event.subscription else { return includesEvents }
        return subscriptions.contains(subscription)
    }

    /// Adds an event; false where too many are unread.
    func add(_ event: ObservedEvent, cost: Int, _ woken: inout WokenReaders) -> Bool {
        queue.add(event, cost: cost, &woken)
    }

    /// Ends the observation after the events that are unread; nil where the program ended it.
    func finish(_ reason: NFCClientError?, _ woken: inout WokenReaders) {
        state.withLock { if $0.end == nil { $0.end = reason } }
        queue.finish(&woken)
    }

    func next() async throws(NFCClientError) -> ObservedEvent? {
        if let event = await queue.next() { return event }
        if !Task.isCancelled, let end = state.withLock({ $0.end }) { throw end }
        return nil
    }
}
