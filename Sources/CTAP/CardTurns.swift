/// Who may use the card between two exchanges: the programs that have the HID device open, or others too, in turns.
struct CardTurns: Sendable, Hashable {
    /// How long others wait after the last program has closed the device.
    private static let closedDelay = Duration.seconds(2)
    /// How long a program that has the device open and asks for nothing keeps others away.
    private static let idleLimit = Duration.seconds(60)

    /// Whether others may use the card. A session with a card begins as one that shares it.
    private var isShared = true
    /// Whether others may have used it since the last exchange.
    private(set) var wasShared = false
    /// From when on others may use it, if no request is open by then; nil: not before another event, or they may already.
    private(set) var deadline: Duration?

    /// Keeps others away, if a program has the device open for 60 s after this.
    ///
    /// - Returns: whether that is a change.
    mutating func keep(isOpen: Bool, at time: Duration) -> Bool {
        if isOpen { deadline = time + Self.idleLimit }
        guard isShared else { return false }
        (isShared, wasShared) = (false, true)
        return true
    }

    /// The last program closed the device.
    mutating func closed(at time: Duration) {
        if !isShared { deadline = time + Self.closedDelay }
    }

    /// An exchange with the card ended.
    mutating func exchanged(isOpen: Bool, at time: Duration) {
        wasShared = false
        if isOpen { deadline = time + Self.idleLimit }
    }

    /// Lets others use the card.
    ///
    /// - Returns: whether that is a change.
    mutating func share() -> Bool {
        defer { (isShared, deadline) = (true, nil) }
        return !isShared
    }
}
