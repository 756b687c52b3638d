import NFCProtocol
import Synchronization
import TapJournal

/// The taps of the journal that were sent last, encoded once for all subscriptions.
final class RecordedTapLines: Sendable {
    private struct Key: Hashable {
        let epoch: String
        let sequence: Int64
    }

    private struct State {
        var lines: [Key: SharedNotification] = [:]
        /// The keys, the oldest first.
        var order: [Key] = []
    }

    /// The most taps that are kept.
    private static let most = 32
    /// The largest message of a tap that is kept.
    private static let mostBytes = 16 * 1024

    private let state = Mutex(State())

    /// The notification of a tap.
    ///
    /// - Throws: if it cannot be encoded.
    func notification(of tap: JournalTap, epoch: String) throws -> SharedNotification {
        let key = Key(epoch: epoch, sequence: tap.sequence)
        if let known = state.withLock({ $0.lines[key] }) { return known }
        let made = try SharedNotification { TapsDidRecord(subscription: $0, tap: RecordedTap(tap, epoch: epoch)) }
        guard tap.record.message?.count ?? 0 <= Self.mostBytes else { return made }
        state.withLock { state in
            guard state.lines.updateValue(made, forKey: key) == nil else { return }
            state.order.append(key)
            if state.order.count > Self.most { state.lines[state.order.removeFirst()] = nil }
        }
        return made
    }
}
