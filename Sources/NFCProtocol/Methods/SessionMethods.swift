/// `session.begin`: asks for a reader session. Whether it becomes active is told by notifications.
public enum SessionBegin: Method {
    public static let name = "session.begin"

    public enum Kind: String, Choice {
        /// The session reads NDEF.
        case ndef
    }

    public enum Detection: String, Choice {
        /// The client is given the messages of the tags found.
        case messages
    }

    public enum WhenBusy: String, Choice {
        /// End with 203.
        case fail
        /// Wait for the turn.
        case queue
    }

    public struct Parameters: Codable, Sendable, Hashable {
        public var kind: Kind
        public var detection: Detection?
        public var invalidateAfterFirstRead: Bool?
        public var alertMessage: String?
        /// Readers by id or name; all there are, if absent.
        public var readers: [String]?
        public var whenBusy: WhenBusy?
        public var waitForReader: Bool?
        /// Seconds, more than 0; the limit of the daemon, if absent or longer.
        public var timeout: Double?

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

    public struct Result: Codable, Sendable, Hashable {
        /// The name of the session.
        public var session: String

        public init(session: String) {
            self.session = session
        }
    }
}

/// The session a request is about.
public struct SessionParameters: Codable, Sendable, Hashable {
    public var session: String

    public init(session: String) {
        self.session = session
    }
}

/// `session.restartPolling`: tags in the field are detected anew.
public enum SessionRestartPolling: Method {
    public static let name = "session.restartPolling"
    public typealias Parameters = SessionParameters
    public typealias Result = Empty
}

/// `session.setAlertMessage`: changes the text that is shown for the session.
public enum SessionSetAlertMessage: Method {
    public static let name = "session.setAlertMessage"
    public typealias Result = Empty

    public struct Parameters: Codable, Sendable, Hashable {
        public var session: String
        public var message: String

        public init(session: String, message: String) {
            self.session = session
            self.message = message
        }
    }
}

/// `session.invalidate`: ends the session, with 200.
public enum SessionInvalidate: Method {
    public static let name = "session.invalidate"
    public typealias Result = Empty

    public struct Parameters: Codable, Sendable, Hashable {
        public var session: String
        /// Shown as the reason.
        public var errorMessage: String?

        public init(session: String, errorMessage: String? = nil) {
            self.session = session
            self.errorMessage = errorMessage
        }
    }
}
