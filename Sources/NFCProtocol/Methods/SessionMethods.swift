/// `session.begin`: asks for a reader session. Whether it becomes active is told by notifications.
public enum SessionBegin: Method {
    /// The name on the wire.
    public static let name = "session.begin"

    /// What a session is for.
    public enum Kind: String, Choice {
        /// The session reads NDEF.
        case ndef
    }

    /// What a client is given of a tag.
    public enum Detection: String, Choice {
        /// The client is given the messages of the tags found.
        case messages
        /// The client is given the tags themselves, for commands.
        case tags
    }

    /// What happens while another session holds a reader.
    public enum WhenBusy: String, Choice {
        /// End with 203.
        case fail
        /// Wait for the turn.
        case queue
    }

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// What the session is for.
        public var kind: Kind
        /// What the client is given; messages, if absent.
        public var detection: Detection?
        /// End with 204 after the first message; false, if absent.
        public var invalidateAfterFirstRead: Bool?
        /// A text for whoever shows the session.
        public var alertMessage: String?
        /// Readers by id or name; all there are, if absent.
        public var readers: [String]?
        /// What happens while another session holds a reader; fail, if absent.
        public var whenBusy: WhenBusy?
        /// Wait for a reader or the PC/SC service in place of ending with 1 or 6; false, if absent.
        public var waitForReader: Bool?
        /// Seconds, more than 0; the limit of the daemon, if absent or longer.
        public var timeout: Double?

        /// All fields; what may be absent is nil unless given.
        public init(
            kind: Kind, detection: Detection? = nil, invalidateAfterFirstRead: Bool? = nil,
            alertMessage: String? = nil, readers: [String]? = nil, whenBusy: WhenBusy? = nil,
            waitForReader: Bool? = nil, timeout: Double? = nil
        ) {
            self.kind = kind
            self.detection = detection
            self.invalidateAfterFirstRead = invalidateAfterFirstRead
            self.alertMessage = alertMessage
            self.readers = readers
            self.whenBusy = whenBusy
            self.waitForReader = waitForReader
            self.timeout = timeout
        }
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// The name of the session.
        public var session: String

        /// All fields.
        public init(session: String) {
            self.session = session
        }
    }
}

/// The session a request is about.
public struct SessionParameters: Codable, Sendable, Hashable {
    /// The session's name.
    public var session: String

    /// All fields.
    public init(session: String) {
        self.session = session
    }
}

/// `session.restartPolling`: tags in the field are detected anew.
public enum SessionRestartPolling: Method {
    /// The name on the wire.
    public static let name = "session.restartPolling"
    /// The session.
    public typealias Parameters = SessionParameters
    /// Nothing to say.
    public typealias Result = Empty
}

/// `session.connect`: makes a detected tag the one that takes commands, in place of another.
public enum SessionConnect: Method {
    /// The name on the wire.
    public static let name = "session.connect"
    /// The tag.
    public typealias Parameters = TagParameters
    /// Nothing to say.
    public typealias Result = Empty
}

/// `session.setAlertMessage`: changes the text that is shown for the session.
public enum SessionSetAlertMessage: Method {
    /// The name on the wire.
    public static let name = "session.setAlertMessage"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// The new text.
        public var message: String

        /// All fields.
        public init(session: String, message: String) {
            self.session = session
            self.message = message
        }
    }
}

/// `session.invalidate`: ends the session, with 200.
public enum SessionInvalidate: Method {
    /// The name on the wire.
    public static let name = "session.invalidate"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The session's name.
        public var session: String
        /// Shown as the reason.
        public var errorMessage: String?

        /// All fields; what may be absent is nil unless given.
        public init(session: String, errorMessage: String? = nil) {
            self.session = session
            self.errorMessage = errorMessage
        }
    }
}
