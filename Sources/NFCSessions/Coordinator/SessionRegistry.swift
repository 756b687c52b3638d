import NFCReaders
import NFCTags
import NFCTypes

/// The sessions of all clients, with the readers they hold or wait for. A value: no I/O, no clock.
struct SessionRegistry: Sendable {
    /// A session and its client.
    struct Entry: Sendable {
        fileprivate(set) var machine: SessionMachine
        let client: any SessionClient
        fileprivate(set) var alertMessage: String
        /// Ends what runs on readers for the session.
        let interest = ReadingInterest()
        fileprivate(set) var pace = DetectionPace()
        /// When it was opened or became active, in time since the start of nfcd.
        fileprivate(set) var since: Duration
    }

    private var entries: [SessionID: Entry] = [:]
    private var owned: [ClientID: Set<SessionID>] = [:]
    private var claims = ReaderClaims()
    private var opened = 0

    /// A session; nil where it does not exist or has ended.
    subscript(_ id: SessionID) -> Entry? { entries[id] }

    /// How many sessions hold readers.
    var activeCount: Int { claims.holdingCount }
    /// How many sessions wait.
    var waitingCount: Int { claims.waitingCount }
    /// The sessions that wait, in their order.
    var waiting: [SessionID] { claims.waiting }
    /// The sessions that hold readers, the oldest first.
    var active: [SessionID] { claims.holding }

    // MARK: A session

    /// Opens a session of a client that has fewer than `limit`.
    mutating func open(
        _ request: SessionRequest, for client: any SessionClient, limit: Int, at time: Duration
    ) throws(SessionError) -> SessionID {
        guard owned[client.id]?.count ?? 0 < limit else {
            throw .tooManySessions(limit: limit)
        }
        opened += 1
        let id = SessionID(rawValue: "session-\(opened)")
        entries[id] = Entry(
            machine: SessionMachine(request: request), client: client, alertMessage: request.alertMessage, since: time)
        owned[client.id, default: []].insert(id)
        return id
    }

    /// Whether a session exists and belongs to a client.
    func isOwn(_ id: SessionID, _ client: ClientID) -> Bool { entries[id]?.client.id == client }

    /// Throws unless a session exists and belongs to a client.
    func check(_ id: SessionID, _ client: ClientID) throws(SessionError) {
        guard isOwn(id, client) else { throw .invalidated(id) }
    }

    /// Connects a session to a reported tag.
    mutating func connect(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) {
        guard isOwn(id, client) else { throw .invalidated(id) }
        guard let objection = entries[id]?.machine.connect(tag) ?? nil else { return }
        throw TagError(objection, "\(tag) is not in the field")
    }

    /// The tag that takes a session's commands.
    mutating func connectedTag(_ tag: TagID, of id: SessionID, by client: ClientID) throws(TagError) -> HeldTag {
        guard isOwn(id, client), let command = entries[id]?.machine.command(tag) else { throw .invalidated(id) }
        switch command {
        case .run(let held): return held
        case .refuse(.tagNotConnected):
            throw TagError(.tagNotConnected, "\(tag) is not connected; call session.connect first")
        case .refuse(let objection): throw TagError(objection, "\(tag) is not in the field")
        }
    }

    /// Changes the text that is shown for a session.
    mutating func setAlertMessage(_ message: String, of id: SessionID) { entries[id]?.alertMessage = message }

    /// Passes an event to the machine of a session; nil where the session does not exist.
    ///
    /// - Returns: what the machine asks for.
    mutating func pass(
        _ event: (inout SessionMachine) -> [SessionMachine.Action], to id: SessionID
    ) -> [SessionMachine.Action]? {
        guard var entry = entries[id] else { return nil }
        let actions = event(&entry.machine)
        if entry.machine.isInvalidated { entry.interest.end() }
        entries[id] = entry
        return actions
    }

    /// A tag that is detected now, for a session that looks for it since it last restarted polling.
    mutating func want(_ arrival: TagArrival, polling: Int, by id: SessionID, at time: Duration) -> WantedTag? {
        entries[id]?.pace.record(arrival, at: time)
        return entries[id].map { entry in
            WantedTag(
                arrival: arrival, polling: polling, session: id, client: entry.client,
                kind: entry.machine.request.kind, detection: entry.machine.request.detection,
                options: entry.machine.options, interest: entry.interest)
        }
    }

    /// The sessions that the present permissions of their clients do not allow.
    func forbidden() -> [SessionID] {
        sessions().filter { id in
            guard let entry = entries[id] else { return false }
            let (request, permissions) = (entry.machine.request, entry.client.permissions)
            return permissions.objection(toKind: request) != nil
                || !permissions.readers(for: request).cover(request.grantedReaders)
        }
    }

    /// Removes a session and frees its readers.
    mutating func remove(_ id: SessionID) {
        claims.release(id)
        guard let client = entries.removeValue(forKey: id)?.client.id else { return }
        entries.shrink()
        owned[client]?.remove(id)
        if owned[client]?.isEmpty == true { owned[client] = nil }
        owned.shrink()
    }

    /// The sessions of a client, or of all. Those that wait come first: if they are ended in this order, none of them becomes
    /// active in between.
    func sessions(of client: ClientID? = nil) -> [SessionID] {
        claims.inOrder(client.map { owned[$0] ?? [] } ?? Set(entries.keys))
    }

    // MARK: Readers

    /// The session that holds a reader.
    func holder(of reader: ReaderID) -> SessionID? { claims.holder(of: reader) }

    /// The readers that an active session holds.
    func claim(of id: SessionID) -> ReaderClaims.Claim? { claims.claim(of: id) }

    /// Gives an active session its readers.
    mutating func hold(_ id: SessionID, in table: ReaderTable, at time: Duration) {
        guard let request = entries[id]?.machine.request else { return }
        entries[id]?.since = time
        claims.hold(id, Self.claim(for: request, in: table))
    }

    /// Puts a session into the queue, or updates the readers it waits for. One that could not use any reader now keeps its place,
    /// and delays no other session.
    mutating func wait(_ id: SessionID, in table: ReaderTable) {
        guard let request = entries[id]?.machine.request else { return }
        let claim = Self.claim(for: request, in: table)
        claims.wait(id, table.hindrance(to: request, claiming: claim) == nil ? claim : nil)
    }

    /// The sessions that may have their turn because readers were released since the last call, in their order.
    mutating func takeCandidates() -> [SessionID] { claims.takeCandidates() }

    /// The readers or what they support have changed: updates what each session waits for.
    ///
    /// - Returns: the sessions that wait, in their order; the change may have decided about any of them.
    mutating func readersChanged(in table: ReaderTable) -> [SessionID] {
        let waiting = claims.waiting
        for id in waiting { wait(id, in: table) }
        return waiting
    }

    /// The active sessions that have no working reader any more, and do not wait for one.
    func withoutReaders(in table: ReaderTable) -> [SessionID] {
        active.filter { id in
            entries[id]?.machine.request.waitForReader == false
                && table.readers(in: claims.claim(of: id)).allSatisfy { $0.failure != nil }
        }
    }

    /// Tags that arrived together, by the session that holds their readers. Those on failed readers are left out: they are
    /// delivered when the reader recovers.
    func holders(of arrivals: [TagArrival], in table: ReaderTable) -> [(SessionID, [TagArrival])] {
        let held = arrivals.filter { table[$0.reader]?.failure == nil && holder(of: $0.reader) != nil }
        let sessions = Dictionary(grouping: held) { holder(of: $0.reader) }
        return claims.holding.compactMap { id in sessions[id].map { (id, $0) } }
    }

    /// The tags on the working readers that a session holds.
    func arrivals(for id: SessionID, in table: ReaderTable) -> [TagArrival] {
        table.readers(in: claims.claim(of: id)).filter { $0.failure == nil }.compactMap(\.tag)
    }

    /// What stands between a session and the readers it asks for.
    func standing(of id: SessionID, in table: ReaderTable) -> SessionMachine.Standing {
        guard let request = entries[id]?.machine.request else { return .clear }
        let claim = Self.claim(for: request, in: table)
        if let hindrance = table.hindrance(to: request, claiming: claim) { return hindrance }
        guard let other = claims.obstacle(to: id, wanting: claim) else { return .clear }
        return .busy("held by \(entries[other]?.client.label ?? "another session")")
    }

    /// The sessions that end so that this one can become active: all that hold its readers, where each of them yields to it.
    func yielding(to id: SessionID, in table: ReaderTable) -> [SessionID] {
        guard let entry = entries[id], !entry.machine.yields, !entry.machine.isActive else { return [] }
        let claim = Self.claim(for: entry.machine.request, in: table)
        guard table.hindrance(to: entry.machine.request, claiming: claim) == nil else { return [] }
        let holders = claims.soleHolders(before: id, wanting: claim)
        let yields = holders.allSatisfy { holder in
            entries[holder].map { $0.machine.yields && $0.client.id != entry.client.id } ?? false
        }
        return yields ? claims.holding.filter { holders.contains($0) } : []
    }

    private static func claim(for request: SessionRequest, in table: ReaderTable) -> ReaderClaims.Claim {
        guard !request.takesEveryReader else { return .all }
        return .some(Set(table.entries.map(\.description).filter { request.takes($0) }.map(\.id)))
    }

    // MARK: Monitoring

    /// The active sessions, the oldest first, then the waiting ones in their order.
    func summaries(in table: ReaderTable, _ limits: SessionLimits, at time: Duration) -> [SessionSummary] {
        (claims.holding + claims.waiting).compactMap { summary(of: $0, in: table, limits, at: time) }
    }

    /// A session as an operator sees it; nil unless it waits or is active.
    func summary(
        of id: SessionID, in table: ReaderTable, _ limits: SessionLimits, at time: Duration
    ) -> SessionSummary? {
        guard let entry = entries[id], entry.machine.isActive || entry.machine.isWaiting else { return nil }
        let (isActive, age) = (entry.machine.isActive, time - entry.since)
        let limit = limits.timeout(for: entry.machine.request)
        return SessionSummary(
            id: id, client: entry.client, request: entry.machine.request, alertMessage: entry.alertMessage,
            state: isActive ? .active : .queued, readers: wantedReaders(of: id, in: table), age: age,
            remaining: isActive ? max(.zero, limit - age) : nil)
    }

    /// How many sessions wait for each reader that they could use.
    func queueLengths(in table: ReaderTable) -> [(reader: String, length: Int)] {
        table.entries.map(\.description.id).map { ($0.rawValue, claims.queueLength(of: $0)) }
    }

    private func wantedReaders(of id: SessionID, in table: ReaderTable) -> [ReaderID] {
        guard let request = entries[id]?.machine.request else { return [] }
        let claim = claims.claim(of: id) ?? Self.claim(for: request, in: table)
        return table.entries.map(\.description.id).filter { claim.contains($0) }
    }
}

extension ReaderTable {
    /// The readers of a claim that are plugged in.
    fileprivate func readers(in claim: ReaderClaims.Claim?) -> [Entry] {
        entries.filter { claim?.contains($0.description.id) ?? false }
    }

    /// What keeps a session from using any reader, whichever session holds it; nil where nothing does.
    fileprivate func hindrance(
        to request: SessionRequest, claiming claim: ReaderClaims.Claim
    ) -> SessionMachine.Standing? {
        switch service {
        case .starting: return .serviceStarting(service.reason ?? "")
        case .unavailable(let reason): return .serviceUnavailable(reason)
        case .available: break
        }
        let readers = readers(in: claim)
        guard !readers.isEmpty else { return .noReader(missing(request.readerNames)) }
        let needed = Set(request.polling.map(\.readerTechnology))
        let suitable = readers.filter { !needed.isDisjoint(with: $0.description.technologies) }
        guard !suitable.isEmpty else { return .noReader(Self.lack(of: request.polling, among: readers)) }
        let failures = suitable.compactMap { reader in reader.failure.map { "\(reader.description.id) failed: \($0)" } }
        return failures.count == suitable.count ? .readersFailed("no reader works; \(Self.list(failures, "; "))") : nil
    }

    /// Why none of the wanted readers is plugged in.
    private func missing(_ wanted: [String]?) -> String {
        guard let wanted, !entries.isEmpty else { return "no reader is plugged in" }
        let known = entries.map(\.description.id.rawValue)
        return "no reader is named \(Self.list(wanted, " or ")); available readers: \(Self.list(known, ", "))"
    }

    /// Why no reader of a session is of use: none supports any of the technologies.
    private static func lack(of technologies: Set<PollingTechnology>, among readers: [Entry]) -> String {
        let words = technologies.map(\.rawValue).sorted().joined(separator: " or ")
        let known = readers.map(\.description).map { reader in
            "\(reader.id) supports \(reader.technologies.map(\.rawValue).joined(separator: ", "))"
        }
        return "no reader of the session supports \(words); \(list(known, "; "))"
    }

    /// The first few of a list that can be long, as text.
    private static func list(_ items: [String], _ separator: String) -> String {
        let rest = items.count - longestList
        return items.prefix(longestList).joined(separator: separator) + (rest > 0 ? "\(separator)\(rest) more" : "")
    }

    private static let longestList = 8
}

/// The timers of the sessions.
struct SessionTimers {
    enum Purpose: Sendable {
        /// The session waits or is active for too long.
        case limit
        /// Tags that another program holds are tried again.
        case retry
        /// Tags that stay in the field may be detected again.
        case detection
    }

    private let clock: any Clock<Duration>
    private var timers: [SessionID: [Purpose: Task<Void, Never>]] = [:]

    init(clock: any Clock<Duration>) { self.clock = clock }

    func isRunning(_ purpose: Purpose, of id: SessionID) -> Bool { timers[id]?[purpose] != nil }

    /// Starts a timer of a session, instead of the one before.
    mutating func start(
        _ purpose: Purpose, of id: SessionID, after limit: Duration, _ body: @escaping @Sendable () async -> Void
    ) {
        stop(purpose, of: id)
        timers[id, default: [:]][purpose] = Task { [clock] in
            guard (try? await clock.sleep(for: limit)) != nil, !Task.isCancelled else { return }
            await body()
        }
    }

    mutating func stop(_ purpose: Purpose, of id: SessionID) {
        timers[id]?.removeValue(forKey: purpose)?.cancel()
    }

    /// Stops all timers of a session.
    mutating func stop(_ id: SessionID) {
        for timer in timers.removeValue(forKey: id) ?? [:] { timer.value.cancel() }
        timers.shrink()
    }
}

/// How often a session detects a tag that stays in the field: at most about twice a second, however often polling is restarted.
///
/// An iPhone needs that long for a round of polling. Without the limit, a program that restarts polling at each detection would
/// keep the reader and the tag busy with hundreds of detections a second.
struct DetectionPace: Sendable {
    /// The time between two detections of a tag.
    static let interval = Duration.milliseconds(500)

    /// When each tag was detected, as far back as it matters.
    private var detections: [TagArrival: Duration] = [:]

    /// Takes note of a tag that is detected.
    mutating func record(_ arrival: TagArrival, at now: Duration) {
        detections = detections.filter { now - $0.value < Self.interval }
        detections[arrival] = now
    }

    /// How long to wait before the tags in the field are detected again. They are detected together: none before the last of them may
    /// be.
    func pause(before present: [TagArrival], at now: Duration) -> Duration {
        present.compactMap { detections[$0] }.max().map { max(.zero, $0 + Self.interval - now) } ?? .zero
    }
}
