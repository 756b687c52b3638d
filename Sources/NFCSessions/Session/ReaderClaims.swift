import NFCReaders

/// The sessions that hold readers and those that wait for them, first come first served. A value: no I/O.
struct ReaderClaims: Sendable, Hashable {
    /// The readers a session wants or holds.
    enum Claim: Sendable, Hashable {
        /// All readers, also those plugged in later.
        case all
        /// These.
        case some(Set<ReaderID>)

        /// Whether two claims have a reader in common.
        func overlaps(_ other: Claim) -> Bool {
            switch (self, other) {
            case (.some(let mine), .some(let theirs)): !mine.isDisjoint(with: theirs)
            default: true
            }
        }

        /// Whether a reader is among them.
        func contains(_ reader: ReaderID) -> Bool {
            switch self {
            case .all: true
            case .some(let readers): readers.contains(reader)
            }
        }
    }

    private struct Entry: Sendable, Hashable {
        let session: SessionID
        let claim: Claim
    }

    private var held: [Entry] = []
    private var queue: [Entry] = []

    /// The sessions that wait, in their order.
    var waiting: [SessionID] { queue.map(\.session) }

    /// The session that holds a reader.
    func holder(of reader: ReaderID) -> SessionID? {
        held.first { $0.claim.contains(reader) }?.session
    }

    /// The readers of a session that is active.
    func claim(of session: SessionID) -> Claim? {
        held.first { $0.session == session }?.claim
    }

    /// The session that keeps this one from the readers it wants: a holder, or one that has waited longer.
    func obstacle(to session: SessionID, wanting claim: Claim) -> SessionID? {
        let ahead = queue.prefix { $0.session != session }
        return (held + ahead).first { $0.session != session && $0.claim.overlaps(claim) }?.session
    }

    /// Gives a session its readers.
    mutating func hold(_ session: SessionID, _ claim: Claim) {
        release(session)
        held.append(Entry(session: session, claim: claim))
    }

    /// Puts a session at the end of the queue. One that already waits keeps its place, with a new claim.
    mutating func wait(_ session: SessionID, _ claim: Claim) {
        let entry = Entry(session: session, claim: claim)
        if let place = queue.firstIndex(where: { $0.session == session }) {
            queue[place] = entry
        } else {
            queue.append(entry)
        }
    }

    /// Removes a session, whether it holds readers or waits.
    mutating func release(_ session: SessionID) {
        held.removeAll { $0.session == session }
        queue.removeAll { $0.session == session }
    }
}
