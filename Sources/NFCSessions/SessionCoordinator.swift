public import Logging
public import NFCReaders
public import NFCTags

/// Decides who gets a tag: one session is active on a reader at a time, others fail or wait their turn.
///
/// The rules of a session are in `SessionMachine`, those of arbitration in `ReaderClaims`; this actor feeds them with
/// what happens and does what they say.
public actor SessionCoordinator {
    private struct Session {
        var machine: SessionMachine
        let client: any SessionClient
        var alertMessage: String
        var timer: Task<Void, Never>?
        /// The tags it holds, each with its reader.
        var tags: [TagID: (held: HeldTag, reader: ReaderID)] = [:]
    }

    private let driver: any ReaderDriver
    private let limits: SessionLimits
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let inbox = ReaderEventInbox()

    private var table = ReaderTable()
    private var claims = ReaderClaims()
    private var sessions: [SessionID: Session] = [:]
    private var sessionCount = 0
    /// The last thing done on each reader: the next waits for it, so that two never meet on a tag.
    private var errands: [ReaderID: Task<Void, Never>] = [:]
    /// A tag that was just connected to, until its session holds it.
    private var found: (held: HeldTag, reader: ReaderID)?

    /// A coordinator for the readers of a driver; `run` makes it follow them.
    public init(
        driver: any ReaderDriver, limits: SessionLimits = SessionLimits(),
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger
    ) {
        self.driver = driver
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
        return id
    }

    /// Begins a session: it becomes active, waits, or ends, and its client hears of it.
    public func begin(_ id: SessionID) async {
        // Right after a restart of the PC/SC service, the readers are there but not yet seen.
        await lookAgain()
        start(id)
    }

    /// Detects the tags in the field anew. Without effect on a session that is not active.
    public func restartPolling(_ id: SessionID, by client: ClientID) throws(SessionError) {
        try check(id, client)
        let present = arrivals(within: claims.claim(of: id))
        update(id) { $0.restartPolling(present: present) }
    }

    /// Makes a reported tag the one that takes commands.
    ///
    /// - Throws: ``TagError`` 100 where the tag is not in the field, 103 where the session is over.
    public func connect(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) {
        guard isOwn(id, client), var session = sessions[id] else { throw .invalidated(id) }
        let objection = session.machine.connect(tag)
        sessions[id] = session
        if let objection { throw TagError(objection, "\(tag) is not in the field") }
    }

    /// The tag that takes a session's commands.
    ///
    /// - Throws: ``TagError`` 100 where the tag is not in the field, 103 where the session is over, 104 where the tag is not
    ///   connected.
    public func connectedTag(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) -> HeldTag {
        guard isOwn(id, client), let session = sessions[id] else { throw .invalidated(id) }
        switch session.machine.objection(toCommanding: tag) {
        case .tagNotConnected?: throw TagError(.tagNotConnected, "\(tag) was not connected to with session.connect")
        case let objection?: throw TagError(objection, "\(tag) is not in the field")
        case nil: break
        }
        guard let held = session.tags[tag]?.held else {
            throw TagError(.tagConnectionLost, "\(tag) is not in the field")
        }
        return held
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
        endAll(Invalidation(.sessionTerminatedUnexpectedly, "the client disconnected")) { $0.client.id == client }
    }

    /// Brings the table up to date.
    private func lookAgain() async {
        await driver.refresh()
        takeEvents()
    }

    private func check(_ id: SessionID, _ client: ClientID) throws(SessionError) {
        guard isOwn(id, client) else { throw .invalidated(id) }
    }

    private func isOwn(_ id: SessionID, _ client: ClientID) -> Bool {
        sessions[id]?.client.id == client
    }

    // MARK: What happens on readers

    private func takeEvents() {
        let events = inbox.take()
        guard !events.isEmpty else { return }
        for event in events {
            logger.debug("\(event)")
            table.apply(event)
            tell(event)
        }
        startWaiting()
    }

    private func tell(_ event: ReaderEvent) {
        switch event {
        case .tagArrived(let arrival): updateHolder(of: arrival.reader) { $0.tagArrived(arrival) }
        case .tagLeft(let reader): updateHolder(of: reader) { $0.tagLeft(reader) }
        case .tagMute(let reader): logger.notice("something on \(reader) does not answer; move it")
        case .detached(let reader):
            updateHolder(of: reader) { $0.tagLeft(reader) }
            endWithoutReaders("reader \(reader) was unplugged")
        case .serviceUnavailable(let reason): endActive(reason)
        case .failed(let reader, let reason): logger.error("reader \(reader) failed: \(reason)")
        case .recovered(let reader): logger.notice("reader \(reader) works again")
        case .attached(let reader): logger.info("reader \(reader.id) attached: \(reader.name)")
        case .described(let reader): logger.info("reader \(reader.id) is of profile \(reader.profile.slug)")
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

    private func start(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        let claim = claim(for: session.machine.request)
        let standing = standing(of: id, wanting: claim, session.machine.request)
        update(id) { $0.begin(standing) }
        if sessions[id]?.machine.isWaiting == true { claims.wait(id, claim) }
    }

    /// Those who wait get their turn in their order.
    private func startWaiting() {
        for id in claims.waiting { start(id) }
    }

    private func claim(for request: SessionRequest) -> ReaderClaims.Claim {
        guard let names = request.readers else { return .all }
        let wanted = table.entries.filter { entry in names.contains { entry.description.matches($0) } }
        return .some(Set(wanted.map(\.description.id)))
    }

    private func standing(
        of id: SessionID, wanting claim: ReaderClaims.Claim, _ request: SessionRequest
    ) -> SessionMachine.Standing {
        if let reason = table.unavailable { return .serviceUnavailable(reason) }
        guard hasReader(claim) else { return .noReader(missing(request.readers)) }
        guard let other = claims.obstacle(to: id, wanting: claim) else { return .clear }
        return .busy("held by \(sessions[other]?.client.label ?? "another session")")
    }

    private func hasReader(_ claim: ReaderClaims.Claim?) -> Bool {
        table.entries.contains { claim?.contains($0.description.id) ?? false }
    }

    private func missing(_ wanted: [String]?) -> String {
        guard let wanted, !table.entries.isEmpty else { return "no reader is plugged in" }
        let known = table.entries.map(\.description.id.rawValue).joined(separator: ", ")
        return "no reader is called \(wanted.joined(separator: " or ")); there are: \(known)"
    }

    private func arrivals(within claim: ReaderClaims.Claim?) -> [TagArrival] {
        table.entries.filter { claim?.contains($0.description.id) ?? false }.compactMap(\.tag)
    }

    // MARK: Doing what the machine says

    private func end(_ id: SessionID, _ reason: Invalidation) {
        update(id) { $0.invalidate(reason) }
    }

    /// Ends sessions, those that wait first: otherwise they would become active on their way out.
    private func endAll(_ reason: Invalidation, where isMeant: (Session) -> Bool) {
        for id in claims.waiting + sessions.keys {
            guard let session = sessions[id], isMeant(session) else { continue }
            end(id, reason)
        }
    }

    private func update(_ id: SessionID, _ event: (inout SessionMachine) -> [SessionMachine.Action]) {
        guard var session = sessions[id] else { return }
        let actions = event(&session.machine)
        sessions[id] = session
        for action in actions { perform(action, for: id, session.client) }
        if session.machine.isInvalidated { startWaiting() }
    }

    private func perform(_ action: SessionMachine.Action, for id: SessionID, _ client: any SessionClient) {
        switch action {
        case .activate: activate(id)
        case .read(let arrival, let polling): read(arrival, polling: polling, for: id)
        case .connect(let arrival, let polling): connect(arrival, polling: polling, for: id)
        case .hold(let tag): hold(tag, for: id)
        case .letGo(let tag):
            let gone = TagError(.tagConnectionLost, "\(tag) is not in the field")
            if let (held, reader) = sessions[id]?.tags.removeValue(forKey: tag) { letGo(held, on: reader, gone) }
        case .notify(let event): notify(event, of: id, client)
        case .end: forget(id)
        }
    }

    private func notify(_ event: SessionEvent, of id: SessionID, _ client: any SessionClient) {
        client.send(event, of: id)
        switch event {
        case .didBecomeActive:
            logger.info("\(id) of \(client.label) is active")
            for arrival in arrivals(within: claims.claim(of: id)) { update(id) { $0.tagArrived(arrival) } }
        case .didInvalidate(let reason):
            logger.info("\(id) of \(client.label) ended: \(reason.code.rawValue) \(reason.code.name) \(reason.detail)")
        case .didDetectNDEFs, .didDetectTags, .tagRemoved: break
        }
    }

    private func forget(_ id: SessionID) {
        claims.release(id)
        guard let session = sessions.removeValue(forKey: id) else { return }
        session.timer?.cancel()
        for (held, reader) in session.tags.values { letGo(held, on: reader, .invalidated(id)) }
    }

    private func activate(_ id: SessionID) {
        guard let request = sessions[id]?.machine.request else { return }
        claims.hold(id, claim(for: request))
        let limit = min(request.timeout ?? limits.timeout, limits.timeout)
        sessions[id]?.timer = Task { [clock] in
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            end(id, Invalidation(.sessionTimeout, "the session was active for \(limit)"))
        }
    }

    // MARK: On readers, one thing after another

    private func read(_ arrival: TagArrival, polling: Int, for id: SessionID) {
        onReader(arrival.reader) { [driver] in
            guard await self.isOpen(id), let reader = await self.description(of: arrival.reader) else { return }
            let result = await TagReading.perform(arrival, on: reader, driver: driver)
            await self.update(id) {
                $0.tagRead(arrival, polling: polling, on: reader, identity: result.identity, result.reading)
            }
            await driver.signal(result.reading.failure == nil ? .success : .failure, on: reader)
        }
    }

    private func connect(_ arrival: TagArrival, polling: Int, for id: SessionID) {
        onReader(arrival.reader) { [driver, logger] in
            guard await self.isOpen(id), let reader = await self.description(of: arrival.reader) else { return }
            do throws(TagError) {
                let held = try await HeldTag.connect(arrival, on: reader, driver: driver)
                await self.take(held, of: arrival, polling: polling, on: reader, for: id)
            } catch {
                logger.notice("a tag on \(arrival.reader) could not be connected to: \(error)")
            }
        }
    }

    /// Offers a tag to the session that asked for it; one that nobody wants any more is let go of.
    private func take(
        _ held: HeldTag, of arrival: TagArrival, polling: Int, on reader: ReaderDescription, for id: SessionID
    ) {
        found = (held, reader.id)
        update(id) { $0.tagFound(arrival, polling: polling, on: reader, identity: held.identity) }
        if let (unwanted, reader) = found { letGo(unwanted, on: reader, .invalidated(id)) }
        found = nil
    }

    private func hold(_ tag: TagID, for id: SessionID) {
        sessions[id]?.tags[tag] = found
        found = nil
    }

    private func letGo(_ held: HeldTag, on reader: ReaderID, _ reason: TagError) {
        onReader(reader) { [driver] in
            await held.close(reason)
            guard let outcome = held.outcome, let reader = await self.description(of: reader) else { return }
            await driver.signal(outcome, on: reader)
        }
    }

    /// What is known of a reader by now: the tag before may have shown what it can do.
    private func description(of reader: ReaderID) -> ReaderDescription? {
        takeEvents()
        return table[reader]?.description
    }

    private func isOpen(_ id: SessionID) -> Bool { sessions[id] != nil }

    private func onReader(_ reader: ReaderID, _ errand: @escaping @Sendable () async -> Void) {
        let previous = errands[reader]
        errands[reader] = Task {
            await previous?.value
            await errand()
        }
    }
}

extension TagError {
    fileprivate static func invalidated(_ id: SessionID) -> TagError {
        TagError(.sessionInvalidated, "\(SessionError.invalidated(id))")
    }
}
