/// `background.subscribe`: from now on the client hears of taps on readers that no session holds.
///
/// A tag is told once an arrival, to those who had subscribed when it came; one left lying is not told again. A session that
/// becomes active before the tag was read takes the tap over: the session detects it, and it is not told here.
public enum BackgroundSubscribe: Method {
    /// The name on the wire.
    public static let name = "background.subscribe"

    /// Which taps are wanted: all parts that are given have to match, those about a record on one and the same record.
    public struct Filter: Codable, Sendable, Hashable {
        /// What the record's URI begins with, as it stands.
        public var uriPrefix: String?
        /// The host of the record's URI, without regard to case.
        public var uriHost: String?
        /// The record's media type, without regard to case and parameters.
        public var mimeType: String?
        /// The record's external type, such as `example.com:door`, without regard to case.
        public var externalType: String?
        /// What kind of record it is: the `kind` of its decoded form, such as `uri` or `text`.
        public var kind: String?
        /// The UID of the tag.
        public var identifier: HexBytes?
        /// The reader, by id or name.
        public var reader: String?

        /// All parts; none, unless given.
        public init(
            uriPrefix: String? = nil, uriHost: String? = nil, mimeType: String? = nil, externalType: String? = nil,
            kind: String? = nil, identifier: HexBytes? = nil, reader: String? = nil
        ) {
            self.uriPrefix = uriPrefix
            self.uriHost = uriHost
            self.mimeType = mimeType
            self.externalType = externalType
            self.kind = kind
            self.identifier = identifier
            self.reader = reader
        }
    }

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// Which taps are wanted; every one, if absent, also of tags without a message.
        public var filter: Filter?

        /// All fields; what may be absent is nil unless given.
        public init(filter: Filter? = nil) {
            self.filter = filter
        }
    }

    /// What the daemon answers.
    public struct Result: Codable, Sendable, Hashable {
        /// The name of the subscription.
        public var subscription: String

        /// All fields.
        public init(subscription: String) {
            self.subscription = subscription
        }
    }
}

/// `background.unsubscribe`: ends a subscription. It ends with the connection, too.
public enum BackgroundUnsubscribe: Method {
    /// The name on the wire.
    public static let name = "background.unsubscribe"
    /// Nothing to say.
    public typealias Result = Empty

    /// What is asked for.
    public struct Parameters: Codable, Sendable, Hashable {
        /// The name of the subscription.
        public var subscription: String

        /// All fields.
        public init(subscription: String) {
            self.subscription = subscription
        }
    }
}

/// `background.didReadTag`: a tag came to a reader that no session holds. `Message` is the JSON form of an NDEF message.
public struct BackgroundDidReadTag<Message: Codable & Sendable>: ServerNotification {
    /// The name on the wire.
    public static var name: String { "background.didReadTag" }

    /// What the tag is.
    public struct Tag: Codable, Sendable, Hashable {
        /// CoreNFC's type of the tag.
        public var type: TagType
        /// What the tag is, for people; absent where it could not be connected to.
        public var technology: String?
        /// The UID; empty if the reader gave none.
        public var identifier: HexBytes

        /// All fields.
        public init(type: TagType, technology: String?, identifier: HexBytes) {
            self.type = type
            self.technology = technology
            self.identifier = identifier
        }
    }

    /// The subscription that wants it.
    public var subscription: String
    /// The reader's name within nfcd.
    public var reader: String
    /// The reader's name for people.
    public var readerName: String
    /// What the tag is.
    public var tag: Tag
    /// The messages; none, if there is none, and then `error` says why.
    public var messages: [Message]
    /// Whether there is NDEF, and whether it can be written; absent where reading failed.
    public var status: NDEFStatus?
    /// The largest message that fits, in bytes.
    public var capacity: Int?
    /// Why there is no message; absent where there is one.
    public var error: SessionDidDetectNDEFs<Message>.Failure?

    /// All fields.
    public init(
        subscription: String, reader: String, readerName: String, tag: Tag, messages: [Message],
        status: NDEFStatus?, capacity: Int?, error: SessionDidDetectNDEFs<Message>.Failure?
    ) {
        self.subscription = subscription
        self.reader = reader
        self.readerName = readerName
        self.tag = tag
        self.messages = messages
        self.status = status
        self.capacity = capacity
        self.error = error
    }
}
