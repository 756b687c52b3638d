import NFCProtocol

/// What the state file keeps of a consumer.
struct SavedConsumer: Sendable, Hashable {
    /// The journal that the positions are of.
    var epoch: String
    /// Where the lane of a new reader begins.
    var base: Int64
    /// A journal whose loss was not announced yet.
    var lostEpoch: String?
    /// Why it is paused; nil: it is not. Empty: a person paused it.
    var pause: String?
    var lanes: [SavedLane] = []
}

extension ConsumerMachine {
    /// The limits of a consumer.
    struct Limits: Sendable {
        var lane = Lane.Limits()
        var start = ConsumerSettings.Start.new
        /// How many deliveries begin in a second.
        var drain = 50
        /// Within this time after a lost connection is back, deliveries begin.
        var reconnectJitter = Duration.seconds(5)
        /// How long everything is held before the next attempt.
        var holdTime = Duration.seconds(300)
        /// How many taps may be parked.
        var parked = 1_000
        /// The state is saved within this time, or after so many taps.
        var saveTime = Duration.seconds(1)
        var saveTaps = 100
        /// How long to wait after nfcd refused a page.
        var fetchWait = Duration.seconds(5)
    }

    /// What to do.
    enum Action: Sendable {
        case fetch(reader: String, after: Int64, limit: Int)
        case deliver(RecordedTap, attempt: Int, isReplay: Bool)
        case announce(LostTaps)
        case park(RecordedTap, reason: String, attempts: Int)
        case save(SavedConsumer, acknowledged: Int64)
        case alarm(String)

        /// Whether it hands something to the receiver.
        var isDelivery: Bool {
            switch self {
            case .deliver, .announce: true
            case .fetch, .park, .save, .alarm: false
            }
        }
    }

    /// What a consumer counted since the relay was started.
    struct Counts: Sendable, Equatable {
        var delivered = 0
        /// Failed attempts by kind.
        var failed: [String: Int] = [:]
        var parked = 0
        var announced = 0
        var lost = 0
    }
}

extension Delivery {
    /// The kind of a failure, for counters; nil if it is not a failure.
    var failureKind: String? {
        switch self {
        case .delivered: nil
        case .retry: "temporary"
        case .refused: "refused"
        case .unacceptable: "unacceptable"
        case .held, .gone: "configuration"
        }
    }

    /// Why it failed; nil: it did not.
    var reason: String? {
        switch self {
        case .delivered: nil
        case .retry(let reason, _), .refused(let reason), .unacceptable(let reason), .held(let reason),
            .gone(let reason):
            reason
        }
    }
}
