import Threading

/// The announcements that the journals before the present one are lost, one after another.
///
/// A value without a clock or I/O.
struct LostJournals: Sendable {
    private enum State {
        case none
        /// The loss of the first is announced, not before this time.
        case due(first: String, rest: ArraySlice<String>, at: Duration)
        /// That announcement is under way.
        case announcing(first: String, rest: ArraySlice<String>)
    }

    /// An nfcd that changes its journal all the time must not make the state file grow.
    private static let mostEpochs = 16

    private var state: State
    private var backOff = BackOff(base: .seconds(1), cap: .seconds(60))

    init(_ epochs: [String], now: Duration) { state = Self.due(epochs[...], at: now) }

    private static func due(_ epochs: ArraySlice<String>, at time: Duration) -> State {
        epochs.first.map { .due(first: $0, rest: epochs.dropFirst(), at: time) } ?? .none
    }

    /// Those that were not announced yet, oldest first.
    var epochs: [String] {
        switch state {
        case .none: []
        case .due(let first, let rest, _), .announcing(let first, let rest): [first] + rest
        }
    }

    /// When the next announcement is due; nil if none is.
    var deadline: Duration? { if case .due(_, _, let time) = state { time } else { nil } }

    /// Another journal is lost.
    mutating func add(_ epoch: String, now: Duration) {
        guard epochs.count < Self.mostEpochs else { return }
        switch state {
        case .none: state = Self.due([epoch], at: now)
        case .due(let first, let rest, let time): state = .due(first: first, rest: rest + [epoch], at: time)
        case .announcing(let first, let rest): state = .announcing(first: first, rest: rest + [epoch])
        }
    }

    /// Begins the next announcement, if it is due.
    mutating func begin(_ now: Duration) -> LostTaps? {
        guard case .due(let first, let rest, let time) = state, time <= now else { return nil }
        state = .announcing(first: first, rest: rest)
        return LostTaps(epoch: first)
    }

    /// Takes what came of an announcement. One that is refused is not repeated.
    mutating func announced(_ epoch: String, _ delivery: Delivery, now: Duration, random: Double) -> Lane.Verdict {
        guard case .announcing(epoch, let rest) = state else { return .stale }
        switch delivery {
        case .delivered, .refused, .unacceptable:
            state = Self.due(rest, at: now)
            return .advanced
        case .retry(let reason, let least):
            state = .due(first: epoch, rest: rest, at: now + max(backOff.next(random), least ?? .zero))
            return .waits(reason)
        case .held(let reason):
            state = .due(first: epoch, rest: rest, at: now)
            return .held(reason)
        case .gone(let reason):
            state = .due(first: epoch, rest: rest, at: now)
            return .gone(reason)
        }
    }

    /// Ends the wait for the next attempt, at this time at the earliest.
    mutating func hurry(at time: Duration) {
        if case .due(let first, let rest, let due) = state {
            state = .due(first: first, rest: rest, at: min(due, time))
        }
    }
}
