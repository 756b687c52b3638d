// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NFCTypes

// The daemon and its readers: `server.*` and `readers.*`.

/// Returns what the daemon is, its limits, its methods and what the caller may do.
public enum ServerInfo: Method {
    public static let name = "server.info"
    public static let requirement = Requirement.nothing
    public typealias Parameters = Empty

    public struct Result: Codable, Sendable, Hashable {
        /// Always `nfcd`.
        public var name: String
        /// The release of the daemon.
        public var version: String
        /// The version of the protocol: 1.
        public var protocolVersion: Int
        /// The names of all methods of this daemon.
        public var methods: [String]
        /// Whether there is a working reader.
        public var readingAvailable: Bool
        /// Whether nfcd can access readers: not while the PC/SC service is being started, nor while it is unavailable.
        public var readerService: ReaderServiceStatus?
        /// The reason why nfcd cannot access readers.
        public var readerServiceDetail: String?
        /// The limits that a client should know.
        public var limits: Limits
        /// The state of the journal of taps. Absent in the answer of an nfcd before 0.2.
        public var journal: JournalState?
        /// What the caller may do.
        public var entitlements: Entitlements

        package init(
            name: String, version: String, protocolVersion: Int, methods: [String], readingAvailable: Bool,
            readerService: ReaderServiceStatus? = .available, readerServiceDetail: String? = nil,
            limits: Limits, journal: JournalState? = nil, entitlements: Entitlements
        ) {
            self.journal = journal
            self.name = name
            self.version = version
            self.protocolVersion = protocolVersion
            self.methods = methods
            self.readingAvailable = readingAvailable
            self.readerService = readerService
            self.readerServiceDetail = readerServiceDetail
            self.limits = limits
            self.entitlements = entitlements
        }
    }

    public struct Limits: Codable, Sendable, Hashable {
        /// The longest time that a session stays active, in seconds.
        public var sessionTimeout: Double
        /// The longest line, in bytes.
        public var lineLength: Int
        /// The maximum number of sessions of one client.
        public var sessionsPerClient: Int
        /// The maximum number of requests in a batch.
        public var requestsPerBatch: Int?
        /// The maximum number of connections of one user.
        public var connectionsPerUser: Int?
        /// The bytes that the clients of one user may use together, for what they send and again for what they are sent. Each
        /// connection has 16 KiB more.
        public var memoryPerUser: Int?
        /// The bytes of notifications that may be queued for a client that does not read them.
        public var outboundLimit: Int?
        /// The longest text in parameters, in bytes of UTF-8, unless its description gives another limit.
        public var textLength: Int?
        /// The maximum number of entries of a list in parameters, unless its description gives another limit.
        public var listLength: Int?

        package init(
            sessionTimeout: Double, lineLength: Int, sessionsPerClient: Int, textLength: Int? = ParameterSize.text,
            listLength: Int? = ParameterSize.list
        ) {
            self.sessionTimeout = sessionTimeout
            self.lineLength = lineLength
            self.sessionsPerClient = sessionsPerClient
            self.textLength = textLength
            self.listLength = listLength
        }
    }

    /// A summary of the caller's grants: what at least one of them gives. Whether something is allowed on a reader is
    /// decided by `grants`.
    public struct Entitlements: Codable, Sendable, Hashable {
        /// The session formats of all grants: `NDEF`, `TAG`, `PACE`.
        public var formats: [String]
        /// The capabilities of all grants: `read`, `write`, `lock`, `format`, `raw`, `raw-unscreened`, `background`, `taps`,
        /// `monitor`, `manage`, `simulate`, `personalise`, `personalise-permanently`.
        public var capabilities: [String]
        /// The ISO/IEC 7816 applications of all grants, by name, in hexadecimal; `*` alone stands for all.
        public var iso7816SelectIdentifiers: [String]
        /// The FeliCa systems of all grants, four hexadecimal digits each; `*` alone stands for all.
        public var feliCaSystemCodes: [String]
        /// The readers of all grants, by id or name; `*` alone stands for all.
        public var readers: [String]
        /// The grants. Something is allowed if one of them allows all of it. Absent in the answer of an nfcd before 0.2.
        public var grants: [Grant]?

        package init(
            formats: [String], capabilities: [String], iso7816SelectIdentifiers: [String] = [],
            feliCaSystemCodes: [String] = [], readers: [String] = [], grants: [Grant]? = nil
        ) {
            self.formats = formats
            self.capabilities = capabilities
            self.iso7816SelectIdentifiers = iso7816SelectIdentifiers
            self.feliCaSystemCodes = feliCaSystemCodes
            self.readers = readers
            self.grants = grants
        }
    }

    /// One grant: these formats and capabilities, on these readers, with these applications.
    public struct Grant: Codable, Sendable, Hashable {
        /// The session formats: `NDEF`, `TAG`, `PACE`.
        public var formats: [String]
        /// The capabilities.
        public var capabilities: [String]
        /// The names of the ISO/IEC 7816 applications that may be selected, in hexadecimal; `*` alone stands for all.
        public var iso7816SelectIdentifiers: [String]
        /// The FeliCa systems that may be polled, four hexadecimal digits each; `*` alone stands for all.
        public var feliCaSystemCodes: [String]
        /// The readers that may be used, by id or name; `*` alone stands for all.
        public var readers: [String]
        /// The longest that a session of these formats may request, in seconds; absent: the limit of the daemon.
        public var sessionTimeout: Double?
    }
}

/// Lists the readers and what each is doing, in the order in which they were plugged in.
public enum ReadersList: Method {
    public static let name = "readers.list"
    public static let requirement = Requirement.nothing
    public typealias Parameters = Empty
    public typealias Result = [Reader]

    public struct Reader: Codable, Sendable, Hashable {
        /// The id of the reader within nfcd.
        public var reader: String
        /// The name of the reader for people.
        public var name: String
        /// What the reader is doing: no tag in its field, a tag in its field, held by a session, or no longer answering.
        public var state: ReaderStatus
        /// The technologies that the reader supports: `iso14443`, `iso15693`, `iso18092`.
        public var technologies: [String]
        /// The reader family that nfcd recognized, which decides how commands are sent to a tag: `generic`, `acr122u` and so on.
        public var profile: String
        /// The serial number, if the reader reports one.
        public var serial: String?
        /// The reason why the reader failed.
        public var failure: String?
        /// The reason why no tag can be read although the reader works: another program holds it.
        public var blocked: String?
    }
}

/// Returns this interface as an OpenRPC document.
///
/// The document is that of OpenRPC 1.3.2, "Service Discovery Method".
public enum RPCDiscover: Method {
    public static let name = "rpc.discover"
    public static let requirement = Requirement.nothing
    public typealias Parameters = Empty

    /// The document, which is the whole result.
    public struct Result: Codable, Sendable, Hashable {
        public let document: JSONValue

        package init(_ document: JSONValue) {
            self.document = document
        }

        public init(from decoder: any Decoder) throws {
            document = try JSONValue(from: decoder)
        }

        public func encode(to encoder: any Encoder) throws {
            try document.encode(to: encoder)
        }
    }
}

extension RPCDiscover.Result: SchemaProviding {
    package static var schema: JSONValue {
        [
            "type": "object", "required": ["openrpc", "info", "methods"], "additionalProperties": true,
            "properties": [
                "openrpc": ["type": "string", "description": "The version of OpenRPC."],
                "info": ["type": "object", "description": "The name and version of the interface."],
                "methods": ["type": "array", "description": "The methods."],
            ],
        ]
    }
    package static var sample: RPCDiscover.Result { RPCDiscover.Result(.null) }
}

/// Cancels a request of the same client that has not started.
///
/// The cancelled request is answered with error -32800. A request that has started continues and is answered as usual. Can
/// be sent as a request or as a notification.
public enum CancelRequest: Method {
    public static let name = "$/cancelRequest"
    public static let requirement = Requirement.nothing

    public struct Parameters: Codable, Sendable, Hashable {
        /// The id of the request to cancel; the latest one if several have it. A request of a batch cannot be cancelled alone.
        public var id: RequestID
    }
}

/// Reports the progress of a request that was sent with `progress`.
///
/// The last report is sent before the answer.
public struct RequestProgress: ServerNotification, Hashable {
    public static let name = "$/progress"
    public static let requirement = Requirement.nothing
    /// The id of the request.
    public var id: RequestID
    /// The number of steps that are done.
    public var done: Int
    /// The total number of steps.
    public var total: Int
}
