/// Whether a consumer may attempt deliveries at all.
struct Gate: Sendable {
    private enum State {
        case open
        /// Its receiver refuses everything; at this time one delivery is attempted.
        case held(String, until: Duration)
        /// That delivery is under way.
        case probing(String)
    }

    private var state = State.open
    /// Deliveries begin at this time, after a lost connection is back.
    private var opensAt: Duration?

    /// Why everything is held; nil: it is not.
    var reason: String? {
        switch state {
        case .open: nil
        case .held(let reason, _), .probing(let reason): reason
        }
    }

    /// When deliveries may begin that may not now; nil where no time is known.
    var deadline: Duration? {
        switch state {
        case .open: opensAt
        case .held(_, let time): max(time, opensAt ?? time)
        case .probing: nil
        }
    }

    /// Whether a delivery may be attempted now.
    func wouldAdmit(_ now: Duration) -> Bool {
        var copy = self
        return copy.admits(now)
    }

    /// Begins to attempt a delivery; false: it may not be attempted now. Where everything is held, only one may.
    mutating func admits(_ now: Duration) -> Bool {
        if let time = opensAt {
            guard time <= now else { return false }
            opensAt = nil
        }
        switch state {
        case .open: return true
        case .probing: return false
        case .held(let reason, let time):
            guard time <= now else { return false }
            state = .probing(reason)
            return true
        }
    }

    /// Holds everything until this time.
    mutating func hold(_ reason: String, until time: Duration) { state = .held(reason, until: time) }

    /// The receiver answered something else.
    mutating func release() { state = .open }

    /// Deliveries begin at this time.
    mutating func open(at time: Duration) { (state, opensAt) = (.open, time) }
}

/// Limits how many deliveries begin in a second: a bucket of tokens.
struct DrainLimit: Sendable {
    private let perSecond: Double
    private let capacity: Double
    private var tokens: Double
    private var filledAt: Duration

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
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// When the next token is there.
    var deadline: Duration { filledAt + .nanoseconds(Int64(max(0, 1 - tokens) / perSecond * 1e9) + 1) }
}
