public import NFCReaders
public import NFCTags
import Synchronization

/// Who wants to hear of taps outside sessions, and the taps that are being read for them. A value: no I/O.
///
/// A tap belongs to a session or to the background, never to both. It is the background's when no session holds its
/// reader as it arrives, and stays it until a session becomes active on that reader. From then on it is the session's,
/// which detects it anew; what was read of it in the background is dropped. A tag is offered once an arrival: one that
/// lies there when a session ends, or when somebody subscribes, was offered before.
struct BackgroundDesk: Sendable {
    /// The most subscriptions of one client.
    static let subscriptionsPerClient = 64

    private struct Subscription: Sendable {
        let id: SubscriptionID
        let number: UInt64
        let client: any BackgroundClient
        let filter: BackgroundFilter
        /// Taps that came before the client knew the name of its subscription; nil once it does.
        var unsaid: [BackgroundTap]? = []
    }

    private struct Reading: Sendable {
        /// The last subscription there was when the tag arrived: later ones hear of later taps.
        let newest: UInt64
        let interest: ReadingInterest
        var hasLeft = false
    }

    private var subscriptions: [Subscription] = []
    private var made: UInt64 = 0
    private var readings: [TagArrival: Reading] = [:]

    /// How many subscriptions there are.
    var count: Int { subscriptions.count }

    // MARK: Subscriptions

    /// Makes a subscription. Its taps wait for `announce`, so that its name reaches the client before them.
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

    /// The client knows the name: it is told what waits, and from now on at once.
    mutating func announce(_ id: SubscriptionID) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return }
        let subscription = subscriptions[index]
        subscriptions[index].unsaid = nil
        for tap in subscription.unsaid ?? [] { subscription.client.tell(tap, of: id) }
    }

    /// Ends a subscription.
    mutating func unsubscribe(_ id: SubscriptionID, by client: ClientID) throws(BackgroundError) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id && $0.client.id == client }) else {
            throw .unknown(id)
        }
        subscriptions.remove(at: index)
    }

    /// Ends the subscriptions of a client that is gone.
    mutating func forget(_ client: ClientID) {
        subscriptions.removeAll { $0.client.id == client }
    }

    // MARK: Taps

    /// A tag came to a reader that no session holds. Nil: nobody wants it read.
    mutating func tagArrived(_ arrival: TagArrival, on reader: ReaderDescription) -> ReadingInterest? {
        guard subscriptions.contains(where: { $0.filter.matches(reader) }) else { return nil }
        let interest = ReadingInterest()
        readings[arrival] = Reading(newest: made, interest: interest)
        return interest
    }

    /// The tag of a reader left.
    mutating func tagLeft(_ reader: ReaderID) {
        for arrival in readings.keys where arrival.reader == reader { readings[arrival]?.hasLeft = true }
    }

    /// A session became active on these readers: their taps are its own.
    mutating func takeOver(_ claim: ReaderClaims.Claim) {
        for (arrival, reading) in readings where claim.contains(arrival.reader) {
            reading.interest.end()
            readings[arrival] = nil
        }
    }

    /// Whether a tag that is to be read now still lies there; nil where nobody wants it any more.
    func isPresent(_ arrival: TagArrival) -> Bool? {
        guard let reading = readings[arrival], isWanted(reading) else { return nil }
        return !reading.hasLeft
    }

    private func isWanted(_ reading: Reading) -> Bool {
        subscriptions.contains { $0.number <= reading.newest }
    }

    /// A tag was read, or will not be, and then there is no tap. Without effect where a session took it over.
    ///
    /// - Returns: whether the tap was the background's.
    @discardableResult
    mutating func finish(_ arrival: TagArrival, _ tap: BackgroundTap?) -> Bool {
        guard let reading = readings.removeValue(forKey: arrival), let tap else { return false }
        for index in subscriptions.indices where subscriptions[index].number <= reading.newest {
            tell(tap, at: index)
        }
        return true
    }

    private mutating func tell(_ tap: BackgroundTap, at index: Int) {
        let subscription = subscriptions[index]
        guard subscription.filter.matches(tap) else { return }
        if subscription.unsaid == nil {
            subscription.client.tell(tap, of: subscription.id)
        } else {
            subscriptions[index].unsaid?.append(tap)
        }
    }
}

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

/// Whether what is being read in the background is still wanted. Once it is not, no further command reaches the tag, so
/// that a session which begins waits for one exchange at most.
final class ReadingInterest: Sendable {
    private let isOver = Atomic(false)

    /// Nobody wants it any more.
    func end() { isOver.store(true, ordering: .relaxed) }

    fileprivate func check() throws(CardChannelError) {
        if isOver.load(ordering: .relaxed) { throw .tagLost }
    }
}

/// A driver whose connections end with the interest in them.
struct InterruptibleDriver: ReaderDriver {
    let driver: any ReaderDriver
    let interest: ReadingInterest

    func run(report: @escaping @Sendable (ReaderEvent) -> Void) async { await driver.run(report: report) }

    func refresh() async { await driver.refresh() }

    func connect(to reader: ReaderID) async throws(CardChannelError) -> any CardConnection {
        try interest.check()
        return InterruptibleConnection(connection: try await driver.connect(to: reader), interest: interest)
    }

    func cache(_ profile: ReaderProfile, of reader: ReaderID) { driver.cache(profile, of: reader) }

    func escape(_ command: [UInt8], to reader: ReaderID) async { await driver.escape(command, to: reader) }

    var hungReaders: [ReaderID] { driver.hungReaders }
}

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
