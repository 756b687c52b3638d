package import NFCTypes
import Synchronization
package import TapJournal

/// A journal in memory: it can be held, so that a test decides when a commit returns, and it can fail.
package final class MemoryTapStore: TapStore {
    fileprivate struct State {
        var epoch = "epoch-1"
        var taps: [JournalTap] = []
        var lost: Int64 = 0
        var consumers: [String: JournalConsumer] = [:]
        var failure: JournalError?
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        var reachers: [CheckedContinuation<Void, Never>] = []
        var reads = 0
        /// The highest counters.
        var counters: [[UInt8]: Int64] = [:]

        mutating func settle(_ proof: TapProof, _ claim: CounterClaim) -> TapProof {
            let line = counters[claim.line].map { StoredCounter(highest: $0, isCurrent: true) }
            let settled = proof.settled(claim, against: line, wereCountersLost: false)
            if settled.isCounted { counters[claim.line] = claim.value }
            return settled
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// The taps that are stored.
    package var taps: [JournalTap] { state.withLock(\.taps) }
    /// How often taps were read.
    package var reads: Int { state.withLock(\.reads) }

    /// Makes every operation fail, or work again.
    package func fail(_ error: JournalError?) { state.withLock { $0.failure = error } }

    /// Makes commits wait until `release`.
    package func hold() { state.withLock { $0.isHeld = true } }

    /// Returns when a commit waits.
    package func reached() async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.held.isEmpty { state.reachers.append(continuation) }
                return !state.held.isEmpty
            }
            if isReached { continuation.resume() }
        }
    }

    /// Lets the commits that wait, and later ones, return.
    package func release() {
        let held = state.withLock { state in
            defer { (state.isHeld, state.held) = (false, []) }
            return state.held
        }
        for commit in held { commit.resume() }
    }

    /// Loses the journal: a new one, with another epoch, takes its place.
    package func replace() {
        state.withLock { state in
            (state.epoch, state.taps, state.consumers, state.lost) = (state.epoch + "+", [], [:], 0)
        }
    }

    package func append(_ tap: TapRecord) async throws(JournalError) -> JournalTap {
        await waitForRelease()
        return try state.withLock { state throws(JournalError) in
            if let failure = state.failure { throw failure }
            let number = Int64(state.taps.count) + state.lost + 1
            let ofReader = Int64(state.taps.count { $0.record.reader == tap.reader }) + 1
            var tap = tap
            if let proof = tap.proof, let claim = tap.claim { tap.proof = state.settle(proof, claim) }
            tap.claim = nil
            let stored = JournalTap(sequence: number, readerSequence: ofReader, record: tap)
            state.taps.append(stored)
            return stored
        }
    }

    package func settle(_ proof: TapProof, _ claim: CounterClaim) async throws(JournalError) -> TapProof {
        await waitForRelease()
        return try state.withLock { state throws(JournalError) in
            if let failure = state.failure { throw failure }
            return state.settle(proof, claim)
        }
    }

    private func waitForRelease() async {
        await withCheckedContinuation { continuation in
            let (isHeld, reachers) = state.withLock { state in
                guard state.isHeld else { return (false, [CheckedContinuation<Void, Never>]()) }
                state.held.append(continuation)
                defer { state.reachers = [] }
                return (true, state.reachers)
            }
            if !isHeld { continuation.resume() }
            for reacher in reachers { reacher.resume() }
        }
    }

    package func taps(_ query: TapQuery) async throws(JournalError) -> TapPage {
        try state.withLock { state throws(JournalError) in
            if let failure = state.failure, case .failed = failure { throw failure }
            state.reads += 1
            var matching = state.taps.filter { query.readers?.contains($0.record.reader) ?? true }
            if query.isNewestFirst {
                matching = matching.reversed().filter { query.after == 0 || $0.sequence < query.after }
            } else {
                matching = matching.filter { $0.sequence > query.after }
            }
            var (page, bytes) = ([JournalTap](), 0)
            for tap in matching.prefix(query.limit) {
                bytes += tap.record.message?.count ?? 0
                guard page.isEmpty || bytes <= query.byteLimit else { break }
                page.append(tap)
            }
            return TapPage(epoch: state.epoch, taps: page, hasMore: page.count < matching.count)
        }
    }

    package func status() async -> JournalStatus {
        state.withLock { state in
            var status = JournalStatus(state.failure == nil ? .ready : .full, reason: state.failure?.description)
            status.epoch = state.epoch
            (status.oldest, status.newest) = (state.taps.first?.sequence ?? 0, state.newest)
            (status.taps, status.tapLimit, status.byteLimit) = (state.taps.count, 1_000, 1_000_000)
            status.consumers = state.consumers.values.sorted { $0.name < $1.name }.map { consumer in
                var consumer = consumer
                consumer.backlog = state.taps.count { $0.sequence > consumer.acknowledged }
                return consumer
            }
            return status
        }
    }

    package func acknowledge(
        _ consumer: String, owner: UInt32, through sequence: Int64?, mayTakeOver: Bool
    ) async throws(JournalError) -> JournalConsumer {
        try state.withLock { state throws(JournalError) in
            if let sequence, sequence > state.newest { throw .unknownSequence(sequence, newest: state.newest) }
            var entry =
                state.consumers[consumer]
                ?? JournalConsumer(
                    name: consumer, owner: owner, acknowledged: sequence ?? state.newest, backlog: 0, oldest: nil)
            guard entry.owner == owner || mayTakeOver else { throw .foreignConsumer(consumer) }
            entry.acknowledged = max(entry.acknowledged, sequence ?? 0)
            state.consumers[consumer] = entry
            return entry
        }
    }

    package func removeConsumer(_ consumer: String, owner: UInt32, mayTakeOver: Bool) async throws(JournalError) -> Bool
    {
        try state.withLock { state throws(JournalError) in
            guard let entry = state.consumers[consumer] else { return false }
            guard entry.owner == owner || mayTakeOver else { throw .foreignConsumer(consumer) }
            state.consumers[consumer] = nil
            return true
        }
    }

    package func prune(through sequence: Int64, includingUndelivered: Bool) async throws(JournalError) -> Int {
        state.withLock { state in
            let kept = includingUndelivered ? .max : state.consumers.values.map(\.acknowledged).min() ?? .max
            let removed = state.taps.prefix { $0.sequence <= min(sequence, kept) }.count
            state.taps.removeFirst(removed)
            state.lost += Int64(removed)
            return removed
        }
    }
}

extension MemoryTapStore.State {
    fileprivate var newest: Int64 { Int64(taps.count) + lost }
}
