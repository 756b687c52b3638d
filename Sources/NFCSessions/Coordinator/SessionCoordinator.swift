public import NFCReaders
public import NFCTags

/// Decides which session gets a tag: one session is active on a reader at a time, others fail or wait for their turn.
///
/// This actor passes every event to the values that decide, and carries out what they return: `SessionMachine` is the life of
/// a session, `SessionRegistry` and `ReaderClaims` share the readers among sessions, `BackgroundDesk` decides about tags that
/// no session holds. The work on a tag is in `TagOperations.swift`.
public actor SessionCoordinator {
    private let driver: any ReaderDriver
    private let uptime: Stopwatch
    let log: CoordinatorLog
    private let inbox: ReaderEventInbox
    /// The counters of nfcd.
    public nonisolated let metrics = Metrics()
    /// The limits of sessions; a session that is active keeps those it began with.
    public private(set) var limits: SessionLimits
    private var table = ReaderTable()
    private(set) var sessions = SessionRegistry()
    private var timers: SessionTimers
    /// The next attempts to reach tags on readers that other programs hold.
    private var retries: SessionTimers
    /// The time between two of them.
    static let retryPause = Duration.milliseconds(500)
    private var pace: DetectionPace
    private var operations: ReaderOperations
    private var background: BackgroundDesk
    /// What ends the readings of each session.
    private var readings: [SessionID: ReadingInterest] = [:]
    /// The tags that active sessions have released, until their last command has ended.
    var closing: [SessionID: Set<HeldTag>] = [:]
    /// Commits taps to the journal.
    package nonisolated let recorder: TapRecorder
    private(set) var listeners = EventListeners()
    var notices = NoticeBoard()

    /// Makes a coordinator for the readers of a driver; `run` makes it follow them.
    package init(
        driver: any ReaderDriver, limits: SessionLimits = SessionLimits(), taps: TapSettings = TapSettings(),
        clock: any Clock<Duration> = ContinuousClock(), logger: EventLog
    ) {
        let uptime = Stopwatch(clock)
        self.uptime = uptime
        inbox = ReaderEventInbox(uptime)
        background = BackgroundDesk(wantsEveryTap: taps.journal != nil)
        recorder = TapRecorder(taps, uptime: uptime, metrics: metrics, logger: logger)
        self.driver = MeasuredDriver(driver: driver, clock: uptime, metrics: metrics)
        operations = ReaderOperations(driver: self.driver)
        timers = SessionTimers(clock: clock)
        retries = SessionTimers(clock: clock)
        pace = DetectionPace(clock: clock, uptime: uptime)
        self.limits = limits
        log = CoordinatorLog(logger: logger)
    }

    /// Follows the readers until the task is cancelled; then every session ends with 202.
    public func run() async {
        let (driver, inbox) = (driver, inbox)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await driver.run { inbox.add($0) }
                inbox.finish()
            }
            for await _ in inbox.signals { takeEvents() }
        }
        table.apply(.serviceUnavailable(reason: "nfcd is stopping"))
        end(sessions.sessions(), "nfcd is stopping")
    }

    /// Replaces the limits.
    public func replace(limits: SessionLimits) { self.limits = limits }

    // MARK: Requests about sessions

    /// The readers that are plugged in, and whether a session holds each.
    public func readers() async -> [(entry: ReaderTable.Entry, isInUse: Bool)] {
        await refresh()
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
        await refresh()
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
        let areDue = pace.restart(id, with: present) { await self.detectPresent(id) }
        update(id) { $0.restartPolling(present: areDue ? present : [], change) }
    }

    /// Connects a session to a reported tag: from now on it takes the session's commands.
    ///
    /// - Throws: ``TagError`` 100 where the tag is not in the field, 103 where the session is over.
    public func connect(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) {
        try sessions.connect(tag, of: id, by: client)
    }

    /// The tag that takes a session's commands. A card of type ISO 7816 that is the session's only tag is connected by its
    /// first command.
    ///
    /// - Throws: ``TagError`` 100 where the tag is not in the field, 103 where the session is over, 104 where the tag is not
    ///   connected.
    public func connectedTag(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) -> HeldTag {
        try sessions.connectedTag(tag, of: id, by: client)
    }

    /// Ends the sessions and subscriptions of a client that disconnected.
    public func clientDisconnected(_ client: ClientID) {
        // Its virtual tags are already gone: the next session must not be notified of them.
        takeEvents()
        listeners.remove(client)
        background.forget(client)
        for notice in notices.forget(client) { listeners.send(.noticeHidden(notice)) }
        end(sessions.sessions(of: client), "the client disconnected")
    }

    // MARK: Requests about everything

    /// Notifies a client of what happens from now on; once, however often it is added.
    public func addListener(_ client: any EventClient) {
        takeEvents()  // What happened before is part of the present state, which the client asks for itself.
        listeners.add(client)
        for notice in notices.shown { client.send(.noticeShown(notice)) }
    }

    /// Subscribes a client to taps outside sessions, from now on. Nothing is sent before `announce`, so that the name of the
    /// subscription reaches the client before its taps.
    ///
    /// - Parameter removals: whether the client is notified when a tag leaves whose tap it received.
    /// - Throws: ``BackgroundError`` where the client has as many as it may.
    public func subscribe(
        _ filter: BackgroundFilter, removals: Bool = false, for client: any BackgroundClient
    ) throws(BackgroundError) -> SubscriptionID {
        takeEvents()  // Tags that are in the field now arrived before.
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
    public func summaries() -> [SessionSummary] {
        takeEvents()
        return sessions.summaries(in: table, limits, at: uptime.elapsed)
    }

    /// Ends any client's session with 200. The message is kept as the detail.
    ///
    /// - Throws: ``SessionError`` where it does not exist or has ended.
    public func cancel(_ id: SessionID, errorMessage: String?) throws(SessionError) {
        guard sessions[id] != nil else { throw .invalidated(id) }
        end(id, Invalidation(.userCanceled, errorMessage ?? "an operator ended the session"))
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

    private func refresh() async {
        await driver.refresh()
        takeEvents()
    }

    /// Handles the events that drivers have reported since the last call.
    private func takeEvents() {
        let events = inbox.take()
        guard !events.isEmpty else { return }
        // Tags that were reported together are delivered together.
        var arrivals: [TagArrival] = []
        for (event, time) in events {
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
        guard events.contains(where: \.event.changesReaders) else { return }
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
        case .tagLeft(let reader), .tagMute(let reader), .detached(let reader): background.tagLeft(reader)
        case .failed(let reader, _): background.readerFailed(reader)
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
        read(arrival, while: interest)
    }

    // MARK: Actions of a session

    /// Begins a session, or tries again for one that waits.
    func start(_ id: SessionID) {
        makeWay(for: id, in: table)
        let standing = sessions.standing(of: id, in: table)
        apply(id) { $0.begin(standing) }
        guard let machine = sessions[id]?.machine, machine.isWaiting else { return yieldToWaiting(id) }
        sessions.wait(id, in: table)
        guard let limit = machine.request.queueTimeout, !timers.isRunning(id) else { return }
        timers.start(id, after: limit) { await self.waitedTooLong(id) }
    }

    /// Starts the sessions whose turn has come because readers were released.
    func startNext() {
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
    func end(_ ids: [SessionID], _ reason: String, _ code: NFCErrorCode = .sessionTerminatedUnexpectedly) {
        for id in ids { apply(id) { $0.invalidate(Invalidation(code, reason)) } }
        startNext()
    }

    /// Passes an event to a session, carries out what it returns, and starts the sessions whose turn has come with it.
    func update(_ id: SessionID, _ event: (inout SessionMachine) -> [SessionMachine.Action]) {
        apply(id, event)
        startNext()
    }

    func apply(_ id: SessionID, _ event: (inout SessionMachine) -> [SessionMachine.Action]) {
        guard let client = sessions[id]?.client, let actions = sessions.withMachine(id, event) else { return }
        if sessions[id]?.machine.isInvalidated == true { readings[id]?.end() }
        pace.record(actions, of: id)
        for action in actions { perform(action, for: id, client) }
        guard sessions[id]?.machine.hasTagToRetry == true, !retries.isRunning(id) else { return }
        retries.start(id, after: Self.retryPause) { await self.retryBlocked(id) }
    }

    /// What ends the readings of a session together with it.
    func interest(of id: SessionID) -> ReadingInterest {
        let interest = readings[id] ?? ReadingInterest()
        if sessions[id] == nil { interest.end() } else { readings[id] = interest }
        return interest
    }

    /// What ends the reading of a tag early.
    nonisolated func bounds(of interest: ReadingInterest) -> ReadingBounds { ReadingBounds(interest, clock: uptime) }

    /// A tag that a session has released is disconnected.
    func closed(_ held: HeldTag, of id: SessionID) {
        closing[id]?.remove(held)
        if closing[id]?.isEmpty == true { closing[id] = nil }
    }

    /// Tries the tags of a session again that another program kept from being reached.
    private func retryBlocked(_ id: SessionID) {
        retries.stop(id)
        update(id) { $0.retryBlocked() }
    }

    private func perform(_ action: SessionMachine.Action, for id: SessionID, _ client: any SessionClient) {
        switch action {
        case .activate: activate(id)
        case .read(let arrival, let polling): read(arrival, polling: polling, for: id)
        case .connect(let arrival, let polling): connect(arrival, polling: polling, for: id)
        case .release(let held, let reader): release(held, on: reader, of: id)
        case .notify(let event): notify(event, of: id, client)
        case .end:
            sessions.remove(id)
            readings.removeValue(forKey: id)?.end()
            for held in closing.removeValue(forKey: id) ?? [] { held.stop() }
            timers.stop(id)
            retries.stop(id)
            pace.forget(id)
        }
    }

    private func activate(_ id: SessionID) {
        guard let request = sessions[id]?.machine.request else { return }
        sessions.hold(id, in: table, at: uptime.elapsed)
        let limit = limits.timeout(for: request)
        timers.start(id, after: limit) {
            await self.endAfter(limit, id)
        }
    }

    private func endAfter(_ limit: Duration, _ id: SessionID) {
        let isBlocked = sessions[id]?.machine.hasBlockedTag == true
        let cause = isBlocked ? "; a tag was on the reader, which another program held" : ""
        end(id, Invalidation(.sessionTimeout, "the session was active for \(limit)\(cause)"))
    }

    private func notify(_ event: SessionEvent, of id: SessionID, _ client: any SessionClient) {
        client.send(event, of: id)
        metrics.changed()
        log.sent(event, of: id, to: client)
        switch event {
        case .didBecomeActive:
            if let claim = sessions.claim(of: id) { background.takeOver(claim) }
            if let summary = sessions.summary(of: id, in: table, limits, at: uptime.elapsed) {
                listeners.send(.sessionBegan(summary))
            }
            detectPresent(id, atStart: true)
        case .didInvalidate(let reason):
            metrics.countSession(reason.code, active: sessions.ended(id, at: uptime.elapsed))
            listeners.send(.sessionEnded(id, reason))
        case .didDetectNDEFs, .didDetectTags, .tagFailed, .tagIgnored, .tagRemoved: break
        }
    }

    private func detectPresent(_ id: SessionID, atStart: Bool = false) {
        let present = sessions.arrivals(for: id, in: table)
        apply(id) { $0.tagsArrived(present, wasPresent: atStart) }
    }

    // MARK: State for operations on tags

    /// Adds an operation behind those on the same reader.
    func operate(on reader: ReaderID, _ operation: @escaping @Sendable (any ReaderDriver) async -> Void) {
        operations.add(on: reader, operation)
    }

    /// The entry of a reader as it is now: an earlier tag may have shown what the reader supports.
    func entry(of reader: ReaderID) -> ReaderTable.Entry? {
        takeEvents()
        return table[reader]
    }

    /// Whether a tag that is to be read in the background is still in the field; nil where it is not wanted.
    func isPresent(_ arrival: TagArrival) -> Bool? { background.isPresent(arrival) }

    /// Ends the background reading of a tag; without a tap where it was not read.
    func finishReading(_ arrival: TagArrival, _ matches: TapMatches?) {
        if background.finish(arrival, matches), let matches { metrics.countTapRead(matches.tap.reading) }
    }

    /// The subscriptions that receive the tap of an arrival where their filters match it.
    func candidates(for arrival: TagArrival) -> [TapMatches.Candidate] { background.candidates(for: arrival) }

    /// Ignores a tag that its session does not look for.
    func ignore(_ arrival: TagArrival, polling: Int, for id: SessionID) {
        log.ignored(arrival, by: id)
        update(id) { $0.tagIgnored(arrival, polling: polling) }
    }
}
