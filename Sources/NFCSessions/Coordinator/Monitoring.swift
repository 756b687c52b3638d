public import NFCTypes
import Logging
public import NFCReaders
import NFCTags

/// What happens on readers and in sessions, for those who look on.
public enum CoordinatorEvent: Sendable {
    /// A reader was plugged in.
    case readerAttached(ReaderDescription)
    /// A reader was unplugged, or the PC/SC service that showed it is gone.
    case readerDetached(ReaderID)
    /// A reader no longer answers, with the reason in words.
    case readerFailed(ReaderID, reason: String)
    /// A failed reader answers again.
    case readerRecovered(ReaderID)
    /// A tag came into the field of a reader.
    case tagArrived(ReaderID)
    /// The tag left the field of a reader.
    case tagLeft(ReaderID)
    /// A session became active.
    case sessionBegan(SessionSummary)
    /// A session is over, also one that never became active.
    case sessionEnded(SessionID, Invalidation)
}

/// A client that looks on.
public protocol EventClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// Tells it what happened. Called in order; must not block.
    func tell(_ event: CoordinatorEvent)
}

// What those who look on are told.

extension SessionCoordinator {
    /// From now on tells a client what happens; once, however often it is asked.
    public func addListener(_ client: any EventClient) {
        // What happened before is the present state, which the client asks for itself.
        takeEvents()
        listeners[client.id] = client
    }

    /// Forgets what a client that is gone wanted to hear.
    func stopListening(_ client: ClientID) {
        listeners[client] = nil
        background.forget(client)
    }

    /// A reader event, before it is told to sessions and while the table still shows what was.
    func lookOn(_ event: ReaderEvent) {
        switch event {
        case .attached(let reader): tellAll(.readerAttached(reader))
        case .detached(let reader):
            background.tagLeft(reader)
            tellAll(.readerDetached(reader))
        case .failed(let reader, let reason): tellAll(.readerFailed(reader, reason: reason))
        case .recovered(let reader): tellAll(.readerRecovered(reader))
        case .tagArrived(let arrival):
            metrics.countTap()
            tellAll(.tagArrived(arrival.reader))
            readInBackground(arrival)
        case .tagLeft(let reader):
            background.tagLeft(reader)
            tellAll(.tagLeft(reader))
        case .serviceUnavailable:
            for entry in table.entries { tellAll(.readerDetached(entry.description.id)) }
        case .tagMute(let reader): background.tagLeft(reader)
        case .serviceAvailable, .described: break
        }
    }

    /// A session event, right after its client was told.
    func lookOn(_ event: SessionEvent, of id: SessionID) {
        switch event {
        case .didBecomeActive:
            if let claim = claims.claim(of: id) { background.takeOver(claim) }
            if let summary = summary(of: id) { tellAll(.sessionBegan(summary)) }
        case .didInvalidate(let reason):
            metrics.countSession(reason.code, active: times.ended(id, at: uptime.elapsed))
            tellAll(.sessionEnded(id, reason))
        case .didDetectNDEFs, .didDetectTags, .tagFailed, .tagRemoved: break
        }
    }

    private func tellAll(_ event: CoordinatorEvent) {
        for client in listeners.values { client.tell(event) }
    }
}

/// A session as an operator sees it.
public struct SessionSummary: Sendable {
    /// Its name.
    public let id: SessionID
    /// Whose it is.
    public let client: any SessionClient
    /// What was asked for.
    public let request: SessionRequest
    /// The text that is shown for it.
    public let alertMessage: String
    /// See ``State``.
    public let state: SessionState
    /// The readers it holds or waits for, as far as they are plugged in.
    public let readers: [ReaderID]
    /// How long it has been in this state.
    public let age: Duration
    /// How long it stays active at most; nil while it waits.
    public let remaining: Duration?
}

// What an operator sees and does.

extension SessionCoordinator {
    /// The sessions that are active, then those that wait in their order.
    public func summaries() -> [SessionSummary] {
        takeEvents()
        let active = sessions.filter { $0.value.machine.isActive }.keys.compactMap { summary(of: $0) }
        return active.sorted { $0.age > $1.age } + claims.waiting.compactMap { summary(of: $0) }
    }

    /// Ends anybody's session with 200. The message is kept as the detail.
    ///
    /// - Throws: ``SessionError`` where it is over, or never was.
    public func cancel(_ id: SessionID, errorMessage: String?) throws(SessionError) {
        guard sessions[id] != nil else { throw .invalidated(id) }
        end(id, Invalidation(.userCanceled, errorMessage ?? "an operator ended the session"))
    }

    /// The system slept: whatever lay on a reader may be gone, and nobody saw it go. Every session ends with 202.
    public func systemWasSuspended(for duration: Duration) {
        logger.notice("the system was suspended for \(duration)")
        endAll(Invalidation(.sessionTerminatedUnexpectedly, "the system was suspended")) { _ in true }
    }

    /// The metrics of the moment as Prometheus text; see ``MetricsText``.
    public func metricsText(version: String) async -> String {
        let readers = await readers()
        let waiting = claims.waiting
        var queues: [ReaderID: Int] = [:]
        for id in waiting { for reader in wantedReaders(of: id) { queues[reader, default: 0] += 1 } }
        let moment = MetricsMoment(
            version: version, uptime: uptime.elapsed, readers: readers.map { ReaderStatus($0, isInUse: $1) },
            queues: readers.map { ($0.entry.description.id.rawValue, queues[$0.entry.description.id] ?? 0) },
            activeSessions: sessions.values.count { $0.machine.isActive }, queuedSessions: waiting.count,
            backgroundSubscriptions: background.count, eventSubscribers: listeners.count)
        return metrics.text(moment)
    }

    /// A session as an operator sees it; nil while it neither waits nor is active.
    func summary(of id: SessionID) -> SessionSummary? {
        guard let session = sessions[id], session.machine.isActive || session.machine.isWaiting else { return nil }
        let isActive = session.machine.isActive
        let age = times.age(of: id, at: uptime.elapsed)
        let limit = min(session.machine.request.timeout ?? limits.timeout, limits.timeout)
        return SessionSummary(
            id: id, client: session.client, request: session.machine.request, alertMessage: session.alertMessage,
            state: isActive ? .active : .queued, readers: wantedReaders(of: id), age: age,
            remaining: isActive ? max(.zero, limit - age) : nil)
    }

    private func wantedReaders(of id: SessionID) -> [ReaderID] {
        guard let session = sessions[id] else { return [] }
        let claim = claims.claim(of: id) ?? claim(for: session.machine.request)
        return table.entries.map(\.description.id).filter { claim.contains($0) }
    }
}

/// How much there is of everything, for a line of status.
public struct Overview: Sendable, Hashable, CustomStringConvertible {
    /// Why no reader can be seen; nil: they can.
    public let unavailable: String?
    /// Readers that are plugged in.
    public let readers: Int
    /// Those of them that failed.
    public let failedReaders: Int
    /// Sessions that are active.
    public let sessions: Int
    /// Sessions that wait for a reader.
    public let waitingSessions: Int
    /// Connected clients.
    public let clients: Int

    /// Such as `2 readers, 1 session, 5 clients`.
    public var description: String {
        let failed = failedReaders > 0 ? " (\(failedReaders) failed)" : ""
        let waiting = waitingSessions > 0 ? " (\(waitingSessions) more waiting)" : ""
        let seen = unavailable.map { "no readers: \($0)" } ?? Self.count(readers, "reader") + failed
        return [seen, Self.count(sessions, "session") + waiting, Self.count(clients, "client")].joined(separator: ", ")
    }

    private static func count(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }
}

extension SessionCoordinator {
    /// How much there is of everything. An answer also shows that the coordinator is alive.
    public func overview() -> Overview {
        Overview(
            unavailable: table.unavailable, readers: table.entries.count,
            failedReaders: table.entries.count { $0.failure != nil },
            sessions: sessions.values.count { $0.machine.isActive }, waitingSessions: claims.waiting.count,
            clients: metrics.snapshot.clients)
    }
}

extension ReaderStatus {
    /// What a reader is doing that a session holds, or that none does.
    public init(_ entry: ReaderTable.Entry, isInUse: Bool) {
        if entry.failure != nil {
            self = .failed
        } else if isInUse {
            self = .inUse
        } else {
            self = entry.tag == nil ? .empty : .present
        }
    }
}

/// Since when sessions have been in their state, in time since nfcd began.
struct SessionTimes: Sendable {
    private struct Entry: Sendable {
        var since: Duration
        var isActive = false
    }

    private var entries: [SessionID: Entry] = [:]

    /// A session was made.
    mutating func opened(_ id: SessionID, at time: Duration) {
        entries[id] = Entry(since: time)
    }

    /// A session became active.
    mutating func became(active id: SessionID, at time: Duration) {
        entries[id] = Entry(since: time, isActive: true)
    }

    /// A session is over. Returns how long it was active; nil where it never was.
    mutating func ended(_ id: SessionID, at time: Duration) -> Duration? {
        guard let entry = entries.removeValue(forKey: id), entry.isActive else { return nil }
        return time - entry.since
    }

    /// How long a session has been in its state.
    func age(of id: SessionID, at time: Duration) -> Duration {
        entries[id].map { time - $0.since } ?? .zero
    }
}
