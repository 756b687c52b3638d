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
    public var kind: SessionBegin.Kind

    /// All fields.
    public init(session: String, client: ClientProcess, readers: [String], kind: SessionBegin.Kind) {
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
