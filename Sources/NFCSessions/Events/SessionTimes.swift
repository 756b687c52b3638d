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
