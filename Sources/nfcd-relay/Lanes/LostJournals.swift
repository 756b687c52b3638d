import Threading

/// The announcements that the journals before the present one are lost, one after another. A value without a clock or I/O.
struct LostJournals: Sendable {
    private enum Activity {
        /// The loss of the first is announced, not before this time.
        case waiting(until: Duration)
        case announcing
    }

    /// An nfcd that changes its journal all the time must not make the state file grow.
    private static let mostEpochs = 16

    /// Those that were not announced yet, oldest first.
    private(set) var epochs: [String]
    private var activity = Activity.waiting(until: .zero)
    private var backOff = BackOff(base: .seconds(1), cap: .seconds(60))

    init(_ epochs: [String]) { self.epochs = epochs }

    /// When the next announcement may begin; nil where that does not depend on the time.
    var deadline: Duration? {
        if case .waiting(let time) = activity, !epochs.isEmpty { time } else { nil }
    }

    /// Another journal is lost.
    mutating func add(_ epoch: String) {
        if epochs.count < Self.mostEpochs { epochs.append(epoch) }
    }

    /// Begins the next announcement, if it is due.
    mutating func begin(_ now: Duration) -> LostTaps? {
        guard let time = deadline, time <= now else { return nil }
        activity = .announcing
        return epochs.first.map { LostTaps(epoch: $0) }
    }

    /// Takes what came of an announcement. One that is refused is not repeated.
    mutating func announced(_ epoch: String, _ delivery: Delivery, now: Duration, random: Double) -> Lane.Verdict {
        guard case .announcing = activity, epoch == epochs.first else { return .stale }
        activity = .waiting(until: now)
        switch delivery {
        case .delivered, .refused, .unacceptable:
            epochs.removeFirst()
            backOff.reset()
            return .advanced
        case .retry(let reason, let least):
            activity = .waiting(until: now + max(backOff.next(random), least ?? .zero))
            return .waits(reason)
        case .held(let reason): return .held(reason)
        case .gone(let reason): return .gone(reason)
        }
    }

    /// Ends the wait for the next attempt, at this time at the earliest.
    mutating func hurry(at time: Duration) {
        if let due = deadline { activity = .waiting(until: min(due, time)) }
    }
}
