import Synchronization
import NFCTypes
import TapJournal

/// What is known about the journal without asking its thread.
final class JournalBoard: Sendable {
    private struct State {
        var status: JournalStatus
        var metrics = JournalMetrics()
    }

    private let state: Mutex<State>

    init(_ settings: SQLiteJournal.Settings) {
        var status = JournalStatus(.failed, reason: "\(settings.path) is not open yet")
        status.byteLimit = settings.byteLimit
        status.tapLimit = settings.tapLimit
        state = Mutex(State(status: status))
    }

    var status: JournalStatus { state.withLock(\.status) }
    var metrics: JournalMetrics { state.withLock(\.metrics) }

    /// Sets the state.
    func set(_ journalState: JournalState, reason: String? = nil) {
        state.withLock { ($0.status.state, $0.status.reason) = (journalState, reason) }
    }

    /// Sets the extent.
    func set(_ extent: JournalExtent, epoch: String, bytes: Int64) {
        state.withLock { state in
            state.status.epoch = epoch
            state.status.bytes = bytes
            state.status.taps = extent.taps
            state.status.oldest = extent.taps > 0 ? extent.oldest : 0
            state.status.newest = extent.newest
            state.status.dropped = extent.dropped
            state.status.consumers = extent.consumers.map { extent.consumer($0.key, $0.value) }.sorted {
                ($0.name, $0.owner) < ($1.name, $1.owner)
            }
        }
    }

    /// Sets how many damaged journals there are.
    func set(movedAside: Int) {
        state.withLock { $0.status.movedAside = movedAside }
    }

    func countRefused(_ count: Int) {
        state.withLock { $0.metrics.refused += count }
    }

    func countDamaged(_ count: Int) {
        state.withLock { $0.status.damaged += count }
    }

    func countDropped(_ count: Int64) {
        state.withLock { $0.metrics.dropped += Int(clamping: count) }
    }

    func countCommit(_ time: Duration, stored: Int, refused: Int) {
        state.withLock { state in
            state.metrics.stored += stored
            state.metrics.refused += refused
            state.metrics.countCommit(time)
        }
    }
}

extension JournalExtent {
    /// A consumer, without the time of the oldest tap it does not have.
    func consumer(_ key: ConsumerKey, _ consumer: Consumer) -> JournalConsumer {
        JournalConsumer(
            name: key.name, owner: key.owner, acknowledged: consumer.acknowledged,
            backlog: Int(clamping: undelivered(through: newest, to: consumer)), oldest: nil,
            lost: Int(clamping: consumer.lost))
    }
}
