public import NDEF
public import NFCReaders
public import NFCTags

/// What a client receives about its session.
public enum SessionEvent: Sendable, Hashable {
    /// The session holds its readers and looks for tags.
    case didBecomeActive
    /// A tag was detected and read. If there is no message, the reading has the reason.
    case didDetectNDEFs(DetectedTag, NDEFReading)
    /// Tags were detected and are held for commands.
    case didDetectTags([DetectedTag])
    /// A tag that was reported has left the field.
    case tagRemoved(TagID)
    /// A tag came to a reader of a session that receives tags, and connecting to it failed.
    case tagFailed(ReaderDescription, TagError)
    /// A tag came to a reader of a session that began as one that yields, and the session does not look for it.
    case tagIgnored(ReaderID)
    /// The session is over. No event follows.
    case didInvalidate(Invalidation)
}

/// A tag as it is reported to a session.
public struct DetectedTag: Sendable, Hashable {
    /// Its name within the session.
    public let id: TagID
    /// The reader it is on.
    public let reader: ReaderDescription
    /// The tag; nil where connecting to it failed.
    public let identity: TagIdentity?
    /// The form in which it is delivered; nil where it was only read.
    public let delivery: TagDelivery?
    /// How often polling had been restarted when it was detected.
    public let polling: Int
    /// Whether it was in the field when the session became active.
    public let wasPresent: Bool

    /// Makes a tag.
    public init(
        id: TagID, reader: ReaderDescription, identity: TagIdentity?, delivery: TagDelivery? = nil, polling: Int = 0,
        wasPresent: Bool = false
    ) {
        self.id = id
        self.reader = reader
        self.identity = identity
        self.delivery = delivery
        self.polling = polling
        self.wasPresent = wasPresent
    }
}

/// The result of reading a tag for its messages.
public struct NDEFReading: Sendable, Hashable {
    /// The messages; none if the tag is empty, is not formatted, or could not be read.
    public var messages: [NDEFMessage]
    /// Why there is no message; nil if there is one.
    public var failure: TagError?
    /// Whether there is NDEF, and whether it can be written; nil where reading failed.
    public var status: NDEFStatus?
    /// The largest message that fits, in bytes.
    public var capacity: Int?
    /// The maker's name for the product, if reading has shown it.
    public var product: String?
    /// What the tag has proven; nil if no profile fits it.
    public var proof: TapProof?

    /// Makes a result.
    public init(
        messages: [NDEFMessage] = [], failure: TagError? = nil, status: NDEFStatus? = nil, capacity: Int? = nil
    ) {
        self.messages = messages
        self.failure = failure
        self.status = status
        self.capacity = capacity
    }

    /// Whether the tag has proven itself.
    public var isProven: Bool { proof?.isProven == true }
}

/// Why a session ended.
public struct Invalidation: Sendable, Hashable {
    /// CoreNFC's code.
    public let code: NFCErrorCode
    /// The cause in words, or the client's own error message; empty where the code is enough.
    public let detail: String

    /// Makes a reason.
    public init(_ code: NFCErrorCode, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }
}

/// A client as the coordinator sees it.
public protocol SessionClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// A description for the log and for clients that wait for its session to end: `uid 1000, pid 4711`.
    var label: String { get }

    /// What the client may do now: the rules can change while it is connected.
    var permissions: Permissions { get }

    /// Sends an event of a session to the client. Called in order; must not block.
    func send(_ event: SessionEvent, of session: SessionID)
}

/// The number of a client within nfcd.
public struct ClientID: RawRepresentable, Sendable, Hashable {
    /// The number, counted up from 1.
    public let rawValue: UInt64

    /// Accepts any value.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The name of a session on the wire; never reused while nfcd runs.
public struct SessionID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text on the wire.
    public let rawValue: String

    /// Accepts any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The text on the wire.
    public var description: String { rawValue }
}

/// The name of a detected tag within its session. When the same tag is detected again, it gets a new name, so that a command
/// for an earlier detection cannot reach it.
public struct TagID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text on the wire.
    public let rawValue: String

    /// Accepts any value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The text on the wire.
    public var description: String { rawValue }
}
