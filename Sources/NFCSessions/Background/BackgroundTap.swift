public import NFCReaders
public import NFCTags

/// A tag that came to a reader which no session held, and what was read of it.
public struct BackgroundTap: Sendable, Hashable {
    /// Where it came.
    public let reader: ReaderDescription
    /// What it is; nil where it could not even be connected to.
    public let identity: TagIdentity?
    /// Its message, or why there is none.
    public let reading: NDEFReading

    /// All fields.
    public init(reader: ReaderDescription, identity: TagIdentity?, reading: NDEFReading) {
        self.reader = reader
        self.identity = identity
        self.reading = reading
    }
}

/// A client that wants to hear of taps outside sessions.
public protocol BackgroundClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// Tells it about a tap. Called in order; must not block.
    func tell(_ tap: BackgroundTap, of subscription: SubscriptionID)
}

/// The name of a background subscription on the wire; never given twice while nfcd runs.
public struct SubscriptionID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text on the wire.
    public let rawValue: String

    /// Any value is carried.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The same as text.
    public var description: String { rawValue }
}

/// Why a request about a background subscription was refused.
public enum BackgroundError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The client has as many subscriptions as it may.
    case tooManySubscriptions(limit: Int)
    /// There is no such subscription, or it is another client's: which of them is nobody's business.
    case unknown(SubscriptionID)

    /// The reason in words.
    public var description: String {
        switch self {
        case .tooManySubscriptions(let limit): "a client may have \(limit) background subscriptions at a time"
        case .unknown(let subscription): "you have no background subscription \(subscription)"
        }
    }
}
