public import Logging
public import NFCReaders
public import NFCTags
import Synchronization

/// Decides who gets a tag: one session is active on a reader at a time, others fail or wait their turn.
///
/// The rules of a session are in `SessionMachine`, those of arbitration in `ReaderClaims`; this actor feeds them with
/// what happens and does what they say.
public actor SessionCoordinator {
    struct Session {
        var machine: SessionMachine
        let client: any SessionClient
        var alertMessage: String
        /// Ends the session's waiting, or its time.
        var timer: Task<Void, Never>?
    }

    let driver: any ReaderDriver
    /// What bounds sessions.
    public internal(set) var limits: SessionLimits
    let clock: any Clock<Duration>
    let logger: Logger
    private let inbox = ReaderEventInbox()

    var table = ReaderTable()
    var claims = ReaderClaims()
    var sessions: [SessionID: Session] = [:]
    private var sessionCount = 0
    /// The last thing done on each reader: the next waits for it, so that two never meet on a tag.
    var errands: [ReaderID: Task<Void, Never>] = [:]

    /// What is counted.
    public nonisolated let metrics = Metrics()
    let uptime: Stopwatch
    var times = SessionTimes()
    var background = BackgroundDesk()
    var listeners: [ClientID: any EventClient] = [:]

    /// A coordinator for the readers of a driver; `run` makes it follow them.
    public init(
        driver: any ReaderDriver, limits: SessionLimits = SessionLimits(),
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger
    ) {
        uptime = Stopwatch(clock)
        self.driver = MeasuredDriver(driver: driver, clock: uptime, metrics: metrics)
        self.limits = limits
        self.clock = clock
        self.logger = logger
    }

    /// Follows the readers until the task is cancelled; then every session ends with 202.
    public func run() async {
        let (driver, inbox) = (driver, inbox)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await driver.run { inbox.add($0) }
                inbox.finish()
            }
            for await _ in inbox.rings { takeEvents() }
        }
        table.apply(.serviceUnavailable(reason: "nfcd is stopping"))
        endAll(Invalidation(.sessionTerminatedUnexpectedly, "nfcd is stopping")) { _ in true }
    }

    // MARK: Requests

    /// The readers there are, with the session that holds each.
    public func readers() async -> [(entry: ReaderTable.Entry, isInUse: Bool)] {
        await lookAgain()
        return table.entries.map { ($0, claims.holder(of: $0.description.id) != nil) }
    }

    /// Makes a session. It does nothing before `begin`, so that its name reaches the client before its events.
    public func open(_ request: SessionRequest, for client: any SessionClient) throws(SessionError) -> SessionID {
        guard sessions.values.count(where: { $0.client.id == client.id }) < limits.sessionsPerClient else {
            throw .tooManySessions(limit: limits.sessionsPerClient)
        }
        sessionCount += 1
        let id = SessionID(rawValue: "session-\(sessionCount)")
        sessions[id] = Session(
            machine: SessionMachine(request: request), client: client, alertMessage: request.alertMessage)
        times.opened(id, at: uptime.elapsed)
        return id
    }

    /// Begins a session: it becomes active, waits, or ends, and its client hears of it.
    public func begin(_ id: SessionID) async {
        // Right after a restart of the PC/SC service, the readers are there but not yet seen.
        await lookAgain()
        start(id)
    }

    /// Changes the text that is shown for a session.
    public func setAlertMessage(_ message: String, of id: SessionID, by client: ClientID) throws(SessionError) {
        try check(id, client)
        sessions[id]?.alertMessage = message
    }

    /// Ends a session with 200, as its client wishes. An error message is kept as the detail.
    public func invalidate(_ id: SessionID, errorMessage: String?, by client: ClientID) throws(SessionError) {
        try check(id, client)
        end(id, Invalidation(.userCanceled, errorMessage ?? ""))
    }

    /// Ends the sessions of a client that is gone.
    public func clientLeft(_ client: ClientID) {
        // Its virtual tags are gone already: the next session must not be told of them.
        takeEvents()
        stopListening(client)
        endAll(Invalidation(.sessionTerminatedUnexpectedly, "the client disconnected")) { $0.client.id == client }
    }

    /// Brings the table up to date.
    private func lookAgain() async {
        await driver.refresh()
        takeEvents()
    }

    func check(_ id: SessionID, _ client: ClientID) throws(SessionError) {
        guard isOwn(id, client) else { throw .invalidated(id) }
    }

    func isOwn(_ id: SessionID, _ client: ClientID) -> Bool {
        sessions[id]?.client.id == client
    }

    // MARK: What happens on readers

    func takeEvents() {
        let events = inbox.take()
        guard !events.isEmpty else { return }
        var look: [TagArrival] = []
        for event in events {
            logger.debug("\(event)")
            metrics.changed()
            lookOn(event)
            table.apply(event)
            if case .tagArrived(let arrival) = event {
                look.append(arrival)
            } else {
                tellArrivals(&look)
                tell(event)
            }
        }
        tellArrivals(&look)
        startWaiting()
    }

    private func tell(_ event: ReaderEvent) {
        switch event {
        case .tagArrived: break
        case .tagLeft(let reader): updateHolder(of: reader) { $0.tagLeft(reader) }
        case .tagMute(let reader):
            logger.notice("something on \(reader) does not answer; move it", metadata: ["reader": "\(reader)"])
        case .detached(let reader):
            updateHolder(of: reader) { $0.tagLeft(reader) }
            endWithoutReaders("reader \(reader) was unplugged")
        case .serviceUnavailable(let reason): endActive(reason)
        case .failed(let reader, let reason):
            logger.error("reader \(reader) failed: \(reason)", metadata: ["reader": "\(reader)"])
        case .recovered(let reader): logger.notice("reader \(reader) works again", metadata: ["reader": "\(reader)"])
        case .attached(let reader):
            logger.info("reader \(reader.id) attached: \(reader.name)", metadata: ["reader": "\(reader.id)"])
        case .described(let reader):
            logger.info(
                "reader \(reader.id) is of profile \(reader.profile.slug)", metadata: ["reader": "\(reader.id)"])
        case .serviceAvailable: logger.info("readers can be seen")
        }
    }

    private func updateHolder(of reader: ReaderID, _ event: (inout SessionMachine) -> [SessionMachine.Action]) {
        guard let id = claims.holder(of: reader) else { return }
        update(id, event)
    }

    private func endActive(_ reason: String) {
        logger.warning("no readers: \(reason)")
        for (id, session) in sessions where session.machine.isActive {
            end(id, Invalidation(.sessionTerminatedUnexpectedly, reason))
        }
    }

    private func endWithoutReaders(_ reason: String) {
        for (id, session) in sessions where session.machine.isActive && !session.machine.request.waitForReader {
            guard !hasReader(claims.claim(of: id)) else { continue }
            end(id, Invalidation(.sessionTerminatedUnexpectedly, reason))
        }
    }

    // MARK: Arbitration

    func start(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        let claim = claim(for: session.machine.request)
        let standing = standing(of: id, wanting: claim, session.machine.request)
        update(id) { $0.begin(standing) }
        guard sessions[id]?.machine.isWaiting == true else { return }
        claims.wait(id, claim)
        limitWaiting(id)
    }

    /// Those who wait get their turn in their order.
    private func startWaiting() {
        for id in claims.waiting { start(id) }
    }

    func claim(for request: SessionRequest) -> ReaderClaims.Claim {
        guard !request.takesEveryReader else { return .all }
        return .some(Set(table.entries.map(\.description).filter { request.takes($0) }.map(\.id)))
    }

    // MARK: Doing what the machine says

    func end(_ id: SessionID, _ reason: Invalidation) {
        update(id) { $0.invalidate(reason) }
    }

    /// Ends sessions, those that wait first: otherwise they would become active on their way out.
    func endAll(_ reason: Invalidation, where isMeant: (Session) -> Bool) {
        for id in claims.waiting + sessions.keys {
            guard let session = sessions[id], isMeant(session) else { continue }
            end(id, reason)
        }
    }

    func update(_ id: SessionID, _ event: (inout SessionMachine) -> [SessionMachine.Action]) {
        guard var session = sessions[id] else { return }
        let actions = event(&session.machine)
        sessions[id] = session
        for action in actions { perform(action, for: id, session.client) }
        if session.machine.isInvalidated { startWaiting() }
    }

    private func perform(_ action: SessionMachine.Action, for id: SessionID, _ client: any SessionClient) {
        switch action {
        case .activate:
            // Before the client is told: what it does next comes later.
            times.became(active: id, at: uptime.elapsed)
            activate(id)
        case .read(let arrival, let polling): read(arrival, polling: polling, for: id)
        case .connect(let arrival, let polling): connect(arrival, polling: polling, for: id)
        case .letGo(let held, let reader): letGo(held, on: reader, of: id)
        case .notify(let event): notify(event, of: id, client)
        case .end: forget(id)
        }
    }

    private func notify(_ event: SessionEvent, of id: SessionID, _ client: any SessionClient) {
        client.send(event, of: id)
        lookOn(event, of: id)
        metrics.changed()
        let subject: Logger.Metadata = ["session": "\(id)", "client": "\(client.label)"]
        switch event {
        case .didBecomeActive:
            logger.info("\(id) of \(client.label) is active", metadata: subject)
            update(id) { $0.tagsArrived(arrivals(within: claims.claim(of: id))) }
        case .didInvalidate(let reason):
            logger.info(
                "\(id) of \(client.label) ended: \(reason.code.rawValue) \(reason.code.name) \(reason.detail)",
                metadata: subject)
        case .tagFailed(let reader, let error):
            logger.notice("a tag on \(reader.id) could not be connected to: \(error)", metadata: subject)
        case .didDetectNDEFs, .didDetectTags, .tagRemoved: break
        }
    }

    private func forget(_ id: SessionID) {
        claims.release(id)
        sessions.removeValue(forKey: id)?.timer?.cancel()
    }
}

extension TagError {
    static func invalidated(_ id: SessionID) -> TagError {
        TagError(.sessionInvalidated, "\(SessionError.invalidated(id))")
    }
}

extension SessionCoordinator {
    /// Begins a session, or ends it at once where its client is not entitled to it.
    public func begin(_ id: SessionID, unless objection: TagError?) async {
        guard let objection else { return await begin(id) }
        end(id, Invalidation(objection.code, objection.detail))
    }

    /// Puts other limits in force; a session that is active keeps the time it was given.
    public func replace(limits: SessionLimits) { self.limits = limits }
}

// What stands between a session and its readers, and how long it waits and lasts.

extension SessionCoordinator {
    func standing(
        of id: SessionID, wanting claim: ReaderClaims.Claim, _ request: SessionRequest
    ) -> SessionMachine.Standing {
        if let reason = table.unavailable { return .serviceUnavailable(reason) }
        guard hasReader(claim) else { return .noReader(missing(request.readerNames)) }
        if let lack = lack(within: claim, of: request.polling) { return .noReader(lack) }
        guard let other = claims.obstacle(to: id, wanting: claim) else { return .clear }
        return .busy("held by \(sessions[other]?.client.label ?? "another session")")
    }

    func hasReader(_ claim: ReaderClaims.Claim?) -> Bool {
        table.entries.contains { claim?.contains($0.description.id) ?? false }
    }

    private func missing(_ wanted: [String]?) -> String {
        guard let wanted, !table.entries.isEmpty else { return "no reader is plugged in" }
        let known = table.entries.map(\.description.id.rawValue).joined(separator: ", ")
        return "no reader is called \(wanted.joined(separator: " or ")); there are: \(known)"
    }

    /// Says that none of the readers has any of the technologies; nil where one has.
    private func lack(within claim: ReaderClaims.Claim, of technologies: Set<PollingTechnology>) -> String? {
        let readers = table.entries.map(\.description).filter { claim.contains($0.id) }
        let needed = Set(technologies.map(\.readerTechnology))
        guard readers.allSatisfy({ needed.isDisjoint(with: $0.technologies) }) else { return nil }
        let words = technologies.map(\.rawValue).sorted().joined(separator: " or ")
        let known = readers.map { "\($0.id) has \($0.technologies.map(\.rawValue).joined(separator: ", "))" }
        return "no reader of the session has \(words); \(known.joined(separator: "; "))"
    }

    func activate(_ id: SessionID) {
        guard let request = sessions[id]?.machine.request else { return }
        claims.hold(id, claim(for: request))
        let limit = min(request.timeout ?? limits.timeout, limits.timeout)
        startTimer(of: id, limit) { coordinator in
            coordinator.end(id, Invalidation(.sessionTimeout, "the session was active for \(limit)"))
        }
    }

    /// Starts the clock of a session's waiting, once.
    func limitWaiting(_ id: SessionID) {
        guard let limit = sessions[id]?.machine.request.queueTimeout, sessions[id]?.timer == nil else { return }
        startTimer(of: id, limit) { coordinator in coordinator.update(id) { $0.waitedTooLong() } }
    }

    /// Starts a session's clock, in place of the one before.
    private func startTimer(
        of id: SessionID, _ limit: Duration, _ body: @escaping @Sendable (isolated SessionCoordinator) -> Void
    ) {
        sessions[id]?.timer?.cancel()
        sessions[id]?.timer = Task { [clock] in
            guard (try? await clock.sleep(for: limit)) != nil, !Task.isCancelled else { return }
            body(self)
        }
    }
}

/// Takes events from drivers, on whatever thread, and keeps them in order until the coordinator takes them.
final class ReaderEventInbox: Sendable {
    private let events = Mutex<[ReaderEvent]>([])
    private let bell: AsyncStream<Void>.Continuation
    /// Rings when there is something to take.
    let rings: AsyncStream<Void>

    init() {
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an event.
    func add(_ event: ReaderEvent) {
        events.withLock { $0.append(event) }
        bell.yield()
    }

    /// Takes all there are.
    func take() -> [ReaderEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// No event will follow.
    func finish() {
        bell.finish()
    }
}
