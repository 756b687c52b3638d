/// `background.didReadTag`: a tag came to a reader that no session holds. `Message` is the JSON form of an NDEF message.
public struct BackgroundDidReadTag<Message: Codable & Sendable>: ServerNotification {
    /// The name on the wire.
    public static var name: String { "background.didReadTag" }

    /// What the tag is.
    public struct Tag: Codable, Sendable, Hashable {
        /// CoreNFC's type of the tag.
        public var type: WireTagType
        /// What the tag is, for people; absent where it could not be connected to.
        public var technology: String?
        /// The UID; empty if the reader gave none.
        public var identifier: HexBytes

        /// All fields.
        public init(type: WireTagType, technology: String?, identifier: HexBytes) {
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
    public var status: TagQueryNDEFStatus.Status?
    /// The largest message that fits, in bytes.
    public var capacity: Int?
    /// Why there is no message; absent where there is one.
    public var error: SessionDidDetectNDEFs<Message>.Failure?

    /// All fields.
    public init(
        subscription: String, reader: String, readerName: String, tag: Tag, messages: [Message],
        status: TagQueryNDEFStatus.Status?, capacity: Int?, error: SessionDidDetectNDEFs<Message>.Failure?
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
