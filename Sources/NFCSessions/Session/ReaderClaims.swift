import NFCReaders

/// The sessions that hold readers and those that wait for them, first come first served. A value: no I/O.
///
/// Holders and waiting sessions are indexed by reader, so that a question costs as much as the claim in it has readers, however
/// many sessions wait.
struct ReaderClaims: Sendable {
    /// The readers a session wants or holds.
    enum Claim: Sendable, Hashable {
        /// All readers, also those plugged in later.
        case all
        /// These.
        case some(Set<ReaderID>)

        /// Whether a reader is among them.
        func contains(_ reader: ReaderID) -> Bool {
            switch self {
            case .all: true
            case .some(let readers): readers.contains(reader)
            }
        }

        /// The readers of two claims together.
        func union(_ other: Claim) -> Claim {
            guard case .some(let mine) = self, case .some(let theirs) = other else { return .all }
            return .some(mine.union(theirs))
        }
    }

    private struct Hold: Sendable {
        let number: UInt64
        let claim: Claim
    }

    private struct Place: Sendable {
        let number: UInt64
        /// The readers it waits for; nil while it could not use them, and delays no other session.
        var claim: Claim?
    }

    /// The number of the next hold or place: what came earlier has the lower number.
    private var next: UInt64 = 0

    private var holds: [SessionID: Hold] = [:]
    private var holders: [ReaderID: SessionID] = [:]
    private var holderOfAll: SessionID?

    private var places: [SessionID: Place] = [:]
    /// All that wait; those that wait for each reader; those that wait for all readers.
    private var line = WaitingLine()
    private var lines: [ReaderID: WaitingLine] = [:]
    private var lineForAll = WaitingLine()

    /// The readers that became free or were waited for by a session that is gone, since `takeCandidates`.
    private var freed = Claim.some([])

    // MARK: Questions

    /// The sessions that wait, in their order.
    var waiting: [SessionID] { line.sessions }
    /// How many sessions wait.
    var waitingCount: Int { line.count }
    /// The sessions that hold readers, the oldest first.
    var holding: [SessionID] { holds.sorted { $0.value.number < $1.value.number }.map(\.key) }
    /// How many sessions hold readers.
    var holdingCount: Int { holds.count }

    /// How many sessions wait for a reader that they could use.
    func queueLength(of reader: ReaderID) -> Int { lineForAll.count + (lines[reader]?.count ?? 0) }

    /// The session that holds a reader.
    func holder(of reader: ReaderID) -> SessionID? { holderOfAll ?? holders[reader] }

    /// The readers of a session that is active.
    func claim(of session: SessionID) -> Claim? { holds[session]?.claim }

    /// Sessions in the order in which they would have their turn: those that wait first, in their order.
    func inOrder(_ sessions: some Sequence<SessionID>) -> [SessionID] {
        sessions.map { ($0, places[$0]?.number ?? .max) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// The session that keeps this one from the readers it wants: a holder, or one that has waited longer.
    func obstacle(to session: SessionID, wanting claim: Claim) -> SessionID? {
        holder(ofAnyIn: claim, besides: session) ?? waiting(before: session, forAnyIn: claim)
    }

    /// The sessions that alone keep this one from the readers it wants, by holding them; none where another has waited longer.
    func soleHolders(before session: SessionID, wanting claim: Claim) -> Set<SessionID> {
        waiting(before: session, forAnyIn: claim) == nil ? holders(ofAnyIn: claim, besides: session) : []
    }

    private func holder(ofAnyIn claim: Claim, besides session: SessionID) -> SessionID? {
        holders(ofAnyIn: claim, besides: session).min { (holds[$0]?.number ?? 0) < (holds[$1]?.number ?? 0) }
    }

    private func holders(ofAnyIn claim: Claim, besides session: SessionID) -> Set<SessionID> {
        if let holderOfAll { return holderOfAll == session ? [] : [holderOfAll] }
        let others: Set<SessionID> =
            switch claim {
            case .all: Set(holds.keys)
            case .some(let readers): Set(readers.compactMap { holders[$0] })
            }
        return others.subtracting([session])
    }

    private func waiting(before session: SessionID, forAnyIn claim: Claim) -> SessionID? {
        let first = firsts(forAnyIn: claim).min { $0.number < $1.number }
        guard let first, first.number < places[session]?.number ?? .max else { return nil }
        return first.session
    }

    /// The first session that waits for each of these readers, and the first that waits for all readers.
    private func firsts(forAnyIn claim: Claim) -> [WaitingLine.Entry] {
        let firsts =
            switch claim {
            case .all: lines.values.map(\.first)
            case .some(let readers): readers.map { lines[$0]?.first }
            }
        return (firsts + [lineForAll.first]).compactMap { $0 }
    }

    // MARK: Changes

    /// Gives a session its readers.
    mutating func hold(_ session: SessionID, _ claim: Claim) {
        release(session)
        holds[session] = Hold(number: takeNumber(), claim: claim)
        switch claim {
        case .all: holderOfAll = session
        case .some(let readers): for reader in readers { holders[reader] = session }
        }
    }

    /// Puts a session at the end of the queue. One that already waits keeps its place, with a new claim.
    ///
    /// - Parameter claim: nil for a session that could not use any reader now: it delays no other session.
    mutating func wait(_ session: SessionID, _ claim: Claim?) {
        if let place = places[session] {
            guard place.claim != claim else { return }
            leaveLines(place)
        }
        let place = Place(number: places[session]?.number ?? takeNumber(), claim: claim)
        places[session] = place
        enterLines(session, place)
    }

    /// Removes a session, whether it holds readers or waits.
    mutating func release(_ session: SessionID) {
        if let hold = holds.removeValue(forKey: session) {
            freed = freed.union(hold.claim)
            switch hold.claim {
            case .all: holderOfAll = nil
            case .some(let readers): for reader in readers { holders[reader] = nil }
            }
        }
        if let place = places.removeValue(forKey: session) { leaveLines(place) }
        holds.shrink()
        places.shrink()
    }

    /// The sessions that may have their turn because of what was released since the last call, in their order. At most one for
    /// each released reader, and one that waits for all of them: those behind them still wait for them.
    mutating func takeCandidates() -> [SessionID] {
        guard freed != .some([]) else { return [] }
        let firsts = Set(firsts(forAnyIn: freed)).sorted { $0.number < $1.number }.map(\.session)
        freed = .some([])
        return firsts.filter { session in
            places[session]?.claim.map { obstacle(to: session, wanting: $0) == nil } ?? false
        }
    }

    private mutating func takeNumber() -> UInt64 {
        next += 1
        return next
    }

    private mutating func enterLines(_ session: SessionID, _ place: Place) {
        let entry = WaitingLine.Entry(number: place.number, session: session)
        line.insert(entry)
        guard let claim = place.claim else { return }
        switch claim {
        case .all: lineForAll.insert(entry)
        case .some(let readers): for reader in readers { lines[reader, default: WaitingLine()].insert(entry) }
        }
    }

    private mutating func leaveLines(_ place: Place) {
        line.remove(place.number)
        guard let claim = place.claim else { return }
        freed = freed.union(claim)
        switch claim {
        case .all: lineForAll.remove(place.number)
        case .some(let readers): for reader in readers { leaveLine(of: reader, place.number) }
        }
    }

    private mutating func leaveLine(of reader: ReaderID, _ number: UInt64) {
        lines[reader]?.remove(number)
        if lines[reader]?.count == 0 { lines[reader] = nil }
        lines.shrink()
    }
}

/// Sessions in the order of their numbers. A number is found by halving; adding the highest one costs nothing.
struct WaitingLine: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        let number: UInt64
        let session: SessionID
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    var first: Entry? { entries.first }
    var sessions: [SessionID] { entries.map(\.session) }

    mutating func insert(_ entry: Entry) {
        entries.insert(entry, at: place(of: entry.number))
    }

    mutating func remove(_ number: UInt64) {
        let place = place(of: number)
        guard place < entries.count, entries[place].number == number else { return }
        entries.remove(at: place)
        entries.shrink()
    }

    /// The index of the first entry whose number is not lower.
    private func place(of number: UInt64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
