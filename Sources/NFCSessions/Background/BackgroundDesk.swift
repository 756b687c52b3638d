public import NFCReaders
public import NFCTags
import Synchronization

/// The subscriptions to taps outside sessions, and the taps that are being read for them. A value: no I/O.
///
/// A tap belongs to a session or to the background, never to both. It belongs to the background when no session holds its
/// reader as it arrives, and until a session becomes active on that reader. From then on it belongs to the session,
/// which detects it again; what was read of it in the background is dropped. A tag is offered once per arrival: one that
/// is in the field when a session ends, or when a client subscribes, was offered before. With a journal every tap is wanted, also
/// without a subscription.
struct BackgroundDesk: Sendable {
    /// The limit of subscriptions for each client.
    static let subscriptionsPerClient = 64

    private struct Subscription: Sendable {
        let id: SubscriptionID
        let number: UInt64
        let client: any BackgroundClient
        let filter: BackgroundFilter
        /// Taps that came before the client knew the name of its subscription; nil once it does.
        var unsent: [BackgroundTap]? = []
    }

    private struct Reading: Sendable {
        /// The newest subscription when the tag arrived: later ones receive later taps only.
        let newest: UInt64
        let interest: ReadingInterest
        var hasLeft = false
    }

    private let wantsEveryTap: Bool
    private var subscriptions: [Subscription] = []
    private var made: UInt64 = 0
    private var readings: [TagArrival: Reading] = [:]

    /// - Parameter wantsEveryTap: whether taps are read although no subscription wants them.
    init(wantsEveryTap: Bool = false) { self.wantsEveryTap = wantsEveryTap }

    /// How many subscriptions there are.
    var count: Int { subscriptions.count }

    // MARK: Subscriptions

    /// Adds a subscription. Its taps wait for `announce`, so that its name reaches the client before them.
    mutating func subscribe(
        _ filter: BackgroundFilter, for client: any BackgroundClient
    ) throws(BackgroundError) -> SubscriptionID {
        guard subscriptions.count(where: { $0.client.id == client.id }) < Self.subscriptionsPerClient else {
            throw .tooManySubscriptions(limit: Self.subscriptionsPerClient)
        }
        made += 1
        let id = SubscriptionID(rawValue: "background-\(made)")
        subscriptions.append(Subscription(id: id, number: made, client: client, filter: filter))
        return id
    }

    /// The client knows the name: sends it the taps that wait, and later ones immediately.
    mutating func announce(_ id: SubscriptionID) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return }
        let subscription = subscriptions[index]
        subscriptions[index].unsent = nil
        for tap in subscription.unsent ?? [] { subscription.client.send(tap, of: id) }
    }

    /// Ends a subscription.
    mutating func unsubscribe(_ id: SubscriptionID, by client: ClientID) throws(BackgroundError) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id && $0.client.id == client }) else {
            throw .unknown(id)
        }
        subscriptions.remove(at: index)
    }

    /// Ends the subscriptions of a client that disconnected.
    mutating func forget(_ client: ClientID) {
        subscriptions.removeAll { $0.client.id == client }
    }

    // MARK: Taps

    /// A tag came to a reader that no session holds.
    ///
    /// - Returns: nil where it is not wanted.
    mutating func tagArrived(_ arrival: TagArrival, on reader: ReaderDescription) -> ReadingInterest? {
        guard wantsEveryTap || subscriptions.contains(where: { $0.filter.matches(reader) }) else { return nil }
        let interest = ReadingInterest()
        readings[arrival] = Reading(newest: made, interest: interest)
        return interest
    }

    /// The tag of a reader left.
    mutating func tagLeft(_ reader: ReaderID) {
        for arrival in readings.keys where arrival.reader == reader { readings[arrival]?.hasLeft = true }
    }

    /// A session became active on these readers: their taps belong to it.
    mutating func takeOver(_ claim: ReaderClaims.Claim) {
        for (arrival, reading) in readings where claim.contains(arrival.reader) {
            reading.interest.end()
            readings[arrival] = nil
        }
    }

    /// Whether a tag that is to be read now is still in the field; nil where it is not wanted any more.
    func isPresent(_ arrival: TagArrival) -> Bool? {
        guard let reading = readings[arrival], isWanted(reading) else { return nil }
        return !reading.hasLeft
    }

    private func isWanted(_ reading: Reading) -> Bool {
        wantsEveryTap || subscriptions.contains { $0.number <= reading.newest }
    }

    /// A tag was read, or is not going to be: then there is no tap. Without effect where a session took it over.
    ///
    /// - Returns: whether the tap belonged to the background.
    @discardableResult
    mutating func finish(_ arrival: TagArrival, _ tap: BackgroundTap?) -> Bool {
        guard let reading = readings.removeValue(forKey: arrival), let tap else { return false }
        for index in subscriptions.indices where subscriptions[index].number <= reading.newest {
            send(tap, at: index)
        }
        return true
    }

    private mutating func send(_ tap: BackgroundTap, at index: Int) {
        let subscription = subscriptions[index]
        guard subscription.filter.matches(tap) else { return }
        if subscription.unsent == nil {
            subscription.client.send(tap, of: subscription.id)
        } else {
            subscriptions[index].unsent?.append(tap)
        }
    }
}

/// A tag that came to a reader that no session held, and what was read of it.
public struct BackgroundTap: Sendable, Hashable {
    /// The reader it came to.
    public let reader: ReaderDescription
    /// The tag; nil where connecting to it failed.
    public let identity: TagIdentity?
    /// Its message, or why there is none.
    public let reading: NDEFReading

    /// A tap.
    public init(reader: ReaderDescription, identity: TagIdentity?, reading: NDEFReading) {
        self.reader = reader
        self.identity = identity
        self.reading = reading
    }
}

/// A client that subscribes to taps outside sessions.
public protocol BackgroundClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// Sends a tap to the client. Called in order; must not block.
    func send(_ tap: BackgroundTap, of subscription: SubscriptionID)
}

/// The name of a background subscription on the wire; never reused while nfcd runs.
public struct SubscriptionID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text on the wire.
    public let rawValue: String

    /// Accepts any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The text on the wire.
    public var description: String { rawValue }
}

/// Why a request about a background subscription was rejected.
public enum BackgroundError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The client has as many subscriptions as it may.
    case tooManySubscriptions(limit: Int)
    /// There is no such subscription, or it is another client's; a client cannot tell which.
    case unknown(SubscriptionID)

    /// The reason in words.
    public var description: String {
        switch self {
        case .tooManySubscriptions(let limit):
            "a client may have at most \(limit) background subscriptions at a time; end one first"
        case .unknown(let subscription): "you have no background subscription \(subscription)"
        }
    }
}

/// Whether a tag that is being read in the background is still wanted. Once it is not, no further command reaches the tag, so
/// that a session that begins waits for one exchange at most.
final class ReadingInterest: Sendable {
    private let isOver = Atomic(false)

    /// The tag is no longer wanted.
    func end() { isOver.store(true, ordering: .relaxed) }

    /// The connection to the tag, which ends together with the interest in it.
    func connection(
        _ connect: () async throws(CardChannelError) -> any CardConnection
    ) async throws(CardChannelError) -> any CardConnection {
        try check()
        return InterruptibleConnection(connection: try await connect(), interest: self)
    }

    fileprivate func check() throws(CardChannelError) {
        if isOver.load(ordering: .relaxed) { throw .tagLost }
    }
}

/// A connection on which no command is sent any more once what is read is not wanted.
private struct InterruptibleConnection: CardConnection {
    let connection: any CardConnection
    let interest: ReadingInterest

    var answerToReset: [UInt8] { connection.answerToReset }

    func transmit(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        try interest.check()
        return try await connection.transmit(command)
    }

    func limited(to limit: Duration) -> any CardConnection {
        InterruptibleConnection(connection: connection.limited(to: limit), interest: interest)
    }

    func reconnect() async throws(CardChannelError) {
        try interest.check()
        try await connection.reconnect()
    }

    func close() async { await connection.close() }
}
