/// What bounds sessions; the configuration sets it.
public struct SessionLimits: Sendable, Hashable {
    /// The longest a session stays active; CoreNFC's is 60 s.
    public var timeout: Duration
    /// The most sessions of one client that wait or are active.
    public var sessionsPerClient: Int

    /// Limits; CoreNFC's by default.
    public init(timeout: Duration = .seconds(60), sessionsPerClient: Int = 16) {
        self.timeout = timeout
        self.sessionsPerClient = sessionsPerClient
    }
}

/// Why a request about a session was refused.
public enum SessionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such session, or it is over, or it is another client's: which of them is nobody's business.
    case invalidated(SessionID)
    /// The client has as many sessions as it may.
    case tooManySessions(limit: Int)

    /// The reason in words.
    public var description: String {
        switch self {
        case .invalidated(let session): "session \(session) is over, or was never yours"
        case .tooManySessions(let limit): "a client may have \(limit) sessions at a time"
        }
    }
}
