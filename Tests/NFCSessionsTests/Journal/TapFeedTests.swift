import NFCTypes
import Synchronization
import TapJournal
import TestSupport
import Testing

@testable import NFCSessions

/// What subscribers of the journal are sent, and when.
@Suite(.timeLimit(.minutes(20))) struct `Subscribers of the journal` {
    let store = MemoryTapStore()
    let client = TapReceiver(1)
    let other = TapReceiver(2)

    private var feed: TapFeed { TapFeed(store, logger: .silent) }

    /// Stores taps, and lets the feed know.
    private func add(_ count: Int, to feed: TapFeed, on reader: String = "desk") async throws {
        for _ in 0..<count {
            _ = try await store.append(.sample(on: reader))
            feed.tapsWereAdded()
        }
    }

    private func subscribe(
        _ client: TapReceiver, to feed: TapFeed, as consumer: String? = nil, after start: TapStart? = nil
    ) async throws -> SubscriptionID {
        let consumer = consumer.map { TapFeed.Consumer(name: $0, owner: 1, mayTakeOver: false) }
        let place = try await feed.subscribe(client, consumer: consumer, after: start)
        await feed.announce(place.id)
        return place.id
    }

    @Test func `get earlier taps from where they begin, then each as it is stored, in order`() async throws {
        let feed = feed
        try await add(5, to: feed)
        _ = try await subscribe(client, to: feed, after: .after(2))
        _ = try await subscribe(other, to: feed)
        #expect(await client.receive(3) == [3, 4, 5])
        try await add(30, to: feed)
        #expect(await client.receive(30) == Array(6...35))
        #expect(await other.receive(30) == Array(6...35))
    }

    @Test func `get nothing before they know the name of the subscription`() async throws {
        let feed = feed
        let place = try await feed.subscribe(client, consumer: nil, after: .after(0))
        try await add(3, to: feed)
        #expect(client.log.isEmpty && place.after == 0 && place.newest == 0 && place.epoch == "epoch-1")
        await feed.announce(place.id)
        #expect(await client.receive(3) == [1, 2, 3])
    }

    @Test func `get 100 taps, and more as they acknowledge them`() async throws {
        let feed = feed
        try await add(250, to: feed)
        let id = try await subscribe(client, to: feed, after: .after(0))
        #expect(await client.receive(100) == Array(1...100))
        // One that reads on is not held up by the one that does not.
        _ = try await subscribe(other, to: feed)
        try await add(1, to: feed)
        #expect(await other.receive(1) == [251])
        #expect(client.log.count == 100)
        await #expect(throws: TapFeedError.notSent(101, last: 100)) {
            try await feed.acknowledge(id, by: client.id, through: 101)
        }
        #expect(try await feed.acknowledge(id, by: client.id, through: 30).acknowledged == 30)
        #expect(await client.receive(30) == Array(101...130))
        _ = try await feed.acknowledge(id, by: client.id, through: 130)
        #expect(await client.receive(100) == Array(131...230))
    }

    @Test func `get fewer taps with long messages at a time`() async throws {
        let feed = feed
        for _ in 0..<40 { _ = try await store.append(.sample(message: Array(repeating: 0, count: 64 * 1024))) }
        let id = try await subscribe(client, to: feed, after: .after(0))
        #expect(await client.receive(8) == Array(1...8))
        _ = try await feed.acknowledge(id, by: client.id, through: 4)
        #expect(await client.receive(4).last == 12)
    }

    @Test func `are passed over by what they may not have, which takes no place`() async throws {
        let feed = feed
        client.refuse("door")
        try await add(150, to: feed, on: "door")
        _ = try await subscribe(client, to: feed, after: .after(0))
        try await add(1, to: feed)
        #expect(await client.receive(1) == [151])
    }

    @Test func `continue after what their consumer acknowledged`() async throws {
        let feed = feed
        try await add(2, to: feed)
        let first = try await subscribe(client, to: feed, as: "clock")
        try await add(3, to: feed)
        #expect(await client.receive(3) == [3, 4, 5])
        #expect(try await feed.acknowledge(first, by: client.id, through: 4).acknowledged == 4)
        await feed.forget(client.id)
        try await add(1, to: feed)
        _ = try await subscribe(other, to: feed, as: "clock")
        #expect(await other.receive(2) == [5, 6])
        // A replay does not take back what was acknowledged.
        let third = TapReceiver(3)
        _ = try await subscribe(third, to: feed, as: "clock", after: .after(0))
        #expect(await third.receive(6) == [1, 2, 3, 4, 5, 6])
        #expect(await store.status().consumers.map(\.acknowledged) == [4])
    }

    @Test func `with a new consumer that begins earlier keep the taps from there on`() async throws {
        let feed = feed
        try await add(9, to: feed)
        _ = try await subscribe(client, to: feed, as: "clock", after: .after(4))
        #expect(await store.status().consumers.map(\.acknowledged) == [4])
    }

    @Test func `of other users do not use a consumer`() async throws {
        let feed = feed
        _ = try await subscribe(client, to: feed, as: "clock")
        let foreign = TapFeed.Consumer(name: "clock", owner: 2, mayTakeOver: false)
        await #expect(throws: JournalError.foreignConsumer("clock")) {
            try await feed.subscribe(other, consumer: foreign, after: nil)
        }
    }

    @Test func `continue with a new journal at its beginning`() async throws {
        let feed = feed
        try await add(20, to: feed)
        let id = try await subscribe(client, to: feed)
        try await add(1, to: feed)
        #expect(await client.receive(1) == [21])
        store.replace()
        try await add(2, to: feed)
        #expect(await client.receive(2) == [1, 2])
        #expect(client.epochs == ["epoch-1", "epoch-1+"])
        #expect(try await feed.acknowledge(id, by: client.id, through: 2).epoch == "epoch-1+")
    }

    @Test func `that require a proof are sent proven taps alone, and keep nothing in the journal for the others`()
        async throws
    {
        let feed = feed
        let consumer = TapFeed.Consumer(name: "door", owner: 1, mayTakeOver: false)
        let place = try await feed.subscribe(client, consumer: consumer, after: .after(0), requiresProof: true)
        await feed.announce(place.id)
        // Others alone: they are acknowledged without the client.
        for status in [nil, TapProof.Status.replayed] {
            _ = try await store.append(.sample(proof: status))
            feed.tapsWereAdded()
        }
        while await store.status().consumers.first?.acknowledged != 2 { await Task.yield() }
        #expect(client.log.isEmpty)
        // Behind a proven one they wait until it is acknowledged.
        for status in [TapProof.Status.proven, .failed, .proven, .unknownKey] {
            _ = try await store.append(.sample(proof: status))
        }
        feed.tapsWereAdded()
        #expect(await client.receive(2) == [3, 5])
        _ = try await feed.acknowledge(place.id, by: client.id, through: 3)
        #expect(await store.status().consumers.first?.acknowledged == 3)
        _ = try await feed.acknowledge(place.id, by: client.id, through: 5)
        while await store.status().consumers.first?.acknowledged != 6 { await Task.yield() }
        #expect(client.log == [3, 5])
    }

    @Test func `read a tap from the journal once for all of them`() async throws {
        let feed = feed
        for _ in 0..<TapFeed.subscriptionsPerClient { _ = try await subscribe(client, to: feed) }
        await #expect(throws: TapFeedError.tooManySubscriptions(limit: 16)) { try await subscribe(client, to: feed) }
        let before = store.reads
        try await add(1, to: feed)
        #expect(await client.receive(16) == Array(repeating: 1, count: 16))
        #expect(store.reads - before <= 4)
    }

    @Test func `end with their client, and are its own`() async throws {
        let feed = feed
        let id = try await subscribe(client, to: feed)
        await #expect(throws: TapFeedError.unknown(id)) { try await feed.unsubscribe(id, by: other.id) }
        await #expect(throws: TapFeedError.unknown(id)) {
            try await feed.acknowledge(id, by: other.id, through: nil)
        }
        await feed.forget(client.id)
        #expect(await feed.count == 0)
        await #expect(throws: TapFeedError.unknown(id)) { try await feed.unsubscribe(id, by: client.id) }
    }

    @Test func `get later taps after the journal could not be read`() async throws {
        let feed = feed
        _ = try await subscribe(client, to: feed)
        try await add(1, to: feed)
        #expect(await client.receive(1) == [1])
        _ = try await store.append(.sample())
        store.fail(.failed("no disk"))
        feed.tapsWereAdded()
        store.fail(nil)
        try await add(1, to: feed)
        #expect(await client.receive(2) == [2, 3])
    }
}

/// A client that records the sequence numbers of its taps.
final class TapReceiver: TapClient {
    let account: ClientAccount = 1
    let id: ClientID
    private let received = Mutex<[(sequence: Int64, epoch: String)]>([])
    private let refused = Mutex<Set<String>>([])
    private let stream: AsyncStream<Int64>
    private let sink: AsyncStream<Int64>.Continuation

    init(_ number: UInt64) {
        id = ClientID(rawValue: number)
        (stream, sink) = AsyncStream.makeStream()
    }

    /// Everything so far.
    var log: [Int64] { received.withLock { $0.map(\.sequence) } }
    /// The epochs, in the order in which they came.
    var epochs: [String] {
        received.withLock { taps in
            taps.reduce(into: []) { epochs, tap in if epochs.last != tap.epoch { epochs.append(tap.epoch) } }
        }
    }

    /// The client may not have the taps of a reader.
    func refuse(_ reader: String) { refused.withLock { _ = $0.insert(reader) } }

    /// The next so many sequence numbers.
    func receive(_ count: Int) async -> [Int64] {
        var numbers: [Int64] = []
        for _ in 0..<count { numbers.append(await stream.first { _ in true } ?? -1) }
        return numbers
    }

    func send(_ tap: JournalTap, epoch: String, of subscription: SubscriptionID) -> Bool {
        guard !refused.withLock({ $0.contains(tap.record.reader) }) else { return false }
        received.withLock { $0.append((tap.sequence, epoch)) }
        sink.yield(tap.sequence)
        return true
    }
}

extension TapRecord {
    /// A tap of a Type 2 tag.
    static func sample(
        on reader: String = "desk", message: [UInt8]? = Fixtures.message, proof: TapProof.Status? = nil
    ) -> TapRecord {
        var generator = SystemRandomNumberGenerator()
        return TapRecord(
            id: TapID(milliseconds: 1, using: &generator),
            time: TapTime(milliseconds: 1, sinceBoot: .seconds(1), bootID: "boot", clock: .synchronised),
            reader: reader, readerName: "The \(reader) reader", type: .miFare, identifier: [4], message: message,
            proof: proof.map { TapProof($0, profile: "door") })
    }
}
