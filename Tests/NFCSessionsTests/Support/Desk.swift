import NFCReaders
import NFCTags
import NFCTypes
import Synchronization
import TestSupport

@testable import NFCSessions

/// A coordinator over fake readers and a clock that does not advance.
struct Desk: Sendable {
    let driver: FakeDriver
    let clock = TestClock()
    let coordinator: SessionCoordinator
    let client = RecordingClient(1)
    let other = RecordingClient(2)

    init(
        _ readers: [ReaderDescription], _ limits: SessionLimits, _ journal: JournalSettings? = nil,
        prover: (any TagProver)? = nil
    ) {
        driver = FakeDriver(readers)
        coordinator = SessionCoordinator(
            driver: driver, limits: limits, taps: TapSettings(journal: journal), prover: prover, clock: clock,
            logger: .silent)
    }

    /// Runs the coordinator for as long as the body takes.
    static func open(
        _ readers: [ReaderDescription] = [Fixtures.desk], limits: SessionLimits = SessionLimits(),
        journal: JournalSettings? = nil, prover: (any TagProver)? = nil,
        _ body: @Sendable (Desk) async throws -> Void
    ) async throws {
        let desk = Desk(readers, limits, journal, prover: prover)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await desk.coordinator.run() }
            defer { group.cancelAll() }
            try await body(desk)
        }
    }

    /// Opens and begins a session.
    @discardableResult
    func begin(_ request: SessionRequest = SessionRequest(), by client: (any SessionClient)? = nil) async throws
        -> SessionID
    {
        let session = try await coordinator.open(request, for: client ?? self.client)
        await coordinator.begin(session)
        return session
    }

    /// Takes the card away for so long that its return is a new tap.
    func lift(_ reader: ReaderDescription = Fixtures.desk) {
        driver.lift(reader)
        clock.advance(by: RestTimes().general)
    }

    /// Returns when everything that was reported so far has reached the coordinator.
    func settle() async { _ = await coordinator.readers() }
}

/// A client that records its events.
final class RecordingClient: SessionClient {
    /// A struct, as a Mutex wraps a bare function once more at each access.
    private struct Reaction {
        var run: @Sendable (SessionEvent) -> Void
    }

    let id: ClientID
    let label: String
    private let rights = Mutex(Permissions.everything)
    private let stream: AsyncStream<(SessionID, SessionEvent)>
    private let continuation: AsyncStream<(SessionID, SessionEvent)>.Continuation
    private let received = Mutex<[(SessionID, SessionEvent)]>([])
    private let reaction = Mutex(Reaction { _ in })

    init(_ number: UInt64) {
        id = ClientID(rawValue: number)
        label = "uid \(number)"
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// What the client may do; everything, unless changed.
    var permissions: Permissions {
        get { rights.withLock { $0 } }
        set { rights.withLock { $0 = newValue } }
    }

    /// Everything so far, of all its sessions or of one.
    func log(_ session: SessionID? = nil) -> [String] {
        received.withLock { $0.filter { session == nil || $0.0 == session }.map(\.1.words) }
    }

    /// The sessions whose events came, in their order.
    var sessions: [SessionID] { received.withLock { $0.map(\.0) } }

    /// Sets what is done with every event before it is received.
    func react(_ reaction: @escaping @Sendable (SessionEvent) -> Void) {
        self.reaction.withLock { $0.run = reaction }
    }

    /// The next event.
    func next() async -> SessionEvent? {
        await stream.first { _ in true }?.1
    }

    /// The next so many events in words.
    func receive(_ count: Int = 1) async -> [String] {
        var words: [String] = []
        for _ in 0..<count { words.append(await next()?.words ?? "nothing") }
        return words
    }

    /// The next event, which is the end of a session.
    func end() async -> Invalidation? {
        guard case .didInvalidate(let reason) = await next() else { return nil }
        return reason
    }

    func send(_ event: SessionEvent, of session: SessionID) {
        received.withLock { $0.append((session, event)) }
        reaction.withLock { $0.run }(event)
        continuation.yield((session, event))
    }
}

/// A client that monitors nfcd, and records the events as text.
final class Watcher: BackgroundClient, EventClient {
    let id: ClientID
    private let received = Mutex<[String]>([])
    private let rights = Mutex(true)
    private let stream: AsyncStream<String>
    private let sink: AsyncStream<String>.Continuation

    init(_ number: UInt64, account: ClientAccount = 1000) {
        id = ClientID(rawValue: number)
        self.account = account
        (stream, sink) = AsyncStream.makeStream()
    }

    /// Everything so far.
    var log: [String] { received.withLock { $0 } }

    /// The next so many words.
    func receive(_ count: Int = 1) async -> [String] {
        var words: [String] = []
        for _ in 0..<count { words.append(await stream.first { _ in true } ?? "nothing") }
        return words
    }

    /// Whether it may receive taps; true, unless changed.
    var isPermitted: Bool {
        get { rights.withLock { $0 } }
        set { rights.withLock { $0 = newValue } }
    }

    /// The user of the client.
    let account: ClientAccount
    /// Called when a tap is prepared.
    private let preparation = Mutex(Preparation())

    /// A struct, as a Mutex wraps a bare function once more at each access.
    private struct Preparation {
        var run: @Sendable () -> Void = {}
    }

    /// Calls a function when a tap is prepared.
    func onPrepare(_ body: @escaping @Sendable () -> Void) { preparation.withLock { $0.run = body } }

    func prepare(_ tap: BackgroundTap) { preparation.withLock { $0.run }() }

    func send(_ tap: BackgroundTap, of subscription: SubscriptionID) -> Bool {
        guard isPermitted else { return false }
        let result = tap.reading.failure.map { "failed \($0.code.rawValue)" } ?? "read"
        add("\(subscription) \(tap.reader.id) \(result)\(tap.reading.proofWord)")
        return true
    }

    func send(_ removal: BackgroundRemoval, of subscription: SubscriptionID) {
        add("\(subscription) \(removal.reader.id) removed")
    }

    func send(_ event: CoordinatorEvent) { add(event.words) }

    private func add(_ words: String) {
        received.withLock { $0.append(words) }
        sink.yield(words)
    }
}

extension CoordinatorEvent {
    /// One line for tables: `desk attached`, `session-1 began on desk`.
    var words: String {
        switch self {
        case .readerAttached(let reader): "\(reader.id) attached"
        case .readerDetached(let reader): "\(reader.id) detached"
        case .readerFailed(let reader, let reason): "\(reader.id) failed: \(reason)"
        case .readerRecovered(let reader): "\(reader.id) recovered"
        case .tagArrived(let reader): "\(reader.id) tag"
        case .tagLeft(let reader): "\(reader.id) empty"
        case .sessionBegan(let session):
            "\(session.id) of \(session.client.label) began on \(session.readers.map(\.rawValue).joined(separator: " "))"
        case .sessionEnded(let session, let reason): "\(session) ended \(reason.code.rawValue)"
        case .noticeShown(let notice): "\(notice.id.rawValue) of \(notice.client.label) shown: \(notice.text)"
        case .noticeHidden(let notice): "\(notice.rawValue) hidden"
        }
    }
}

extension Desk {
    /// How many commands were sent to tags.
    var exchanges: UInt64 { coordinator.metrics.snapshot.exchanges.counts.reduce(0, +) }

    /// Subscribes, and lets the client know the name.
    @discardableResult
    func subscribe(
        _ watcher: Watcher, _ filter: BackgroundFilter = BackgroundFilter(), removals: Bool = false
    ) async throws -> SubscriptionID {
        let id = try await coordinator.subscribe(filter, removals: removals, for: watcher)
        await coordinator.announce(id)
        return id
    }
}

extension BackgroundDesk {
    /// Ends the reading of a tag, with the filters compared at once.
    @discardableResult
    mutating func finish(_ arrival: TagArrival, _ tap: BackgroundTap) -> Bool {
        var matches = TapMatches(tap)
        for candidate in candidates(for: arrival) { matches.compare(candidate) }
        return finish(arrival, matches)
    }
}
