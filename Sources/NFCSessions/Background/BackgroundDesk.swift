public import NFCReaders
public import NFCTags
public import NFCTypes

/// The subscriptions to taps outside sessions, and the taps that are being read for them. A value: no I/O.
///
/// A tap belongs to a session or to the background, never to both. It belongs to the background when no session holds its
/// reader as it arrives, and until a session becomes active on that reader. From then on it belongs to the session,
/// which detects it again; what was read of it in the background is dropped. A tag is offered once per arrival: one that
/// is in the field when a session ends, or when a client subscribes, was offered before. With a journal every tap is wanted, also
/// without a subscription.
///
/// A subscription to removals receives one for each tap that it received, when the tag leaves: after the tap, and also where a
/// session has detected the tag again in the meantime.
struct BackgroundDesk: Sendable {
    /// The limit of subscriptions for each client.
    static let subscriptionsPerClient = 64
    /// The limit of subscriptions for the clients of a user together.
    static let subscriptionsPerUser = 256

    private struct Subscription: Sendable {
        private enum Event {
            case tap(BackgroundTap, TagArrival)
            case removal(BackgroundRemoval, TagArrival)
        }

        let id: SubscriptionID
        let number: UInt64
        let client: any BackgroundClient
        let filter: BackgroundFilter
        let wantsRemovals: Bool
        /// What came before the client knew the name of its subscription; nil once it does.
        private var unsent: [Event]? = []
        /// The tags in the field whose removal is to be sent.
        private var present: [TagArrival: BackgroundRemoval] = [:]

        init(
            id: SubscriptionID, number: UInt64, client: any BackgroundClient, filter: BackgroundFilter,
            wantsRemovals: Bool
        ) {
            (self.id, self.number, self.client) = (id, number, client)
            (self.filter, self.wantsRemovals) = (filter, wantsRemovals)
        }

        /// Sends what waits, and later events immediately.
        mutating func announce() {
            let events = unsent ?? []
            unsent = nil
            var refused: Set<TagArrival> = []
            for event in events {
                switch event {
                case .tap(let tap, let arrival):
                    if client.send(tap, of: id) { continue }
                    present[arrival] = nil
                    refused.insert(arrival)
                case .removal(let removal, let arrival):
                    if !refused.contains(arrival) { client.send(removal, of: id) }
                }
            }
        }

        mutating func send(_ tap: BackgroundTap, _ arrival: TagArrival) {
            if unsent == nil {
                guard client.send(tap, of: id) else { return }
            } else {
                unsent?.append(.tap(tap, arrival))
            }
            if wantsRemovals { present[arrival] = BackgroundRemoval(tap) }
        }

        /// Sends the removals of the tags that a reader has lost.
        mutating func tagLeft(_ reader: ReaderID) {
            for arrival in present.keys where arrival.reader == reader { tagLeft(arrival) }
        }

        mutating func tagLeft(_ arrival: TagArrival) {
            guard let removal = present.removeValue(forKey: arrival) else { return }
            if unsent == nil {
                client.send(removal, of: id)
            } else {
                unsent?.append(.removal(removal, arrival))
            }
        }
    }

    private struct Reading: Sendable {
        /// The newest subscription when the tag arrived: later ones receive later taps only.
        let newest: UInt64
        let interest: ReadingInterest
        /// Whether its removal follows its tap: it has left, or its reader has failed.
        var isRemoved = false
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
    ///
    /// - Parameter removals: whether the client is notified when a tag leaves whose tap it received.
    mutating func subscribe(
        _ filter: BackgroundFilter, removals: Bool = false, for client: any BackgroundClient
    ) throws(BackgroundError) -> SubscriptionID {
        guard subscriptions.count(where: { $0.client.id == client.id }) < Self.subscriptionsPerClient else {
            throw .tooManySubscriptions(limit: Self.subscriptionsPerClient)
        }
        guard subscriptions.count(where: { $0.client.account == client.account }) < Self.subscriptionsPerUser else {
            throw .tooManySubscriptionsOfUser(client.account, limit: Self.subscriptionsPerUser)
        }
        made += 1
        let id = SubscriptionID(rawValue: "background-\(made)")
        subscriptions.append(
            Subscription(id: id, number: made, client: client, filter: filter, wantsRemovals: removals))
        return id
    }

    /// The client knows the name: sends it the taps that wait, and later ones immediately.
    mutating func announce(_ id: SubscriptionID) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return }
        subscriptions[index].announce()
    }

    /// Ends a subscription.
    mutating func unsubscribe(_ id: SubscriptionID, by client: ClientID) throws(BackgroundError) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id && $0.client.id == client }) else {
            throw .unknown(id)
        }
        subscriptions.remove(at: index)
        endUnwanted()
    }

    /// Ends the subscriptions of a client that disconnected.
    mutating func forget(_ client: ClientID) {
        subscriptions.removeAll { $0.client.id == client }
        endUnwanted()
    }

    /// Ends the readings that no subscription wants any more.
    private func endUnwanted() {
        guard !wantsEveryTap else { return }
        for reading in readings.values where !subscriptions.contains(where: { $0.number <= reading.newest }) {
            reading.interest.end()
        }
    }

    /// Ends all readings.
    func endReadings() {
        for reading in readings.values { reading.interest.end() }
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

    /// The tag of a reader left, or the reader was unplugged or failed: its tag counts as removed.
    mutating func tagLeft(_ reader: ReaderID) {
        for arrival in readings.keys where arrival.reader == reader { readings[arrival]?.isRemoved = true }
        for index in subscriptions.indices { subscriptions[index].tagLeft(reader) }
    }

    /// A session became active on these readers: their taps belong to it.
    mutating func takeOver(_ claim: ReaderClaims.Claim) {
        for (arrival, reading) in readings where claim.contains(arrival.reader) {
            reading.interest.end()
            readings[arrival] = nil
        }
    }

    /// The subscriptions that receive the tap of an arrival where their filters match it.
    func candidates(for arrival: TagArrival) -> [TapMatches.Candidate] {
        guard let reading = readings[arrival] else { return [] }
        return subscriptions.prefix { $0.number <= reading.newest }.map {
            TapMatches.Candidate(id: $0.id, filter: $0.filter, client: $0.client)
        }
    }

    /// A tag was read, or is not going to be: then there is no tap. Without effect where a session took it over.
    ///
    /// - Returns: whether the tap belonged to the background.
    @discardableResult
    mutating func finish(_ arrival: TagArrival, _ matches: TapMatches?) -> Bool {
        guard let reading = readings.removeValue(forKey: arrival), let matches else { return false }
        for index in subscriptions.indices {
            guard let tap = matches[subscriptions[index].id] else { continue }
            subscriptions[index].send(tap, arrival)
            if reading.isRemoved { subscriptions[index].tagLeft(arrival) }
        }
        return true
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
    /// The URI for the recipient: of the record that its filter matched, or else the first; nil if there is none with a scheme
    /// that it asked for.
    public internal(set) var uri: String?
    /// The place of the record that its filter matched; nil for a filter that is not about records.
    public internal(set) var record: Int?
    /// What its recipients make of it, once for all of them.
    package private(set) var forms = TapForms()

    /// A tap.
    public init(reader: ReaderDescription, identity: TagIdentity?, reading: NDEFReading) {
        self.reader = reader
        self.identity = identity
        self.reading = reading
    }

    /// The same tap, of which nothing was made yet.
    var withoutForms: BackgroundTap {
        var tap = self
        tap.forms = TapForms()
        return tap
    }
}

/// The end of a tap: its tag left the field, or the reader was unplugged or failed.
public struct BackgroundRemoval: Sendable, Hashable {
    /// The reader that it left.
    public let reader: ReaderDescription
    /// The tag, as in its tap; nil where connecting to it had failed.
    public let identity: TagIdentity?
    /// The manufacturer's name for the product, as in its tap.
    public let product: String?

    /// The removal of the tag of a tap.
    public init(_ tap: BackgroundTap) {
        (reader, identity, product) = (tap.reader, tap.identity, tap.reading.product)
    }
}

/// A client that subscribes to taps outside sessions.
public protocol BackgroundClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// Whom limits count it for.
    var account: ClientAccount { get }

    /// Makes what sending the tap takes long for. Called before it is sent, to one of its recipients, and not on the coordinator.
    func prepare(_ tap: BackgroundTap)

    /// Sends a tap to the client. Called in order; must not block.
    ///
    /// - Returns: whether the client may receive it.
    func send(_ tap: BackgroundTap, of subscription: SubscriptionID) -> Bool

    /// Notifies the client that the tag left whose tap it received. Called in order with the taps; must not block.
    func send(_ removal: BackgroundRemoval, of subscription: SubscriptionID)
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
    /// The clients of a user have as many subscriptions as they may.
    case tooManySubscriptionsOfUser(ClientAccount, limit: Int)
    /// There is no such subscription, or it is another client's; a client cannot distinguish these.
    case unknown(SubscriptionID)

    /// The reason in words.
    public var description: String {
        switch self {
        case .tooManySubscriptions(let limit):
            "a client may have at most \(limit) background subscriptions at a time; end one first"
        case .tooManySubscriptionsOfUser(let user, let limit):
            "the clients of \(user) have \(limit) background subscriptions, the most that one user may have; end one first"
        case .unknown(let subscription): "you have no background subscription \(subscription)"
        }
    }
}
