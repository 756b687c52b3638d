/// `server.info`: who answers, and what it allows.
public enum ServerInfo: Method {
    public static let name = "server.info"
    public typealias Parameters = Empty

    /// Bounds a client had better know.
    public struct Limits: Codable, Sendable, Hashable {
        /// The longest a session stays active, in seconds.
        public var sessionTimeout: Double
        /// The longest line, in bytes.
        public var lineLength: Int
        /// The most sessions of one client.
        public var sessionsPerClient: Int

        public init(sessionTimeout: Double, lineLength: Int, sessionsPerClient: Int) {
            self.sessionTimeout = sessionTimeout
            self.lineLength = lineLength
            self.sessionsPerClient = sessionsPerClient
        }
    }

    /// What the caller may do.
    public struct Entitlements: Codable, Sendable, Hashable {
        /// Session formats, e.g. `NDEF`.
        public var formats: [String]
        /// Capabilities, e.g. `read`, `simulate`.
        public var capabilities: [String]

        public init(formats: [String], capabilities: [String]) {
            self.formats = formats
            self.capabilities = capabilities
        }
    }

    public struct Result: Codable, Sendable, Hashable {
        public var name: String
        public var version: String
        public var protocolVersion: Int
        /// Whether there is a reader to read with.
        public var readingAvailable: Bool
        public var limits: Limits
        public var entitlements: Entitlements

        public init(
            name: String, version: String, protocolVersion: Int, readingAvailable: Bool, limits: Limits,
            entitlements: Entitlements
        ) {
            self.name = name
            self.version = version
            self.protocolVersion = protocolVersion
            self.readingAvailable = readingAvailable
            self.limits = limits
            self.entitlements = entitlements
        }
    }
}

/// `readers.list`: the readers of the moment.
public enum ReadersList: Method {
    public static let name = "readers.list"
    public typealias Parameters = Empty
    public typealias Result = [Reader]

    /// What a reader is doing.
    public enum State: String, Choice {
        /// Nothing in its field.
        case empty
        /// A tag in its field.
        case present
        /// A session holds it.
        case inUse
        /// It no longer answers.
        case failed
    }

    public struct Reader: Codable, Sendable, Hashable {
        /// Its name within nfcd.
        public var reader: String
        /// Its name for people.
        public var name: String
        public var state: State
        /// `iso14443`, `iso15693`, `iso18092`.
        public var technologies: [String]
        /// How commands travel to a tag on it.
        public var profile: String
        public var serial: String?
        /// Why it failed.
        public var failure: String?

        public init(
            reader: String, name: String, state: State, technologies: [String], profile: String, serial: String?,
            failure: String?
        ) {
            self.reader = reader
            self.name = name
            self.state = state
            self.technologies = technologies
            self.profile = profile
            self.serial = serial
            self.failure = failure
        }
    }
}
