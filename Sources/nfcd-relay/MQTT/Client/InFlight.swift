/// The messages that wait for their acknowledgement, by packet id.
///
/// A value without a clock: the caller passes the time.
struct InFlight<Token> {
    private struct Entry {
        let token: Token
        let deadline: Duration
    }

    private let limit: Duration
    private var entries: [Int32: Entry] = [:]

    /// - Parameter limit: how long an acknowledgement may take.
    init(limit: Duration) {
        self.limit = limit
    }

    var count: Int { entries.count }

    /// The time at which the first acknowledgement is overdue; nil where none is awaited.
    var deadline: Duration? { entries.values.map(\.deadline).min() }

    /// Adds a message that was sent.
    mutating func sent(_ id: Int32, _ token: Token, at now: Duration) {
        entries[id] = Entry(token: token, deadline: now + limit)
    }

    /// Removes a message; nil for an id that is not awaited.
    mutating func acknowledged(_ id: Int32) -> Token? {
        entries.removeValue(forKey: id)?.token
    }

    /// Whether an acknowledgement is overdue.
    func isOverdue(at now: Duration) -> Bool {
        deadline.map { $0 <= now } ?? false
    }
}
