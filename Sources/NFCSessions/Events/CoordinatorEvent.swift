public import NFCReaders

/// What happens on readers and in sessions, for those who look on.
public enum CoordinatorEvent: Sendable {
    /// A reader was plugged in.
    case readerAttached(ReaderDescription)
    /// A reader was unplugged, or the PC/SC service that showed it is gone.
    case readerDetached(ReaderID)
    /// A reader no longer answers, with the reason in words.
    case readerFailed(ReaderID, reason: String)
    /// A failed reader answers again.
    case readerRecovered(ReaderID)
    /// A tag came into the field of a reader.
    case tagArrived(ReaderID)
    /// The tag left the field of a reader.
    case tagLeft(ReaderID)
    /// A session became active.
    case sessionBegan(SessionSummary)
    /// A session is over, also one that never became active.
    case sessionEnded(SessionID, Invalidation)
}

/// A client that looks on.
public protocol EventClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// Tells it what happened. Called in order; must not block.
    func tell(_ event: CoordinatorEvent)
}
