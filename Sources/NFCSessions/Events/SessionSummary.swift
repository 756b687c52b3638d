public import NFCReaders

/// A session as an operator sees it.
public struct SessionSummary: Sendable {
    /// Where it stands.
    public enum State: Sendable, Hashable {
        /// It waits for readers.
        case queued
        /// It holds its readers.
        case active
    }

    /// Its name.
    public let id: SessionID
    /// Whose it is.
    public let client: any SessionClient
    /// What was asked for.
    public let request: SessionRequest
    /// The text that is shown for it.
    public let alertMessage: String
    /// See ``State``.
    public let state: State
    /// The readers it holds or waits for, as far as they are plugged in.
    public let readers: [ReaderID]
    /// How long it has been in this state.
    public let age: Duration
    /// How long it stays active at most; nil while it waits.
    public let remaining: Duration?
}
