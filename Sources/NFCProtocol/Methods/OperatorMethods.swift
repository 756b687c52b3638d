// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NFCTypes

// What operators observe and do: events of all clients, the sessions of all clients.

/// Subscribes to events of readers, tags and the sessions of all clients.
///
/// `readers.list` and `sessions.list` return what exists already.
public enum EventsSubscribe: Method {
    public static let name = "events.subscribe"
    public static let requirement = Requirement.capability(.monitor)
    public typealias Parameters = Empty
}

/// Lists sessions: the active ones first, then the waiting ones in their order.
///
/// With `monitor`, those of all clients, otherwise those of the clients of the caller's user. An answer has as many as fit into a line.
/// A client gets the rest with `offset`, until an answer is empty.
public enum SessionsList: Method {
    public static let name = "sessions.list"
    public static let requirement = Requirement.nothing
    public typealias Result = [Session]

    public struct Parameters: Codable, Sendable, Hashable {
        /// The number of sessions to leave out, from the beginning of the list; the default is 0.
        public var offset: Int?
    }

    public struct Session: Codable, Sendable, Hashable {
        /// The name of the session.
        public var session: String
        /// The process of the client that owns the session.
        public var client: ClientProcess
        /// Whether the session waits for its readers or holds them.
        public var state: SessionState
        /// The ids of the readers that the session holds or waits for.
        public var readers: [String]
        /// The kind of session.
        public var kind: SessionKind
        /// The text that is shown for the session.
        public var alertMessage: String
        /// The time when the session entered its state: RFC 3339, in UTC.
        public var since: String
        /// The time until the session ends with 201, in seconds; absent while it waits.
        public var remaining: Double?
    }
}

/// Ends a session of any client, with 200.
public enum SessionsCancel: Method {
    public static let name = "sessions.cancel"
    public static let requirement = Requirement.capability(.manage)
    public typealias Parameters = SessionInvalidate.Parameters
}

/// Shows at a reader which one it is, by its light and sound.
///
/// A reader that a session holds, that failed, or whose feedback is not configured shows nothing.
public enum ReadersIdentify: Method {
    public static let name = "readers.identify"
    public static let requirement = Requirement.capability(.manage)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The id of the reader; the default is all readers.
        public var reader: String?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The ids of the readers that show it.
        public var readers: [String]
    }
}

/// Returns counters and durations since the start of the daemon, in the text format of Prometheus.
public enum ServerMetrics: Method {
    public static let name = "server.metrics"
    public static let requirement = Requirement.nothing
    public typealias Parameters = Empty

    public struct Result: Codable, Sendable, Hashable {
        /// The metrics in the text format 0.0.4 of Prometheus.
        public var text: String
    }
}

/// The process of a client.
public struct ClientProcess: Codable, Sendable, Hashable {
    /// The user id of the process.
    public var uid: UInt32
    /// The process id.
    public var pid: Int32
}

/// A session of any client became active.
public struct SessionBegan: ServerNotification, Hashable {
    public static let name = "session.began"
    public static let requirement = Requirement.capability(.monitor)
    /// The session.
    public var session: String
    /// The process of the client that owns the session.
    public var client: ClientProcess
    /// The ids of the readers that the session holds.
    public var readers: [String]
    /// The kind of session.
    public var kind: SessionKind
}

/// A session of any client ended.
///
/// Also sent for a session that never became active.
public struct SessionEnded: ServerNotification, Hashable {
    public static let name = "session.ended"
    public static let requirement = Requirement.capability(.monitor)
    /// The session.
    public var session: String
    /// CoreNFC's code, e.g. 201.
    public var code: Int
    /// CoreNFC's short name of the code, e.g. `SessionTimeout`.
    public var name: String
}

/// A reader was plugged in.
public struct ReaderAttached: ServerNotification, Hashable {
    public static let name = "reader.attached"
    public static let requirement = Requirement.capability(.monitor)
    /// The id of the reader within nfcd.
    public var reader: String
    /// The name of the reader for people.
    public var name: String
    /// The technologies that the reader supports: `iso14443`, `iso15693`, `iso18092`.
    public var technologies: [String]
    /// The reader family that nfcd recognized, as in `readers.list`.
    public var profile: String
    /// The serial number, if the reader reports one.
    public var serial: String?
}

/// A reader was unplugged, or its PC/SC service stopped.
public struct ReaderDetached: ServerNotification, Hashable {
    public static let name = "reader.detached"
    public static let requirement = Requirement.capability(.monitor)
    /// The id of the reader within nfcd.
    public var reader: String
}

/// A reader no longer answers.
public struct ReaderFailed: ServerNotification, Hashable {
    public static let name = "reader.failed"
    public static let requirement = Requirement.capability(.monitor)
    /// The id of the reader within nfcd.
    public var reader: String
    /// The reason in words.
    public var failure: String
}

/// A failed reader answers again.
public struct ReaderRecovered: ServerNotification, Hashable {
    public static let name = "reader.recovered"
    public static let requirement = Requirement.capability(.monitor)
    /// The id of the reader within nfcd.
    public var reader: String
}

/// A tag entered the field of a reader.
public struct ReaderTagArrived: ServerNotification, Hashable {
    public static let name = "reader.tagArrived"
    public static let requirement = Requirement.capability(.monitor)
    /// The id of the reader within nfcd.
    public var reader: String
}

/// The tag left the field of a reader.
public struct ReaderTagLeft: ServerNotification, Hashable {
    public static let name = "reader.tagLeft"
    public static let requirement = Requirement.capability(.monitor)
    /// The id of the reader within nfcd.
    public var reader: String
}
