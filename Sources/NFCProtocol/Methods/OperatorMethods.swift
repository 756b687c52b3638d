/// `events.subscribe`: from now on the client hears of readers, tags and sessions coming and going, anybody's.
///
/// What is there already is told by `readers.list` and `sessions.list`.
public enum EventsSubscribe: Method {
    /// The name on the wire.
    public static let name = "events.subscribe"
    /// No parameters.
    public typealias Parameters = Empty
    /// Nothing to say.
    public typealias Result = Empty
}

/// The process of a client.
public struct ClientProcess: Codable, Sendable, Hashable {
    /// The user it runs as.
    public var uid: UInt32
    /// Its process id.
    public var pid: Int32

    /// All fields.
    public init(uid: UInt32, pid: Int32) {
        self.uid = uid
        self.pid = pid
    }
}

/// `session.began`: somebody's session became active.
public struct SessionBegan: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "session.began"
    /// The session's name.
    public var session: String
    /// Whose it is.
    public var client: ClientProcess
    /// The readers it holds, by their names within nfcd.
    public var readers: [String]
    /// What the session is for.
    public var kind: SessionKind

    /// All fields.
    public init(session: String, client: ClientProcess, readers: [String], kind: SessionKind) {
        self.session = session
        self.client = client
        self.readers = readers
        self.kind = kind
    }
}

/// `session.ended`: somebody's session is over, also one that never became active.
public struct SessionEnded: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "session.ended"
    /// The session's name.
    public var session: String
    /// CoreNFC's code, e.g. 201.
    public var code: Int
    /// CoreNFC's short name, e.g. `SessionTimeout`.
    public var name: String

    /// All fields.
    public init(session: String, code: Int, name: String) {
        self.session = session
        self.code = code
        self.name = name
    }
}

/// `sessions.list`: everybody's sessions, the active ones first, then those that wait in their order.
public enum SessionsList: Method {
    /// The name on the wire.
    public static let name = "sessions.list"
    /// No parameters.
    public typealias Parameters = Empty
    /// The sessions of the moment.
    public typealias Result = [Session]

    /// A session of the moment.
    public struct Session: Codable, Sendable, Hashable {
        /// Its name.
        public var session: String
        /// Whose it is.
        public var client: ClientProcess
        /// Where it stands.
        public var state: SessionState
        /// The readers it holds or waits for, by their names within nfcd.
        public var readers: [String]
        /// What it is for.
        public var kind: SessionKind
        /// The text that is shown for it.
        public var alertMessage: String
        /// Since when it has been in this state: RFC 3339, in UTC.
        public var since: String
        /// Seconds until it ends with 201; absent while it waits.
        public var remaining: Double?

        /// All fields.
        public init(
            session: String, client: ClientProcess, state: SessionState, readers: [String], kind: SessionKind,
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

/// `server.metrics`: what nfcd has counted since its start.
public enum ServerMetrics: Method {
    /// The name on the wire.
    public static let name = "server.metrics"
    /// No parameters.
    public typealias Parameters = Empty

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// The metrics in the text format 0.0.4 of Prometheus.
        public var text: String

        /// All fields.
        public init(text: String) {
            self.text = text
        }
    }
}

/// `reader.attached`: a reader was plugged in.
public struct ReaderAttached: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.attached"
    /// Its name within nfcd.
    public var reader: String
    /// Its name for people.
    public var name: String
    /// `iso14443`, `iso15693`, `iso18092`.
    public var technologies: [String]
    /// What nfcd takes it for.
    public var profile: String
    /// Its serial number, where it tells one.
    public var serial: String?

    /// All fields.
    public init(reader: String, name: String, technologies: [String], profile: String, serial: String?) {
        self.reader = reader
        self.name = name
        self.technologies = technologies
        self.profile = profile
        self.serial = serial
    }
}

/// `reader.detached`: a reader was unplugged, or the PC/SC service that showed it is gone.
public struct ReaderDetached: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.detached"
    /// The reader's name within nfcd.
    public var reader: String

    /// All fields.
    public init(reader: String) {
        self.reader = reader
    }
}

/// `reader.failed`: a reader no longer answers.
public struct ReaderFailed: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.failed"
    /// The reader's name within nfcd.
    public var reader: String
    /// Why, in words.
    public var failure: String

    /// All fields.
    public init(reader: String, failure: String) {
        self.reader = reader
        self.failure = failure
    }
}

/// `reader.recovered`: a failed reader answers again.
public struct ReaderRecovered: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.recovered"
    /// The reader's name within nfcd.
    public var reader: String

    /// All fields.
    public init(reader: String) {
        self.reader = reader
    }
}

/// `reader.tagArrived`: a tag came into the field of a reader.
public struct ReaderTagArrived: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.tagArrived"
    /// The reader's name within nfcd.
    public var reader: String

    /// All fields.
    public init(reader: String) {
        self.reader = reader
    }
}

/// `reader.tagLeft`: the tag left the field of a reader.
public struct ReaderTagLeft: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.tagLeft"
    /// The reader's name within nfcd.
    public var reader: String

    /// All fields.
    public init(reader: String) {
        self.reader = reader
    }
}
