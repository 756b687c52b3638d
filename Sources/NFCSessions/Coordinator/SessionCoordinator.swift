public import NFCReaders
public import NFCTags
import Synchronization

/// Decides which session gets a tag: one session is active on a reader at a time, others fail or wait for their turn.
///
/// This actor handles each event of a reader once, passes it to the values that decide, and carries out what they return:
/// `SessionMachine` is the life of a session, `SessionRegistry` and `ReaderClaims` share the readers among sessions, `BackgroundDesk`
/// decides about tags that no session holds. `ReaderInbox` brings the events, `TagOperations` does the work on tags.
public actor SessionCoordinator {
    private let uptime: Stopwatch
    private let log: CoordinatorLog
    private let inbox: ReaderInbox
    private let operations: TagOperations
    /// The counters of nfcd.
    public nonisolated let metrics = Metrics()
    /// Commits taps to the journal.
    package nonisolated let recorder: TapRecorder
    /// The limits of sessions; a session that is active keeps those it began with.
    public private(set) var limits: SessionLimits
    private var table = ReaderTable()
    private var sessions = SessionRegistry()
    private var timers: SessionTimers
    private var background: BackgroundDesk
    private var listeners = EventListeners()
    private nonisolated let connected = ConnectedTags()
    /// The time between two attempts to reach a tag on a reader that another program holds.
    static let retryPause = Duration.milliseconds(500)

    /// Makes a coordinator for the readers of a driver; `run` makes it follow them.
    ///
    /// - Parameters:
    ///   - prover: nil without profiles of tags.
    ///   - personaliser: nil without profiles of tags.
    package init(
        driver: any ReaderDriver, limits: SessionLimits = SessionLimits(), taps: TapSettings = TapSettings(),
        prover: (any TagProver)? = nil, personaliser: (any TagPersonaliser)? = nil,
        clock: any Clock<Duration> = ContinuousClock(), logger: EventLog
    ) {
        let uptime = Stopwatch(clock)
        let driver = MeasuredDriver(driver: driver, clock: uptime, metrics: metrics)
        (self.uptime, self.limits) = (uptime, limits)
        log = CoordinatorLog(logger: logger)
        inbox = ReaderInbox(driver, uptime)
        recorder = TapRecorder(taps, uptime: uptime, metrics: metrics, logger: logger)
        operations = TagOperations(
            driver, inbox, recorder, prover, personaliser, uptime: uptime, metrics: metrics, log)
        timers = SessionTimers(clock: clock)
        background = BackgroundDesk(wantsEveryTap: taps.journal != nil)
    }

    /// Follows the readers until the task is cancelled; then every session ends with 202. Returns when nothing runs on a reader any more.
    public func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [inbox] in await inbox.run() }
            for await _ in inbox.signals { inbox.handle { handle($0) } }
            inbox.close()
        }
        table.apply(.serviceUnavailable(reason: "nfcd is stopping"))
        background.endReadings()
        end(sessions.sessions(), "nfcd is stopping")
        await operations.ended()
    }

    /// Replaces the limits.
    public func replace(limits: SessionLimits) { self.limits = limits }

    // MARK: Requests about sessions

    /// The readers that are plugged in, and whether a session holds each.
    public func readers() async -> [(entry: ReaderTable.Entry, isInUse: Bool)] {
        await inbox.refresh()
        return table.entries.map { ($0, sessions.holder(of: $0.description.id) != nil) }
    }

    /// Opens a session. It does nothing before `begin`, so that its name reaches the client before its events.
    public func open(_ request: SessionRequest, for client: any SessionClient) throws(SessionError) -> SessionID {
        try sessions.open(request, for: client, limit: limits.sessionsPerClient, at: uptime.elapsed)
    }

    /// Begins a session: it becomes active, waits, or ends, and its client is notified.
    ///
    /// - Parameter objection: why the client is not entitled to the session; it ends at once with this.
    public func begin(_ id: SessionID, unless objection: TagError? = nil) async {
        if let objection { return end(id, Invalidation(objection.code, objection.detail)) }
        // After a restart of the PC/SC service the readers exist, but have not been reported yet.
        await inbox.refresh()
        start(id)
        startNext()
    }

    /// Changes the text that is shown for a session.
    public func setAlertMessage(_ message: String, of id: SessionID, by client: ClientID) throws(SessionError) {
        try sessions.check(id, client)
        sessions.setAlertMessage(message, of: id)
    }

    /// Ends a session with 200 at the request of its client. An error message is kept as the detail.
    public func invalidate(_ id: SessionID, errorMessage: String?, by client: ClientID) throws(SessionError) {
        try sessions.check(id, client)
        end(id, Invalidation(.userCanceled, errorMessage ?? ""))
    }

    /// Detects the tags in the field again, each at most about twice a second. Without effect on a session that is not active.
    ///
    /// - Parameter change: what is different this time; the next restart uses the session's own options again.
    public func restartPolling(
        _ id: SessionID, _ change: PollingChange = PollingChange(), by client: ClientID
    ) throws(SessionError) {
        try sessions.check(id, client)
        let present = sessions.arrivals(for: id, in: table)
        let pause = sessions[id]?.pace.pause(before: present, at: uptime.elapsed) ?? .zero
        timers.stop(.detection, of: id)
        if pause > .zero { timers.start(.detection, of: id, after: pause) { await self.detectPresent(id) } }
        update(id) { $0.restartPolling(present: pause > .zero ? [] : present, change) }
    }

    /// Changes whether a session yields its readers to the sessions of other clients, and its tags to other programs.
    public func setYielding(_ yields: Bool, of id: SessionID, by client: ClientID) async throws(SessionError) {
        try sessions.check(id, client)
        update(id) {
            $0.setYielding(yields)
            return []
        }
        yieldToWaiting(id)
        startNext()
        for held in sessions[id]?.machine.heldTags ?? [] { await held.share(yields) }
    }

    /// Connects a session to a reported tag: from now on it takes the session's commands.
    ///
    /// - Throws: ``TagError`` 100 where the tag is not in the field, 103 where the session is over.
    public func connect(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) {
        connected.forget(id)
        try sessions.connect(tag, of: id, by: client)
    }

    /// The tag that takes a session's commands. A card of type ISO 7816 that is the session's only tag is connected by its
    /// first command.
    ///
    /// - Throws: ``TagError`` 100 where the tag is not in the field, 103 where the session is over, 104 where the tag is not
    ///   connected.
    public nonisolated func connectedTag(
        _ tag: TagID, of id: SessionID, by client: ClientID
    ) async throws(TagError) -> HeldTag {
        if let held = connected.find(tag, of: id, by: client) { return held }
        return try await takesCommands(tag, of: id, by: client)
    }

    private func takesCommands(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) -> HeldTag {
        let held = try sessions.connectedTag(tag, of: id, by: client)
        connected.note(held, tag, of: id, by: client)
        return held
    }

    /// The reader of the tag, if it would take a session's commands. The tag is not connected by this.
    public func reader(of tag: TagID, in id: SessionID, by client: ClientID) -> ReaderDescription? {
        guard sessions.isOwn(id, client), var machine = sessions[id]?.machine else { return nil }
        return if case .run(let held) = machine.command(tag) { held.reader } else { nil }
    }

    /// Ends the sessions and subscriptions of a client that disconnected.
    public func clientDisconnected(_ client: ClientID) async {
        // Its virtual tags are already gone: the next session must not be notified of them.
        await inbox.handled()
        listeners.remove(client)
        background.forget(client)
        end(sessions.sessions(of: client), "the client disconnected")
    }

    // MARK: Requests about everything

    /// Notifies a client of what happens from now on; once, however often it is added.
    public func addListener(_ client: any EventClient) async {
        await inbox.handled()  // What happened before is part of the present state, which the client asks for itself.
        listeners.add(client)
    }

    /// Shows a text to the clients that monitor nfcd.
    ///
    /// - Throws: ``NoticeError`` where the client shows as many as it may.
    public func showNotice(_ text: String, by client: any SessionClient) throws(NoticeError) -> NoticeID {
        try listeners.show(text, by: client)
    }

    /// Hides a notice. Without effect on one that the client does not show.
    public func hideNotice(_ id: NoticeID, by client: ClientID) { listeners.hide(id, by: client) }

    /// Shows failure and success at readers, as nothing else does, behind the other operations on each.
    ///
    /// - Returns: the readers that have light or sound, and whose feedback is configured.
    public func identify(_ readers: [ReaderDescription]) -> [ReaderID] { operations.identify(readers) }

    /// Subscribes a client to taps outside sessions, from now on. Nothing is sent before `announce`, so that the name of the
    /// subscription reaches the client before its taps.
    ///
    /// - Parameter removals: whether the client is notified when a tag leaves whose tap it received.
    /// - Throws: ``BackgroundError`` where the client has as many as it may.
    public func subscribe(
        _ filter: BackgroundFilter, removals: Bool = false, for client: any BackgroundClient
    ) async throws(BackgroundError) -> SubscriptionID {
        await inbox.handled()  // Tags that are in the field now arrived before.
        return try background.subscribe(filter, removals: removals, for: client)
    }

    /// Starts sending the taps of a subscription: its client knows the name.
    public func announce(_ subscription: SubscriptionID) { background.announce(subscription) }

    /// Ends a background subscription.
    ///
    /// - Throws: ``BackgroundError`` where it is not the client's.
    public func unsubscribe(_ subscription: SubscriptionID, by client: ClientID) throws(BackgroundError) {
        try background.unsubscribe(subscription, by: client)
    }

    /// The active sessions, then the waiting ones in their order.
    public func summaries() async -> [SessionSummary] {
        await inbox.handled()
        return sessions.summaries(in: table, limits, at: uptime.elapsed)
    }

    /// Ends any client's session with 200. The message is kept as the detail.
    ///
    /// - Throws: ``SessionError`` where it does not exist or has ended.
    public func cancel(_ id: SessionID, errorMessage: String?) throws(SessionError) {
        guard sessions[id] != nil else { throw .invalidated(id) }
        end(id, Invalidation(.userCanceled, errorMessage ?? "an operator ended the session"))
    }

    /// Ends the sessions that the access rules in force no longer allow, with 2.
    public func accessRulesChanged() {
        let reason = "the access rules of nfcd were changed, and no longer allow this session; ask who configures nfcd"
        let forbidden = sessions.forbidden()
        if !forbidden.isEmpty { log.ended(forbidden.count, reason) }
        end(forbidden, reason, .securityViolation)
    }

    /// Ends every session with 202: tags may have left while the system was suspended, and no reader reported it.
    public func systemWasSuspended(for duration: Duration) {
        log.suspended(duration)
        end(sessions.sessions(), "the system was suspended")
    }

    /// The numbers for a status line. An answer also shows that the coordinator is alive.
    public func overview() -> Overview {
        Overview(table, sessions, clients: metrics.snapshot.clients, journal: recorder.trouble)
    }

    /// The metrics of the moment as Prometheus text; see ``MetricsText``.
    public func metricsText(version: String) async -> String {
        let readers = await readers().map { ReaderStatus($0, isInUse: $1) }
        var moment = MetricsMoment(version: version, uptime: uptime.elapsed, readers: readers, sessions, in: table)
        (moment.backgroundSubscriptions, moment.eventSubscribers) = (background.count, listeners.count)
        moment.journal = await recorder.moment()
        return metrics.text(moment)
    }

    // MARK: Events of readers

    /// Handles what drivers have reported.
    private func handle(_ reports: [ReaderInbox.Report]) {
        // Tags that were reported together are delivered together.
        var arrivals: [TagArrival] = []
        for (event, time) in reports {
            log.received(event)
            metrics.changed()
            recorder.follow(event, at: time)
            observe(event)
            table.apply(event)
            if case .tagArrived(let arrival) = event {
                arrivals.append(arrival)
            } else {
                deliver(arrivals)
                arrivals = []
                handle(event)
            }
        }
        deliver(arrivals)
        guard reports.contains(where: \.event.changesReaders) else { return }
        for id in sessions.readersChanged(in: table) { start(id) }
        startNext()
    }

    /// Passes an event to listeners and background reading, while the table still shows the state before it.
    private func observe(_ event: ReaderEvent) {
        for change in CoordinatorEvent.events(for: event, in: table) { listeners.send(change) }
        switch event {
        case .tagArrived(let arrival):
            metrics.countTap()
            readInBackground(arrival)
        case .tagLeft(let reader), .tagMute(let reader), .detached(let reader), .failed(let reader, _):
            background.tagLeft(reader)
        case .serviceStarting, .serviceUnavailable:
            for entry in table.entries { background.tagLeft(entry.description.id) }
        case .attached, .described, .blocked, .recovered, .serviceAvailable: break
        }
    }

    private func handle(_ event: ReaderEvent) {
        log.handled(event)
        switch event {
        case .tagLeft(let reader): tagLeft(reader)
        case .detached(let reader):
            tagLeft(reader)
            end(sessions.withoutReaders(in: table), "reader \(reader) was unplugged")
        case .failed(let reader, let reason):
            tagLeft(reader)
            end(sessions.withoutReaders(in: table), "reader \(reader) failed: \(reason)")
        case .recovered(let reader):
            deliver(table[reader]?.tag.map { [$0] } ?? [])
            if let id = sessions.holder(of: reader) { retryBlocked(id) }
        case .serviceStarting: end(sessions.active, "the PC/SC service is being restarted")
        case .serviceUnavailable(let reason): end(sessions.active, reason)
        case .serviceAvailable, .attached, .described, .tagArrived, .tagMute, .blocked: break
        }
    }

    private func tagLeft(_ reader: ReaderID) {
        if let id = sessions.holder(of: reader) { update(id) { $0.tagLeft(reader) } }
    }

    /// Notifies the sessions that hold the readers of the tags, each session once.
    private func deliver(_ arrivals: [TagArrival]) {
        for (id, own) in sessions.holders(of: arrivals, in: table) { update(id) { $0.tagsArrived(own) } }
    }

    /// Reads a tag that has just arrived, where no session holds its reader and a subscription wants it.
    private func readInBackground(_ arrival: TagArrival) {
        guard sessions.holder(of: arrival.reader) == nil, let reader = table[arrival.reader]?.description,
            let interest = background.tagArrived(arrival, on: reader)
        else { return }
        operations.read(arrival, for: background.candidates(for: arrival), while: interest) {
            await self.finish(arrival, $0)
        }
    }

    /// A tag was read in the background; nil without a tap.
    private func finish(_ arrival: TagArrival, _ matches: TapMatches?) {
        if background.finish(arrival, matches), let matches { metrics.countTapRead(matches.tap.reading) }
    }

    // MARK: Actions of a session

    /// Begins a session, or tries again for one that waits.
    private func start(_ id: SessionID) {
        makeWay(for: id)
        let standing = sessions.standing(of: id, in: table)
        apply(id) { $0.begin(standing) }
        guard let machine = sessions[id]?.machine, machine.isWaiting else { return yieldToWaiting(id) }
        sessions.wait(id, in: table)
        guard let limit = machine.request.queueTimeout, !timers.isRunning(.limit, of: id) else { return }
        timers.start(.limit, of: id, after: limit) { await self.waitedTooLong(id) }
    }

    /// Ends the sessions that yield, where this one becomes active without them.
    private func makeWay(for id: SessionID) {
        guard let taker = sessions[id]?.client.label else { return }
        for holder in sessions.yielding(to: id, in: table) { apply(holder) { $0.yield(to: taker) } }
    }

    /// Ends a session that yields, where one that waits could become active without it.
    private func yieldToWaiting(_ id: SessionID) {
        guard let machine = sessions[id]?.machine, machine.isActive, machine.yields else { return }
        for other in sessions.waiting where sessions[id] != nil { start(other) }
    }

    /// Starts the sessions whose turn has come because readers were released.
    private func startNext() {
        while case let candidates = sessions.takeCandidates(), !candidates.isEmpty {
            for id in candidates { start(id) }
        }
    }

    private func waitedTooLong(_ id: SessionID) {
        // Another session may hold its reader by now: the reason for the end is that of now.
        start(id)
        update(id) { $0.waitedTooLong() }
    }

    private func end(_ id: SessionID, _ reason: Invalidation) { update(id) { $0.invalidate(reason) } }

    /// Ends sessions, all of them before the next one starts.
    private func end(_ ids: [SessionID], _ reason: String, _ code: NFCErrorCode = .sessionTerminatedUnexpectedly) {
        for id in ids { apply(id) { $0.invalidate(Invalidation(code, reason)) } }
        startNext()
    }

    /// Passes an event to a session, carries out what it returns, and starts the sessions whose turn has come with it.
    private func update(_ id: SessionID, _ event: (inout SessionMachine) -> [SessionMachine.Action]) {
        apply(id, event)
        startNext()
    }

    private func apply(_ id: SessionID, _ event: (inout SessionMachine) -> [SessionMachine.Action]) {
        connected.forget(id)
        guard let session = sessions[id], let actions = sessions.pass(event, to: id) else { return }
        for action in actions { perform(action, for: id, session) }
        guard sessions[id]?.machine.hasTagToRetry == true, !timers.isRunning(.retry, of: id) else { return }
        timers.start(.retry, of: id, after: Self.retryPause) { await self.retryBlocked(id) }
    }

    /// Tries the tags of a session again that another program kept from being reached.
    private func retryBlocked(_ id: SessionID) {
        timers.stop(.retry, of: id)
        update(id) { $0.retryBlocked() }
    }

    private func perform(_ action: SessionMachine.Action, for id: SessionID, _ session: SessionRegistry.Entry) {
        switch action {
        case .activate:
            sessions.hold(id, in: table, at: uptime.elapsed)
            let limit = limits.timeout(for: session.machine.request)
            timers.start(.limit, of: id, after: limit) { await self.endAfter(limit, id) }
        case .read(let arrival, let polling), .connect(let arrival, let polling):
            guard let tag = sessions.want(arrival, polling: polling, by: id, at: uptime.elapsed) else { return }
            operations.detect(tag) { await self.finish(tag, $0) }
        case .release(let held, _): operations.release(held, of: id, session.interest)
        case .notify(let event): notify(event, of: id, session)
        case .end:
            sessions.remove(id)
            timers.stop(id)
        }
    }

    /// An operation on a tag that a session wants has ended.
    private func finish(_ tag: WantedTag, _ outcome: TagOperations.Outcome) async {
        let (id, arrival, polling) = (tag.session, tag.arrival, tag.polling)
        switch outcome {
        case .read(let tag, let reader):
            update(id) { $0.tagRead(arrival, polling: polling, on: reader, identity: tag.identity, tag.reading) }
        case .found(let held):
            // Other programs may use it from the moment when the session receives it, or not.
            while let yields = sessions[id]?.machine.yields, yields != held.isShared { await held.share(yields) }
            guard sessions[id] != nil else { return operations.release(held, of: id, tag.interest) }
            update(id) { $0.tagFound(arrival, polling: polling, on: held.reader, held) }
        case .ignored: update(id) { $0.tagIgnored(arrival, polling: polling) }
        case .failed(let error, let reader): update(id) { $0.tagFailed(arrival, polling: polling, on: reader, error) }
        }
    }

    private func endAfter(_ limit: Duration, _ id: SessionID) {
        let isBlocked = sessions[id]?.machine.hasBlockedTag == true
        let cause = isBlocked ? "; a tag was on the reader, which another program held" : ""
        end(id, Invalidation(.sessionTimeout, "the session was active for \(limit)\(cause)"))
    }

    /// Notifies the client of a session, and whoever is concerned by the event besides.
    ///
    /// - Parameter session: as it was before the event.
    private func notify(_ event: SessionEvent, of id: SessionID, _ session: SessionRegistry.Entry) {
        session.client.send(event, of: id)
        metrics.changed()
        log.sent(event, of: id, to: session.client)
        switch event {
        case .didBecomeActive:
            if let claim = sessions.claim(of: id) { background.takeOver(claim) }
            if let summary = sessions.summary(of: id, in: table, limits, at: uptime.elapsed) {
                listeners.send(.sessionBegan(summary))
            }
            detectPresent(id, atStart: true)
        case .didInvalidate(let reason):
            let duration = session.machine.isActive ? uptime.elapsed - session.since : nil
            metrics.countSession(reason.code, active: duration)
            listeners.send(.sessionEnded(id, reason))
        case .didDetectNDEFs, .didDetectTags, .tagFailed, .tagIgnored, .tagRemoved: break
        }
    }

    private func detectPresent(_ id: SessionID, atStart: Bool = false) {
        let present = sessions.arrivals(for: id, in: table)
        apply(id) { $0.tagsArrived(present, wasPresent: atStart) }
    }
}

/// The tags that take commands of their sessions, for callers that need not wait for the coordinator: a command would begin with two more
/// jobs. A session's tag is forgotten before anything changes about the session, and noted again by its next command.
///
/// A command that has found its tag just before a change is queued as one that came earlier: the tag itself refuses what comes too late.
private final class ConnectedTags: Sendable {
    private struct Connection {
        let client: ClientID
        let tag: TagID
        let held: HeldTag
    }

    private let connections = Mutex<[SessionID: Connection]>([:])

    /// The tag that takes the commands of a client's session, if it is known.
    func find(_ tag: TagID, of session: SessionID, by client: ClientID) -> HeldTag? {
        connections.withLock { connections in
            guard let found = connections[session], found.client == client, found.tag == tag else { return nil }
            return found.held
        }
    }

    /// Notes the tag that takes the commands of a session.
    func note(_ held: HeldTag, _ tag: TagID, of session: SessionID, by client: ClientID) {
        let former = connections.withLock {
            $0.updateValue(Connection(client: client, tag: tag, held: held), forKey: session)
        }
        withExtendedLifetime(former) {}
    }

    /// Forgets the tag of a session, which is about to change.
    func forget(_ session: SessionID) {
        let former = connections.withLock { connections in
            defer { connections.shrink() }
            return connections.removeValue(forKey: session)
        }
        withExtendedLifetime(former) {}
    }
}
