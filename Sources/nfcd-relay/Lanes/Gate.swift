/// Whether a consumer may attempt deliveries at all.
struct Gate: Sendable {
    /// Why no delivery is attempted until a person changes something.
    enum Hold: Sendable, Hashable {
        /// The receiver refuses everything.
        case refused(String)
        /// No further tap can be parked.
        case full(parked: Int)

        /// For people.
        var reason: String {
            switch self {
            case .refused(let reason): reason
            case .full(let count):
                "\(count) taps are parked, the limit; run nfcctl relay parked, then unpark them"
            }
        }
    }

    /// What is handed to the receiver: the next of a reader, or the announcement that a journal is lost.
    enum Attempt: Sendable, Hashable {
        case lane(String)
        case lostJournal
    }

    private enum State {
        case open
        /// Deliveries begin at this time, after a lost connection is back.
        case opening(at: Duration)
        /// At this time one delivery is attempted.
        case held(Hold, until: Duration)
        /// That delivery is under way.
        case probing(Hold, Attempt)
    }

    private var state = State.open

    /// Why everything is held; nil: it is not.
    var hold: Hold? {
        switch state {
        case .open, .opening: nil
        case .held(let hold, _), .probing(let hold, _): hold
        }
    }

    /// When deliveries may begin that may not now; nil if no time is known.
    var deadline: Duration? {
        switch state {
        case .opening(let time), .held(_, let time): time
        case .open, .probing: nil
        }
    }

    /// Whether a delivery may be attempted now.
    func admits(_ now: Duration) -> Bool {
        switch state {
        case .open: true
        case .opening(let time), .held(_, let time): time <= now
        case .probing: false
        }
    }

    /// A delivery begins. While everything is held, no other one begins before its outcome.
    mutating func begin(_ attempt: Attempt) {
        state = if case .held(let hold, _) = state { .probing(hold, attempt) } else { .open }
    }

    /// The outcome of a delivery does not count. Another one may be attempted in its place.
    mutating func discard(_ attempt: Attempt, now: Duration) {
        if case .probing(let hold, attempt) = state { state = .held(hold, until: now) }
    }

    /// Holds everything until this time.
    mutating func hold(_ hold: Hold, until time: Duration) { state = .held(hold, until: max(time, deadline ?? time)) }

    /// Ends a hold.
    mutating func release() { if hold != nil { state = .open } }

    /// Deliveries begin at this time.
    mutating func open(at time: Duration) { state = .opening(at: time) }
}

/// Limits how many deliveries begin in a second: a bucket of tokens.
struct DrainLimit: Sendable {
    private let perSecond: Double
    private let capacity: Double
    private var tokens: Double
    private var filledAt: Duration
    /// When the delivery may begin that was not admitted last; nil if none waits.
    private(set) var deadline: Duration?

    init(perSecond: Int, now: Duration) {
        self.perSecond = Double(perSecond)
        capacity = max(1, self.perSecond / 5)
        tokens = capacity
        filledAt = now
    }

    /// Takes a token; false: there is none before `deadline`.
    mutating func admits(_ now: Duration) -> Bool {
        tokens = min(capacity, tokens + (now - filledAt) / .seconds(1) * perSecond)
        filledAt = now
        guard tokens >= 1 else {
            deadline = now + .nanoseconds(Int64((1 - tokens) / perSecond * 1e9) + 1)
            return false
        }
        tokens -= 1
        deadline = nil
        return true
    }
}
