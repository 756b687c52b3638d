public import NFCTypes
import Synchronization

/// The taps of nfcd's journal from a place on, in order: those that are stored already, then each as it is stored.
///
/// The daemon sends up to 100 taps, then waits until the program acknowledges some:
///
///     let taps = try await client.observeRecordedTaps(consumer: "time-clock")
///     for try await tap in taps {
///         try await store(tap)
///         try await taps.acknowledge(tap)
///     }
///
/// With the name of a consumer, the journal keeps what was not acknowledged, also while the program does not run. A tap may come
/// again after a lost connection, with the same `id`.
///
/// The sequence throws `NFCClientError.connectionLost` where the connection is lost, `.fellBehind` where more than 4 MiB of taps are
/// unread, and ends after ``stop()`` or where the task is cancelled. Only one task may iterate it.
public struct RecordedTaps: AsyncSequence, Sendable {
    /// What the sequence consists of.
    public typealias Element = RecordedTap
    /// What the sequence throws.
    public typealias Failure = NFCClientError

    /// Reads the taps.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let queue: RecordedTapQueue

        /// The next tap; nil after ``RecordedTaps/stop()``, or where the task is cancelled.
        public func next() async throws(NFCClientError) -> RecordedTap? { try await queue.next() }

        /// The next tap; nil after ``RecordedTaps/stop()``, or where the task is cancelled.
        public func next(isolation actor: isolated (any Actor)?) async throws(NFCClientError) -> RecordedTap? {
            try await queue.next()
        }
    }

    /// The answer of the daemon: the name of the subscription, the journal, and where the taps begin.
    public let subscription: TapsSubscribe.Result
    private let client: NFCClient
    private let queue: RecordedTapQueue

    init(client: NFCClient, subscription: TapsSubscribe.Result, queue: RecordedTapQueue) {
        self.client = client
        self.subscription = subscription
        self.queue = queue
    }

    /// Reads the taps that have not been read yet.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: queue) }

    /// Acknowledges a tap and every earlier one, so that the daemon sends more. Taps may be acknowledged one by one or a few at a time.
    ///
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func acknowledge(_ tap: RecordedTap) async throws {
        try await acknowledge(through: tap.sequence)
    }

    /// Acknowledges every tap up to a sequence number, so that the daemon sends more.
    ///
    /// - Throws: `NFCClientError`; `CancellationError`.
    public func acknowledge(through sequence: Int64) async throws {
        _ = try await client.call(
            TapsAcknowledge.self, .init(subscription: subscription.subscription, sequence: sequence))
    }

    /// Ends the observation. The consumer keeps its place.
    public func stop() {
        client.unsubscribe(queue, from: subscription.subscription)
    }
}

extension NFCClient {
    /// Observes the taps of the journal. Needs the capability `taps`.
    ///
    /// - Parameters:
    ///   - consumer: the name for which the journal keeps taps until they are acknowledged; nil: it keeps none.
    ///   - start: where to begin; nil: after what the consumer acknowledged last, and for a new one, or without one, after the newest
    ///     tap.
    ///   - requirement: `.proven`: only taps whose tag has proven itself; the consumer acknowledges the others without receiving them.
    /// - Throws: `NFCClientError`, also if the daemon does not know the requirement; `CancellationError`.
    public func observeRecordedTaps(
        consumer: String? = nil, after start: TapPosition? = nil, requiring requirement: ProofRequirement? = nil
    ) async throws -> RecordedTaps {
        let (subscription, queue) = try await subscribe(
            .init(consumer: consumer, after: start, require: requirement))
        return RecordedTaps(client: self, subscription: subscription, queue: queue)
    }
}

/// The unread taps of a subscription.
final class RecordedTapQueue: Sendable {
    private let queue = EventQueue<RecordedTap>(budget: EventRouter.budget)
    private let end = Mutex<NFCClientError?>(nil)

    /// Adds a tap; false where too many are unread.
    func add(_ tap: RecordedTap, cost: Int, _ woken: inout WokenReaders) -> Bool {
        queue.add(tap, cost: cost, &woken)
    }

    /// Ends the sequence after the taps that are unread; nil where the program ended it.
    func finish(_ reason: NFCClientError?, _ woken: inout WokenReaders) {
        end.withLock { if $0 == nil { $0 = reason } }
        queue.finish(&woken)
    }

    func next() async throws(NFCClientError) -> RecordedTap? {
        if let tap = await queue.next() { return tap }
        if !Task.isCancelled, let end = end.withLock({ $0 }) { throw end }
        return nil
    }
}
