import NFCProtocol

/// What the state file keeps of a consumer.
struct SavedConsumer: Sendable, Hashable {
    /// The journal that the positions are of.
    var epoch: String
    /// Where the lane of a new reader begins.
    var base: Int64
    /// Journals whose loss was not announced yet, oldest first.
    var lostEpochs: [String] = []
    /// Why it is paused; nil: it is not.
    var pause: Pause?
    var lanes: [SavedLane] = []
}

/// Why a consumer is paused.
enum Pause: Sendable, Hashable {
    case byPerson
    /// With what it answered.
    case receiverGone(String)

    /// The text in the state file: empty if a person paused it.
    var text: String {
        switch self {
        case .byPerson: ""
        case .receiverGone(let reason): reason.isEmpty ? "the receiver is gone" : reason
        }
    }

    /// Reads the text of a state file.
    init(text: String) { self = text.isEmpty ? .byPerson : .receiverGone(text) }
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
        /// Whether one delivery is under way at a time, of all readers.
        var isSerial = false
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

    /// An error and when it occurred.
    struct NotedError: Sendable, Hashable {
        let reason: String
        /// In the time of the consumer.
        let time: Duration
    }

    /// What a consumer counted since the relay was started.
    struct Counts: Sendable, Equatable {
        var delivered = 0
        /// Failed attempts by kind.
        var failed: [Delivery.FailureKind: Int] = [:]
        var parked = 0
        /// Taps of readers that are not the consumer's, which were acknowledged without being delivered.
        var ofOtherReaders = 0
        /// Taps without a proof, which were acknowledged without being delivered.
        var passedOver = 0
        /// Taps that were too old, which were acknowledged without being delivered.
        var tooOld = 0
        var announced = 0
        var lost = 0
    }
}

extension Delivery {
    /// The kinds of failures, as metrics name them.
    enum FailureKind: String, CaseIterable {
        case temporary, refused, unacceptable, configuration
    }

    /// Why it failed; nil: it did not.
    var failure: (kind: FailureKind, reason: String)? {
        switch self {
        case .delivered: nil
        case .retry(let reason, _): (.temporary, reason)
        case .refused(let reason): (.refused, reason)
        case .unacceptable(let reason): (.unacceptable, reason)
        case .held(let reason), .gone(let reason): (.configuration, reason)
        }
    }
}
