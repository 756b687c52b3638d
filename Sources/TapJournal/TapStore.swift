public import NFCTypes

/// Where taps are stored. Taps are only added at the end, and deleted from the beginning.
///
/// A journal has an epoch, a UUID made with it: sequence numbers of different epochs cannot be compared.
public protocol TapStore: Sendable {
    /// Stores a tap. Where it returns, the tap survives a loss of power, and so does the counter of its proof, which is then compared.
    ///
    /// - Throws: ``JournalError``; after `.timedOut`, and after a loss of power also after `.failed`, the tap may be stored.
    func append(_ tap: TapRecord) async throws(JournalError) -> JournalTap

    /// Compares and stores the counter of a proof whose tap is not stored. Where it returns, the counter survives a loss of power.
    ///
    /// - Returns: the proof as it counts: a counter that was seen before makes it a replay.
    /// - Throws: ``JournalError``; then the counter may be stored.
    func settle(_ proof: TapProof, _ claim: CounterClaim) async throws(JournalError) -> TapProof

    /// The taps that a query matches, in order.
    func taps(_ query: TapQuery) async throws(JournalError) -> TapPage

    /// The state, the extent and the consumers.
    func status() async -> JournalStatus

    /// Records that a consumer has every tap up to a sequence number; a consumer that is not known is added. Each user has names apart from
    /// those of other users.
    ///
    /// - Parameters:
    ///   - consumer: its name, 1 to 128 bytes.
    ///   - owner: the user it belongs to.
    ///   - sequence: nil: up to the newest tap, where the consumer is new; otherwise no change. It may be less than before:
    ///     the consumer then gets taps again that are still stored.
    ///   - mayTakeOver: whether a consumer of another user may be changed, where the owner has none of this name.
    /// - Returns: the consumer afterwards.
    @discardableResult
    func acknowledge(
        _ consumer: String, owner: UInt32, through sequence: Int64?, mayTakeOver: Bool
    ) async throws(JournalError) -> JournalConsumer

    /// Removes a consumer: it no longer keeps taps in the journal.
    ///
    /// - Returns: false if there is none of that name.
    func removeConsumer(_ consumer: String, owner: UInt32, mayTakeOver: Bool) async throws(JournalError) -> Bool

    /// Deletes the oldest taps.
    ///
    /// - Parameters:
    ///   - sequence: the last one to delete.
    ///   - includingUndelivered: whether also those that a consumer does not have.
    /// - Returns: how many were deleted.
    func prune(through sequence: Int64, includingUndelivered: Bool) async throws(JournalError) -> Int
}

/// Which taps to read.
public struct TapQuery: Sendable, Hashable {
    /// Those after this sequence number.
    public var after: Int64
    /// Only those of these readers, by id; nil: of all.
    public var readers: [String]?
    /// The most taps to return.
    public var limit: Int
    /// The most bytes of messages and texts to return; one tap is always returned.
    public var byteLimit: Int
    /// Backwards from the end, the newest first: those before `after`, or where that is 0, the newest.
    public var isNewestFirst: Bool
    /// The user whose turn it is when the taps are read.
    public var user: ClientAccount

    /// A query; by default for the first taps of all readers.
    public init(
        after: Int64 = 0, readers: [String]? = nil, limit: Int = 100, byteLimit: Int = 256 * 1024,
        isNewestFirst: Bool = false, user: ClientAccount = .user(0)
    ) {
        self.after = after
        self.readers = readers
        self.limit = limit
        self.byteLimit = byteLimit
        self.isNewestFirst = isNewestFirst
        self.user = user
    }
}

/// The taps that match a query.
public struct TapPage: Sendable, Hashable {
    /// The epoch of their sequence numbers.
    public var epoch: String
    /// The taps.
    public var taps: [JournalTap]
    /// Whether more taps match the query.
    public var hasMore: Bool

    /// Makes a page.
    public init(epoch: String, taps: [JournalTap], hasMore: Bool) {
        self.epoch = epoch
        self.taps = taps
        self.hasMore = hasMore
    }
}

/// A receiver of taps that the journal keeps them for.
public struct JournalConsumer: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The user it belongs to.
    public var owner: UInt32
    /// The last tap it has; 0 for none.
    public var acknowledged: Int64
    /// How many taps it does not have.
    public var backlog: Int
    /// When the oldest tap it does not have was read: milliseconds since 1970; nil where it has all.
    public var oldest: Int64?
    /// How many taps were deleted although it did not have them, since it was added.
    public var lost: Int

    /// Makes a consumer.
    public init(name: String, owner: UInt32, acknowledged: Int64, backlog: Int, oldest: Int64?, lost: Int = 0) {
        self.name = name
        self.owner = owner
        self.acknowledged = acknowledged
        self.backlog = backlog
        self.oldest = oldest
        self.lost = lost
    }
}

/// The state and extent of the journal.
public struct JournalStatus: Sendable, Hashable {
    /// Whether it takes taps.
    public var state: JournalState
    /// Why it does not; nil where it does.
    public var reason: String?
    /// The epoch of its sequence numbers; empty where it cannot be read.
    public var epoch = ""
    /// The sequence numbers of the oldest tap, 0 if there is none, and of the last one stored, which may be deleted.
    public var (oldest, newest): (Int64, Int64) = (0, 0)
    /// How many taps there are.
    public var taps = 0
    /// The size of the stored taps, in bytes.
    public var bytes: Int64 = 0
    /// The limit of `bytes`.
    public var byteLimit: Int64 = 0
    /// The limit of `taps`.
    public var tapLimit = 0
    /// How many taps were deleted although a consumer did not have them, since the journal was made.
    public var dropped: Int64 = 0
    /// How many damaged journals there are beside it; the newest two are kept.
    public var movedAside = 0
    /// How many damaged rows were left out of lists since nfcd started.
    public var damaged = 0
    /// The consumers, by name.
    public var consumers: [JournalConsumer] = []

    /// Makes a status.
    public init(_ state: JournalState, reason: String? = nil) {
        self.state = state
        self.reason = reason
    }
}

/// Why the journal did not do something.
public enum JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is full, or the disk is; with what is full and what to do.
    case full(String)
    /// It could not be read or written; with the file and the cause.
    case failed(String)
    /// The disk did not answer within the deadline.
    case timedOut(Duration)
    /// A name that only services may take.
    case reservedConsumer(String)
    /// The consumers of a user are as many as they may be.
    case tooManyConsumersOfUser(UInt32, limit: Int)
    /// The consumer belongs to another user.
    case foreignConsumer(String)
    /// There are as many consumers as there may be.
    case tooManyConsumers(limit: Int)
    /// The sequence number is greater than that of the newest tap.
    case unknownSequence(Int64, newest: Int64)

    /// What failed, on what, and what to do.
    public var description: String {
        switch self {
        case .full(let what): "the journal is full: \(what)"
        case .failed(let what): "the journal does not work: \(what)"
        case .timedOut(let limit): "the journal did not store the tap within \(limit): the disk is too slow"
        case .foreignConsumer(let name): "consumer \(name) belongs to another user; choose another name"
        case .reservedConsumer(let name):
            "the consumer name \(name) is reserved for nfcd's services; choose one that does not begin with nfcd-"
        case .tooManyConsumersOfUser(let user, let limit):
            "uid \(user) has \(limit) consumers, the most that one user may have; remove one with nfcctl taps remove-consumer"
        case .tooManyConsumers(let limit):
            "the journal has \(limit) consumers, the most it may have; remove one with nfcctl taps remove-consumer"
        case .unknownSequence(let sequence, let newest):
            "there is no tap \(sequence); the newest is \(newest)"
        }
    }
}
