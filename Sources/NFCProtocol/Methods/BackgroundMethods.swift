// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.
public import NDEF
public import NFCTypes

// Taps on readers that no session holds: `background.*`.

/// Subscribes to taps on readers that no session holds.
///
/// A tag is reported once when it arrives, to the clients that had subscribed by then; a tag that stays is not reported again.
/// A session that becomes active before the tag was read takes the tap over: the session detects the tag, and
/// subscribers receive nothing. A client receives the taps on the readers on which one grant gives it both capabilities, as
/// the rules are at that moment.
public enum BackgroundSubscribe: Method {
    public static let name = "background.subscribe"
    public static let requirement = Requirement.capabilities([.background, .read])

    /// The conditions for a tap. All that are given have to match; those about a record have to match the same record.
    public struct Filter: Codable, Sendable, Hashable {
        /// A prefix of the record's URI; case matters.
        public var uriPrefix: String?
        /// The host of the record's URI; case does not matter.
        public var uriHost: String?
        /// The schemes of the URIs to accept, such as `tel`, beside http, https and the one that `uriPrefix` spells out; `*` is every
        /// scheme. Others match no condition for URIs, and are never in `uri`.
        public var uriSchemes: [String]?
        /// The record's media type; case and parameters do not matter.
        public var mimeType: String?
        /// The record's external type, such as `example.com:door`; case does not matter.
        public var externalType: String?
        /// The kind of record: the `kind` of its decoded form, such as `uri` or `text`.
        public var kind: String?
        /// The UID of the tag.
        public var identifier: HexBytes?
        /// The reader, by id or name.
        public var reader: String?
    }

    public struct Parameters: Codable, Sendable, Hashable {
        /// The conditions for a tap. All that are given have to match, those about a record on the same record. The default
        /// is every tap, including those of tags without a message.
        public var filter: Filter?
        /// Whether `background.tagRemoved` follows each tap when its tag leaves; default false.
        public var removals: Bool?
        /// `proven`: only taps whose tag has proven itself; the default is all.
        public var require: ProofRequirement?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The name of the subscription.
        public var subscription: String
    }
}

/// Ends a subscription to taps.
///
/// A subscription also ends with its connection.
public enum BackgroundUnsubscribe: Method {
    public static let name = "background.unsubscribe"
    public static let requirement = Requirement.capability(.background)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The name of the subscription.
        public var subscription: String
    }
}

/// A tag arrived at a reader that no session holds, and was read.
public struct BackgroundDidReadTag: ServerNotification {
    public static let name = "background.didReadTag"
    public static let requirement = Requirement.capabilities([.background, .read])

    public struct Tag: Codable, Sendable, Hashable {
        /// CoreNFC's type of the tag.
        public var type: TagType
        /// The technology of the tag, for people; absent if the tag could not be connected to.
        public var technology: String?
        /// The UID; empty if the reader does not report it.
        public var identifier: HexBytes
        /// The manufacturer's name for the product, if reading the message has shown it.
        public var product: String?
    }

    /// The subscription whose filter matched.
    public var subscription: String
    /// The id of the reader within nfcd.
    public var reader: String
    /// The name of the reader for people.
    public var readerName: String
    /// The tag.
    public var tag: Tag
    /// The messages on the tag; empty if there is none, and then `error` gives the reason.
    public var messages: [NDEFMessage]
    /// The URI of the record that the filter matched; with a filter that is not about records, the first one of the messages. Absent
    /// if there is none whose scheme is http, https or one that the filter accepts.
    public var uri: String?
    /// The place of the record that the filter matched, counted from 0 through the messages; absent if the filter is not about
    /// records.
    public var record: Int?
    /// The text of their first Text record; absent if there is none.
    public var text: String?
    /// Whether the tag holds NDEF, and whether it can be written; absent if reading failed.
    public var status: NDEFStatus?
    /// The size of the largest message that fits, in bytes.
    public var capacity: Int?
    /// The reason why there is no message.
    public var error: SessionDidDetectNDEFs.Failure?
    /// What the tag has proven; absent if no profile fits it.
    public var proof: TapProof?

    package init(
        subscription: String, reader: String, readerName: String, tag: Tag, messages: [NDEFMessage],
        uri: String?, record: Int?, status: NDEFStatus?, capacity: Int?, error: SessionDidDetectNDEFs.Failure?
    ) {
        self.subscription = subscription
        self.reader = reader
        self.readerName = readerName
        self.tag = tag
        self.messages = messages
        self.uri = uri
        self.record = record
        text = messages.lazy.compactMap(\.firstText).first
        self.status = status
        self.capacity = capacity
        self.error = error
    }
}

/// The tag of a tap left the field, or its reader was unplugged or failed.
///
/// It follows each tap of a subscription with `removals` once, and immediately where the tag left before it was read. A session
/// that detects the tag again in between changes nothing.
public struct BackgroundTagRemoved: ServerNotification {
    public static let name = "background.tagRemoved"
    public static let requirement = BackgroundDidReadTag.requirement

    /// The subscription that received the tap.
    public var subscription: String
    /// The id of the reader within nfcd.
    public var reader: String
    /// The name of the reader for people.
    public var readerName: String
    /// The tag, as in its tap.
    public var tag: BackgroundDidReadTag.Tag
}
