/// `sessions.list`: everybody's sessions, the active ones first, then those that wait in their order.
public enum SessionsList: Method {
    /// The name on the wire.
    public static let name = "sessions.list"
    /// No parameters.
    public typealias Parameters = Empty
    /// The sessions of the moment.
    public typealias Result = [Session]

    /// Where a session stands.
    public enum State: String, Choice {
        /// It waits for readers.
        case queued
        /// It holds its readers.
        case active
    }

    /// A session of the moment.
    public struct Session: Codable, Sendable, Hashable {
        /// Its name.
        public var session: String
        /// Whose it is.
        public var client: ClientProcess
        /// Where it stands.
        public var state: State
        /// The readers it holds or waits for, by their names within nfcd.
        public var readers: [String]
        /// What it is for.
        public var kind: SessionBegin.Kind
        /// The text that is shown for it.
        public var alertMessage: String
        /// Since when it has been in this state: RFC 3339, in UTC.
        public var since: String
        /// Seconds until it ends with 201; absent while it waits.
        public var remaining: Double?

        /// All fields.
        public init(
            session: String, client: ClientProcess, state: State, readers: [String], kind: SessionBegin.Kind,
            alertMessage: String, since: String, remaining: Double?
        ) {
            self.session = session
            self.client = client
            self.state = state
            self.readers = readers
            self.kind = kind
            self.alertMessage = alertMessage
            self.since = since
            self.remaining = remaining
        }
    }
}

/// `sessions.cancel`: ends anybody's session, with 200.
public enum SessionsCancel: Method {
    /// The name on the wire.
    public static let name = "sessions.cancel"
    /// What ends a session of one's own, too.
    public typealias Parameters = SessionInvalidate.Parameters
    /// Nothing to say.
    public typealias Result = Empty
}
