import NFCReaders
import NFCTypes

/// The sessions of all clients, with the readers they hold or wait for. A value: no I/O, no clock.
struct SessionRegistry: Sendable {
    /// A session and its client.
    struct Entry: Sendable {
        fileprivate(set) var machine: SessionMachine
        let client: any SessionClient
        fileprivate(set) var alertMessage: String
    }

    private var entries: [SessionID: Entry] = [:]
    private var claims = ReaderClaims()
    private var times = SessionTimes()
    private var opened = 0

    /// A session; nil where it does not exist or has ended.
    subscript(_ id: SessionID) -> Entry? { entries[id] }

    /// How many sessions hold readers.
    var activeCount: Int { entries.values.count { $0.machine.isActive } }
    /// The sessions that wait, in their order.
    var waiting: [SessionID] { claims.waiting }

    // MARK: A session

    /// Opens a session of a client that has fewer than `limit`.
    mutating func open(
        _ request: SessionRequest, for client: any SessionClient, limit: Int, at time: Duration
    ) throws(SessionError) -> SessionID {
        guard entries.values.count(where: { $0.client.id == client.id }) < limit else {
            throw .tooManySessions(limit: limit)
        }
        opened += 1
        let id = SessionID(rawValue: "session-\(opened)")
        entries[id] = Entry(
            machine: SessionMachine(request: request), client: client, alertMessage: request.alertMessage)
        times.opened(id, at: time)
        return id
    }

    /// Whether a session exists and belongs to a client.
    func isOwn(_ id: SessionID, _ client: ClientID) -> Bool { entries[id]?.client.id == client }

    /// Throws unless a session exists and belongs to a client.
    func check(_ id: SessionID, _ client: ClientID) throws(SessionError) {
        guard isOwn(id, client) else { throw .invalidated(id) }
    }

    /// Changes the text that is shown for a session.
    mutating func setAlertMessage(_ message: String, of id: SessionID) { entries[id]?.alertMessage = message }

    /// Passes an event to the machine of a session; nil where the session does not exist.
    mutating func withMachine<Value>(_ id: SessionID, _ event: (inout SessionMachine) -> Value) -> Value? {
        guard var machine = entries[id]?.machine else { return nil }
        defer { entries[id]?.machine = machine }
        return event(&machine)
    }

    /// Removes a session and frees its readers. Its times stay until `ended`.
    mutating func remove(_ id: SessionID) {
        claims.release(id)
        entries[id] = nil
    }

    /// Forgets the times of a session that ended.
    ///
    /// - Returns: how long it was active; nil where it never was.
    mutating func ended(_ id: SessionID, at time: Duration) -> Duration? { times.ended(id, at: time) }

    /// The sessions that meet a condition. Waiting ones come first: if they are ended in this order, none of them becomes
    /// active in between.
    func sessions(where condition: (Entry) -> Bool) -> [SessionID] {
        let waiting = Set(claims.waiting)
        let others = entries.keys.filter { !waiting.contains($0) }
        return (claims.waiting + others).filter { entries[$0].map(condition) ?? false }
    }

    // MARK: Readers

    /// The session that holds a reader.
    func holder(of reader: ReaderID) -> SessionID? { claims.holder(of: reader) }

    /// The readers that an active session holds.
    func claim(of id: SessionID) -> ReaderClaims.Claim? { claims.claim(of: id) }

    /// Gives an active session its readers.
    mutating func hold(_ id: SessionID, in table: ReaderTable, at time: Duration) {
        guard let request = entries[id]?.machine.request else { return }
        times.becameActive(id, at: time)
        claims.hold(id, Self.claim(for: request, in: table))
    }

    /// Puts a session into the queue, or updates the readers it waits for.
    mutating func wait(_ id: SessionID, in table: ReaderTable) {
        guard let request = entries[id]?.machine.request else { return }
        claims.wait(id, Self.claim(for: request, in: table))
    }

    /// The active sessions that have no reader any more, and do not wait for one.
    func withoutReaders(in table: ReaderTable) -> [SessionID] {
        sessions { $0.machine.isActive && !$0.machine.request.waitForReader }
            .filter { id in !table.hasReader(claims.claim(of: id)) }
    }

    /// The tags on the readers that a session holds.
    func arrivals(for id: SessionID, in table: ReaderTable) -> [TagArrival] {
        guard let claim = claims.claim(of: id) else { return [] }
        return table.entries.filter { claim.contains($0.description.id) }.compactMap(\.tag)
    }

    /// What stands between a session and the readers it asks for.
    func standing(of id: SessionID, in table: ReaderTable) -> SessionMachine.Standing {
        guard let request = entries[id]?.machine.request else { return .clear }
        if let reason = table.unavailable { return .serviceUnavailable(reason) }
        let claim = Self.claim(for: request, in: table)
        guard table.hasReader(claim) else { return .noReader(table.missing(request.readerNames)) }
        if let lack = table.lack(of: request.polling, within: claim) { return .noReader(lack) }
        guard let other = claims.obstacle(to: id, wanting: claim) else { return .clear }
        return .busy("held by \(entries[other]?.client.label ?? "another session")")
    }

    private static func claim(for request: SessionRequest, in table: ReaderTable) -> ReaderClaims.Claim {
        guard !request.takesEveryReader else { return .all }
        return .some(Set(table.entries.map(\.description).filter { request.takes($0) }.map(\.id)))
    }

    // MARK: Monitoring

    /// The active sessions, the oldest first, then the waiting ones in their order.
    func summaries(in table: ReaderTable, _ limits: SessionLimits, at time: Duration) -> [SessionSummary] {
        let active = sessions { $0.machine.isActive }.compactMap { summary(of: $0, in: table, limits, at: time) }
        return active.sorted { $0.age > $1.age }
            + waiting.compactMap { summary(of: $0, in: table, limits, at: time) }
    }

    /// A session as an operator sees it; nil unless it waits or is active.
    func summary(
        of id: SessionID, in table: ReaderTable, _ limits: SessionLimits, at time: Duration
    ) -> SessionSummary? {
        guard let entry = entries[id], entry.machine.isActive || entry.machine.isWaiting else { return nil }
        let (isActive, age) = (entry.machine.isActive, times.age(of: id, at: time))
        let limit = limits.timeout(for: entry.machine.request)
        return SessionSummary(
            id: id, client: entry.client, request: entry.machine.request, alertMessage: entry.alertMessage,
            state: isActive ? .active : .queued, readers: wantedReaders(of: id, in: table), age: age,
            remaining: isActive ? max(.zero, limit - age) : nil)
    }

    /// How many sessions wait for each reader.
    func queueLengths(in table: ReaderTable) -> [(reader: String, length: Int)] {
        let wanted = waiting.flatMap { wantedReaders(of: $0, in: table) }
        return table.entries.map(\.description.id).map { reader in
            (reader.rawValue, wanted.count { $0 == reader })
        }
    }

    private func wantedReaders(of id: SessionID, in table: ReaderTable) -> [ReaderID] {
        guard let request = entries[id]?.machine.request else { return [] }
        let claim = claims.claim(of: id) ?? Self.claim(for: request, in: table)
        return table.entries.map(\.description.id).filter { claim.contains($0) }
    }
}

extension ReaderTable {
    fileprivate func hasReader(_ claim: ReaderClaims.Claim?) -> Bool {
        entries.contains { claim?.contains($0.description.id) ?? false }
    }

    /// Why none of the wanted readers is plugged in.
    fileprivate func missing(_ wanted: [String]?) -> String {
        guard let wanted, !entries.isEmpty else { return "no reader is plugged in" }
        let known = entries.map(\.description.id.rawValue).joined(separator: ", ")
        return "no reader is named \(wanted.joined(separator: " or ")); available readers: \(known)"
    }

    /// Why no reader of a session is of use: none supports any of the technologies. Nil where one does.
    fileprivate func lack(
        of technologies: Set<PollingTechnology>, within claim: ReaderClaims.Claim
    ) -> String? {
        let readers = entries.map(\.description).filter { claim.contains($0.id) }
        let needed = Set(technologies.map(\.readerTechnology))
        guard readers.allSatisfy({ needed.isDisjoint(with: $0.technologies) }) else { return nil }
        let words = technologies.map(\.rawValue).sorted().joined(separator: " or ")
        let known = readers.map { "\($0.id) supports \($0.technologies.map(\.rawValue).joined(separator: ", "))" }
        return "no reader of the session supports \(words); \(known.joined(separator: "; "))"
    }
}

/// When each session entered its present state, in time since the start of nfcd.
private struct SessionTimes: Sendable {
    private struct Entry: Sendable {
        var since: Duration
        var isActive = false
    }

    private var entries: [SessionID: Entry] = [:]

    mutating func opened(_ id: SessionID, at time: Duration) {
        entries[id] = Entry(since: time)
    }

    mutating func becameActive(_ id: SessionID, at time: Duration) {
        entries[id] = Entry(since: time, isActive: true)
    }

    /// Returns how long the session was active; nil where it never was.
    mutating func ended(_ id: SessionID, at time: Duration) -> Duration? {
        guard let entry = entries.removeValue(forKey: id), entry.isActive else { return nil }
        return time - entry.since
    }

    func age(of id: SessionID, at time: Duration) -> Duration {
        entries[id].map { time - $0.since } ?? .zero
    }
}
