/// `server.info`: who answers, and what it allows.
public enum ServerInfo: Method {
    /// The name on the wire.
    public static let name = "server.info"
    /// No parameters.
    public typealias Parameters = Empty

    /// Bounds a client had better know.
    public struct Limits: Codable, Sendable, Hashable {
        /// The longest a session stays active, in seconds.
        public var sessionTimeout: Double
        /// The longest line, in bytes.
        public var lineLength: Int
        /// The most sessions of one client.
        public var sessionsPerClient: Int

        /// All fields.
        public init(sessionTimeout: Double, lineLength: Int, sessionsPerClient: Int) {
            self.sessionTimeout = sessionTimeout
            self.lineLength = lineLength
            self.sessionsPerClient = sessionsPerClient
        }
    }

    /// What the caller may do.
    public struct Entitlements: Codable, Sendable, Hashable {
        /// Session formats: `NDEF`, `TAG`, `PACE`.
        public var formats: [String]
        /// Of `read`, `write`, `lock`, `format`, `raw`, `background`, `monitor`, `manage`, `simulate`.
        public var capabilities: [String]
        /// Names of the ISO/IEC 7816 applications that may be selected, in hexadecimal; `*` alone: all.
        public var iso7816SelectIdentifiers: [String]
        /// FeliCa systems that may be polled, four hexadecimal digits each; `*` alone: all.
        public var feliCaSystemCodes: [String]
        /// Readers that may be used, by id or name; `*` alone: all.
        public var readers: [String]

        /// All fields; a list that is not given is empty.
        public init(
            formats: [String], capabilities: [String], iso7816SelectIdentifiers: [String] = [],
            feliCaSystemCodes: [String] = [], readers: [String] = []
        ) {
            self.formats = formats
            self.capabilities = capabilities
            self.iso7816SelectIdentifiers = iso7816SelectIdentifiers
            self.feliCaSystemCodes = feliCaSystemCodes
            self.readers = readers
        }
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// `nfcd`.
        public var name: String
        /// The release.
        public var version: String
        /// 1; see `NFCDVersion`.
        public var protocolVersion: Int
        /// Whether there is a reader to read with.
        public var readingAvailable: Bool
        /// What a client had better know.
        public var limits: Limits
        /// What the caller may do.
        public var entitlements: Entitlements

        /// All fields.
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
    /// The name on the wire.
    public static let name = "readers.list"
    /// No parameters.
    public typealias Parameters = Empty
    /// In the order in which they were plugged in.
    public typealias Result = [Reader]

    /// A reader of the moment.
    public struct Reader: Codable, Sendable, Hashable {
        /// Its name within nfcd.
        public var reader: String
        /// Its name for people.
        public var name: String
        /// What it is doing.
        public var state: ReaderStatus
        /// `iso14443`, `iso15693`, `iso18092`.
        public var technologies: [String]
        /// What nfcd takes it for, and with it how commands travel to a tag on it: `generic`, `acr122u` and so on.
        public var profile: String
        /// Its serial number, where it tells one.
        public var serial: String?
        /// Why it failed.
        public var failure: String?

        /// All fields.
        public init(
            reader: String, name: String, state: ReaderStatus, technologies: [String], profile: String, serial: String?,
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

/// `rpc.discover`: the interface as an OpenRPC document (OpenRPC 1.3.2, "Service Discovery Method").
public enum RPCDiscover: Method {
    /// The name on the wire.
    public static let name = "rpc.discover"
    /// No parameters.
    public typealias Parameters = Empty

    /// The document.
    public struct Result: Codable, Sendable, Hashable {
        /// The document as JSON.
        public var document: JSONValue

        /// Wraps a document.
        public init(_ document: JSONValue) {
            self.document = document
        }

        /// The document itself.
        public init(from decoder: any Decoder) throws {
            document = try JSONValue(from: decoder)
        }

        /// The document itself.
        public func encode(to encoder: any Encoder) throws {
            try document.encode(to: encoder)
        }
    }
}

extension RPCDiscover.Result: SchemaProviding {
    package static var schema: JSONValue {
        [
            "type": "object", "required": ["openrpc", "info", "methods"], "additionalProperties": true,
            "properties": ["openrpc": String.schema, "info": ["type": "object"], "methods": ["type": "array"]],
        ]
    }
    package static var sample: RPCDiscover.Result { RPCDiscover.Result(.null) }
}
