package import NFCTypes
package import TapJournal

/// Sends the taps of the journal to its subscribers, to each in order and no faster than it acknowledges them.
///
/// The newest taps are read from the journal once for all subscribers; one that is further behind reads its own pages. A subscriber
/// has its own task, which waits neither for other subscribers nor keeps them waiting, and no commit waits for any of them.
package actor TapFeed {
    /// The limit of subscriptions for each client.
    package static let subscriptionsPerClient = 16
    /// The limit of subscriptions for the clients of a user together.
    package static let subscriptionsPerUser = 64
    /// Whose turn it is when nfcd itself reads the journal.
    private static let ownTurn = ClientAccount.user(.max)
    /// The most taps that are sent before they are acknowledged.
    package static let windowTaps = 100
    /// The most bytes of messages that are sent before they are acknowledged; one tap is always sent.
    private static let windowBytes = 512 * 1024
    /// The most taps that are sent to a client at a time, before others have their turn.
    private static let batch = 8

    /// The state of a subscription.
    private struct Subscription {
        let client: any TapClient
        let consumer: Consumer?
        /// Whether taps are passed over whose tag has not proven itself.
        let requiresProof: Bool
        /// What the consumer, or the client, has acknowledged.
        var acknowledged: Int64
        var epoch: String
        /// The last tap that was sent, or passed over.
        var position: Int64
        /// What was sent and is not acknowledged, in order.
        var window: [(sequence: Int64, bytes: Int)] = []
        /// The last tap that the client has acknowledged on this subscription.
        var confirmed: Int64 = 0
        /// The last tap that was passed over and is not acknowledged; nothing was sent after it.
        var passedOver: Int64?
        /// Whether the client knows the name of the subscription.
        var isAnnounced = false
        var isSending = false
    }

    /// A consumer that a subscription acknowledges for.
    package struct Consumer: Sendable {
        /// Its name.
        package let name: String
        /// The user of the client.
        package let owner: UInt32
        /// Whether the client may use the consumers of other users.
        package let mayTakeOver: Bool

        /// A consumer.
        package init(name: String, owner: UInt32, mayTakeOver: Bool) {
            (self.name, self.owner, self.mayTakeOver) = (name, owner, mayTakeOver)
        }
    }

    private let store: any TapStore
    private let logger: EventLog
    private var subscriptions: [SubscriptionID: Subscription] = [:]
    private var made: UInt64 = 0
    private var tail: Tail?
    private var isReading = false
    private var isMoreToRead = false

    init(_ store: any TapStore, logger: EventLog) {
        self.store = store
        self.logger = logger
    }

    /// How many subscriptions there are.
    var count: Int { subscriptions.count }

    // MARK: Subscriptions

    /// Subscribes a client. Nothing is sent before `announce`, so that the name of the subscription reaches the client before its taps.
    ///
    /// - Parameters:
    ///   - start: where to begin; nil: after what the consumer acknowledged last, and for a new one, or without one, after the newest
    ///     tap.
    ///   - requiresProof: whether taps are passed over whose tag has not proven itself. The consumer acknowledges them.
    /// - Throws: ``TapFeedError`` or `JournalError`.
    package func subscribe(
        _ client: any TapClient, consumer: Consumer?, after start: TapStart?, requiresProof: Bool = false
    ) async throws -> (id: SubscriptionID, epoch: String, after: Int64, newest: Int64) {
        try checkRoom(client)
        let status = await store.status()
        if case .failed = status.state, status.epoch.isEmpty { throw JournalError.failed(status.reason ?? "") }
        let acknowledged = try await place(of: consumer, startingAt: start, status)
        let position: Int64 =
            switch start {
            case .after(let sequence): sequence
            case .newest: status.newest
            case nil: acknowledged ?? status.newest
            }
        try checkRoom(client)
        made += 1
        let id = SubscriptionID(rawValue: "taps-\(made)")
        if tail == nil { tail = Tail(epoch: status.epoch, start: status.newest) }
        subscriptions[id] = Subscription(
            client: client, consumer: consumer, requiresProof: requiresProof, acknowledged: acknowledged ?? position,
            epoch: status.epoch, position: position)
        return (id, status.epoch, position, status.newest)
    }

    /// The client knows the name: sends it the taps that wait, and later ones.
    package func announce(_ id: SubscriptionID) {
        subscriptions[id]?.isAnnounced = true
        send(id)
        // What was stored before the first subscription is not in the tail.
        tapsWereAdded()
    }

    /// Ends a subscription.
    package func unsubscribe(_ id: SubscriptionID, by client: ClientID) throws(TapFeedError) {
        guard subscriptions[id]?.client.id == client else { throw .unknown(id) }
        end(id)
    }

    /// Ends the subscriptions of a client that disconnected.
    package func forget(_ client: ClientID) {
        for (id, subscription) in subscriptions where subscription.client.id == client { end(id) }
    }

    /// Acknowledges what a subscription was sent, for its consumer as well.
    ///
    /// - Parameter sequence: nil: no change.
    /// - Returns: the epoch, and what is acknowledged now.
    /// - Throws: ``TapFeedError`` or `JournalError`.
    package func acknowledge(
        _ id: SubscriptionID, by client: ClientID, through sequence: Int64?
    ) async throws -> (epoch: String, acknowledged: Int64) {
        guard let subscription = subscriptions[id], subscription.client.id == client else {
            throw TapFeedError.unknown(id)
        }
        if let sequence, sequence > subscription.position {
            throw TapFeedError.notSent(sequence, last: subscription.position)
        }
        guard let sequence else { return (subscription.epoch, subscription.acknowledged) }
        // A consumer that replays taps keeps its place.
        var acknowledged = max(sequence, subscription.acknowledged)
        if let consumer = subscription.consumer, acknowledged > subscription.acknowledged {
            acknowledged = try await store.acknowledge(
                consumer.name, owner: consumer.owner, through: acknowledged, mayTakeOver: consumer.mayTakeOver
            ).acknowledged
        }
        subscriptions[id]?.acknowledged = acknowledged
        subscriptions[id]?.confirmed = max(sequence, subscription.confirmed)
        subscriptions[id]?.window.removeAll { $0.sequence <= sequence }
        await acknowledgePassedOver(id)
        send(id)
        return (subscription.epoch, acknowledged)
    }

    private func checkRoom(_ client: any TapClient) throws(TapFeedError) {
        guard subscriptions.values.count(where: { $0.client.id == client.id }) < Self.subscriptionsPerClient else {
            throw .tooManySubscriptions(limit: Self.subscriptionsPerClient)
        }
        let (account, limit) = (client.account, Self.subscriptionsPerUser)
        guard subscriptions.values.count(where: { $0.client.account == account }) < limit else {
            throw .tooManySubscriptionsOfUser(account, limit: limit)
        }
    }

    private func end(_ id: SubscriptionID) {
        subscriptions[id] = nil
        if subscriptions.isEmpty { tail = nil }
    }

    /// What a consumer has acknowledged. A new one is added, at the place where it starts.
    private func place(
        of consumer: Consumer?, startingAt start: TapStart?, _ status: JournalStatus
    ) async throws -> Int64? {
        guard let consumer else { return nil }
        let isKnown = status.consumers.contains {
            $0.name == consumer.name && ($0.owner == consumer.owner || consumer.mayTakeOver)
        }
        var first: Int64?
        if !isKnown, case .after(let sequence) = start { first = sequence }
        return try await store.acknowledge(
            consumer.name, owner: consumer.owner, through: first, mayTakeOver: consumer.mayTakeOver
        ).acknowledged
    }

    // MARK: Sending

    /// Taps were added to the journal: they are read, once for all subscribers. Returns at once, whatever the subscribers do.
    nonisolated func tapsWereAdded() {
        Task { await self.update() }
    }

    private func update() {
        guard !subscriptions.isEmpty else { return }
        isMoreToRead = true
        guard !isReading else { return }
        isReading = true
        Task { await self.readTail() }
    }

    private func readTail() async {
        defer { isReading = false }
        while isMoreToRead, let start = tail?.end {
            isMoreToRead = false
            do throws(JournalError) {
                extendTail(try await store.taps(TapQuery(after: start, limit: 100, user: Self.ownTurn)))
            } catch {
                return logger.warning("the newest taps of the journal could not be read: \(error)")
            }
            for id in subscriptions.keys { send(id) }
        }
    }

    private func extendTail(_ page: TapPage) {
        guard var tail else { return }
        if tail.epoch == page.epoch {
            isMoreToRead = isMoreToRead || page.hasMore
            tail.append(page.taps)
        } else {
            // The journal was lost, and this is a new one.
            tail = Tail(epoch: page.epoch, start: 0)
            isMoreToRead = true
        }
        self.tail = tail
    }

    /// Starts the task of a subscription that has something to send, unless it runs.
    private func send(_ id: SubscriptionID) {
        guard let subscription = subscriptions[id], subscription.isAnnounced, !subscription.isSending else { return }
        guard room(subscription) > 0, mayHaveMore(subscription) else { return }
        subscriptions[id]?.isSending = true
        Task { await self.run(id) }
    }

    private func mayHaveMore(_ subscription: Subscription) -> Bool {
        guard let tail, tail.epoch == subscription.epoch else { return true }
        return tail.end > subscription.position
    }

    private func room(_ subscription: Subscription) -> Int {
        let bytes = subscription.window.reduce(0) { $0 + $1.bytes }
        return bytes < Self.windowBytes ? Self.windowTaps - subscription.window.count : 0
    }

    /// Sends until the subscription has everything, or its window is full.
    @concurrent private nonisolated func run(_ id: SubscriptionID) async {
        while let batch = await next(id) {
            let sent = batch.taps.filter { batch.passes($0) && batch.client.send($0, epoch: batch.epoch, of: id) }
            await wasSent(id, sent, passedOver: batch.passedOver)
            await acknowledgePassedOver(id)
            await Task.yield()
        }
    }

    /// - Parameter passedOver: the last tap of the batch, if it was passed over.
    private func wasSent(_ id: SubscriptionID, _ taps: [JournalTap], passedOver: Int64?) {
        // A client may have acknowledged a tap before its batch was complete.
        let confirmed = subscriptions[id]?.confirmed ?? 0
        subscriptions[id]?.window += taps.filter { $0.sequence > confirmed }.map { ($0.sequence, $0.size) }
        if !taps.isEmpty || passedOver != nil { subscriptions[id]?.passedOver = passedOver }
    }

    /// Acknowledges taps without a proof for the consumer, once it has acknowledged what it was sent before them: it would keep them in
    /// the journal otherwise.
    private func acknowledgePassedOver(_ id: SubscriptionID) async {
        guard let subscription = subscriptions[id], let sequence = subscription.passedOver,
            subscription.window.isEmpty
        else { return }
        subscriptions[id]?.passedOver = nil
        guard let consumer = subscription.consumer, sequence > subscription.acknowledged else { return }
        do throws(JournalError) {
            let place = try await store.acknowledge(
                consumer.name, owner: consumer.owner, through: sequence, mayTakeOver: consumer.mayTakeOver)
            let acknowledged = max(place.acknowledged, subscriptions[id]?.acknowledged ?? 0)
            subscriptions[id]?.acknowledged = acknowledged
        } catch {
            logger.warning("consumer \(consumer.name) could not acknowledge taps without a proof: \(error)")
        }
    }

    private struct Batch: Sendable {
        let client: any TapClient
        let epoch: String
        let taps: [JournalTap]
        let requiresProof: Bool

        func passes(_ tap: JournalTap) -> Bool { !requiresProof || tap.record.proof?.isProven == true }

        /// The last tap, if it is passed over.
        var passedOver: Int64? { taps.last.flatMap { passes($0) ? nil : $0.sequence } }
    }

    /// The next taps of a subscription; nil if there are none, or if none may be sent now: then its task ends.
    private func next(_ id: SubscriptionID) async -> Batch? {
        while let subscription = subscriptions[id], case let room = min(room(subscription), Self.batch), room > 0 {
            guard let page = await page(for: subscription, limit: room), subscriptions[id] != nil else { break }
            if page.epoch != subscription.epoch { begin(id, page.epoch) }
            guard let last = page.taps.last else {
                // More may have come while the journal was read.
                if let now = subscriptions[id], mayHaveMore(now) { continue }
                break
            }
            subscriptions[id]?.position = last.sequence
            return Batch(
                client: subscription.client, epoch: page.epoch, taps: page.taps,
                requiresProof: subscription.requiresProof)
        }
        subscriptions[id]?.isSending = false
        return nil
    }

    /// The journal was lost: a subscription continues at the beginning of the new one.
    private func begin(_ id: SubscriptionID, _ epoch: String) {
        subscriptions[id]?.epoch = epoch
        subscriptions[id]?.position = 0
        subscriptions[id]?.acknowledged = 0
        subscriptions[id]?.window = []
        subscriptions[id]?.confirmed = 0
        subscriptions[id]?.passedOver = nil
    }

    /// The taps after those that a subscription was sent; nil where they cannot be read.
    private func page(for subscription: Subscription, limit: Int) async -> TapPage? {
        let position = subscription.position
        if let page = tail?.page(subscription.epoch, after: position, limit: limit) { return page }
        do throws(JournalError) {
            let query = TapQuery(
                after: position, limit: limit, byteLimit: Self.windowBytes / 8, user: subscription.client.account)
            let page = try await store.taps(query)
            guard page.epoch == subscription.epoch else { return TapPage(epoch: page.epoch, taps: [], hasMore: true) }
            // What lies before the tail may have been deleted meanwhile.
            guard page.taps.isEmpty, let tail, tail.start > position else { return page }
            return tail.page(subscription.epoch, after: tail.start, limit: limit)
        } catch {
            logger.warning("the taps for \(subscription.client.id) could not be read: \(error)")
            return nil
        }
    }
}

/// The newest taps of a journal, without gaps after `start`.
private struct Tail {
    /// The most taps that are kept, and their bytes.
    private static let (mostTaps, mostBytes) = (128, 256 * 1024)

    let epoch: String
    private(set) var start: Int64
    private var taps: [JournalTap] = []

    init(epoch: String, start: Int64) { (self.epoch, self.start) = (epoch, start) }

    /// The newest tap.
    var end: Int64 { taps.last?.sequence ?? start }

    mutating func append(_ newer: [JournalTap]) {
        taps += newer.filter { $0.sequence > end }
        var bytes = taps.reduce(0) { $0 + $1.size }
        while taps.count > Self.mostTaps || bytes > Self.mostBytes, let first = taps.first {
            bytes -= first.size
            start = first.sequence
            taps.removeFirst()
        }
    }

    /// The taps after a sequence number; nil where they begin before the tail.
    func page(_ epoch: String, after sequence: Int64, limit: Int) -> TapPage? {
        guard epoch == self.epoch, start <= sequence else { return nil }
        let rest = taps.drop { $0.sequence <= sequence }
        return TapPage(epoch: epoch, taps: Array(rest.prefix(limit)), hasMore: rest.count > limit)
    }
}

/// Where a subscription begins.
package enum TapStart: Sendable, Hashable {
    /// After this sequence number.
    case after(Int64)
    /// After the newest tap.
    case newest
}

/// A client that subscribes to the taps of the journal.
package protocol TapClient: Sendable {
    /// Different for every client.
    var id: ClientID { get }

    /// The user that limits count it for.
    var account: ClientAccount { get }

    /// Sends a tap to the client, unless it may not have it. Called in order; must not block.
    ///
    /// - Returns: whether it was sent.
    func send(_ tap: JournalTap, epoch: String, of subscription: SubscriptionID) -> Bool
}

/// Why a request about a subscription to the journal was rejected.
package enum TapFeedError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The client has as many subscriptions as it may.
    case tooManySubscriptions(limit: Int)
    /// The clients of a user have as many subscriptions as they may.
    case tooManySubscriptionsOfUser(ClientAccount, limit: Int)
    /// There is no such subscription, or it is another client's; a client cannot distinguish these.
    case unknown(SubscriptionID)
    /// A tap that was not sent cannot be acknowledged.
    case notSent(Int64, last: Int64)

    /// The reason in words.
    package var description: String {
        switch self {
        case .tooManySubscriptions(let limit):
            "a client may have at most \(limit) subscriptions to the journal at a time; end one first"
        case .tooManySubscriptionsOfUser(let user, let limit):
            "the clients of \(user) have \(limit) subscriptions to the journal, the most that one user may have; end one first"
        case .unknown(let subscription): "you have no subscription \(subscription) to the journal"
        case .notSent(let sequence, let last):
            "tap \(sequence) was not sent to this subscription; the last one was \(last)"
        }
    }
}

extension JournalTap {
    /// About its bytes in memory and, twice that, on the wire.
    fileprivate var size: Int { 256 + (record.message?.count ?? 0) + (record.failure?.detail.utf8.count ?? 0) }
}
