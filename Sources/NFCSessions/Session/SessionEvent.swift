public import NDEF
public import NFCReaders
public import NFCTags

/// What a client hears of its session.
public enum SessionEvent: Sendable, Hashable {
    /// The readers are the session's; tags are looked for.
    case didBecomeActive
    /// A tag was found and read. Without messages, the reading tells why.
    case didDetectNDEFs(DetectedTag, NDEFReading)
    /// Tags were found and are held for commands.
    case didDetectTags([DetectedTag])
    /// A tag that was reported has left the field.
    case tagRemoved(TagID)
    /// A tag came to a reader of a session that is given tags, and could not be connected to.
    case tagFailed(ReaderDescription, TagError)
    /// The session is over. Nothing follows, ever.
    case didInvalidate(Invalidation)
}

/// A tag as it is reported to a session.
public struct DetectedTag: Sendable, Hashable {
    /// Its name within the session.
    public let id: TagID
    /// Where it lies.
    public let reader: ReaderDescription
    /// What it is; nil where it could not even be connected to.
    public let identity: TagIdentity?
    /// As what it is delivered; nil where it was only read.
    public let delivery: TagDelivery?
    /// How often polling had been restarted when it was found.
    public let polling: Int

    /// All fields.
    public init(
        id: TagID, reader: ReaderDescription, identity: TagIdentity?, delivery: TagDelivery? = nil, polling: Int = 0
    ) {
        self.id = id
        self.reader = reader
        self.identity = identity
        self.delivery = delivery
        self.polling = polling
    }
}

/// What reading a tag for its messages gave.
public struct NDEFReading: Sendable, Hashable {
    /// The messages; none if the tag is empty, is not formatted, or could not be read.
    public var messages: [NDEFMessage]
    /// Why there is no message; nil where there is one.
    public var failure: TagError?
    /// Whether there is NDEF, and whether it can be written; nil where reading failed.
    public var status: NDEFStatus?
    /// The largest message that fits, in bytes.
    public var capacity: Int?

    /// All fields.
    public init(
        messages: [NDEFMessage] = [], failure: TagError? = nil, status: NDEFStatus? = nil, capacity: Int? = nil
    ) {
        self.messages = messages
        self.failure = failure
        self.status = status
        self.capacity = capacity
    }
}

/// Why a session ended.
public struct Invalidation: Sendable, Hashable {
    /// CoreNFC's code.
    public let code: NFCErrorCode
    /// The cause in words, or the client's own error message; empty where the code says it all.
    public let detail: String

    /// All fields.
    public init(_ code: NFCErrorCode, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }
}

/// A client as the coordinator sees it.
public protocol SessionClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// Who it is, for the log and for those who wait for its session to end: `uid 1000, pid 4711`.
    var label: String { get }

    /// Tells it about a session. Called in order; must not block.
    func send(_ event: SessionEvent, of session: SessionID)
}

/// The name of a client within nfcd.
public struct ClientID: RawRepresentable, Sendable, Hashable {
    /// The number, counted up from 1.
    public let rawValue: UInt64

    /// Any value is carried.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The name of a session on the wire; never given twice while nfcd runs.
public struct SessionID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text on the wire.
    public let rawValue: String

    /// Any value is carried.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The same as text.
    public var description: String { rawValue }
}

/// The name of a detected tag within its session. Detected anew, the same tag gets a new one, so that a command meant
/// for an earlier detection cannot reach it.
public struct TagID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text on the wire.
    public let rawValue: String

    /// Any value is carried.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The same as text.
    public var description: String { rawValue }
}
