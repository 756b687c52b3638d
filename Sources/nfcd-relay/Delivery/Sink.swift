import FoundationEssentials
import NFCProtocol

/// The receiver of a consumer's taps: a broker, a webhook, a command.
///
/// A consumer has a lane for each reader, and each lane delivers one tap at a time, in order. So `deliver` is called from several
/// tasks at once, but for one reader by one task.
protocol Sink: Sendable {
    /// Keeps up the connection, if there is one, until the task is cancelled.
    ///
    /// - Parameter consumer: is notified of what happens to the connection.
    func run(_ consumer: any SinkObserver) async

    /// Delivers a tap once. It returns when the receiver has it, or with the reason why it does not; it has its own time
    /// limits, and is cancelled where the relay stops.
    func deliver(_ event: TapEvent) async -> Delivery

    /// Delivers a notice once: that taps were lost, or a test.
    func deliver(_ notice: RelayNotice) async -> Delivery
}

/// What a sink reports about its connection.
protocol SinkObserver: Sendable {
    /// The receiver can be reached: lanes that wait try again at once.
    func connected() async
    /// The receiver cannot be reached for now; lanes wait for `connected()`, or their next attempt.
    func disconnected(_ reason: String) async
    /// The receiver refuses everything until a person changes the configuration, here or there.
    func held(_ reason: String) async
    /// The receiver lost what it had acknowledged: taps that were acknowledged within this time are delivered again. It returns
    /// when the deliveries under way have ended, so that none of them comes before those taps; the sink lets them fail.
    ///
    /// - Returns: whether that is on the disk. A sink marks the connection as one on which nothing was lost only then: a mark that comes
    ///   first would make the next start after a power cut believe it.
    func receiverLostTaps(within window: Duration) async -> Bool
}

/// What came of an attempt to deliver a tap.
enum Delivery: Sendable, Hashable {
    /// The receiver has it. The detail is for a person who tests the consumer.
    case delivered(String)
    /// A temporary failure: the lane tries again, after this time at the earliest, without a limit of attempts.
    case retry(String, after: Duration? = nil)
    /// The receiver refuses this tap, perhaps permanently: it is parked after the configured number of attempts.
    case refused(String)
    /// The receiver can never take this tap: it is parked at once.
    case unacceptable(String)
    /// The receiver refuses everything until a person changes something: all lanes of the consumer are held.
    case held(String)
    /// The receiver is gone permanently: the consumer is paused until a person starts it again.
    case gone(String)
}

/// A tap on its way to a receiver.
struct TapEvent: Sendable {
    /// The tap as the journal has it.
    let tap: RecordedTap
    /// The CloudEvents 1.0 object in JSON: the body of a webhook and the payload on MQTT.
    let cloudEvent: Data
    /// How often its delivery was attempted before; 0 at first.
    let attempt: Int
    /// Whether it was delivered before, and is delivered again on request.
    let isReplay: Bool
    /// Its age at this attempt, as far as the clocks allow to know it.
    let age: Duration?
}

/// An event that is not a tap.
struct RelayNotice: Sendable {
    /// What it is about.
    enum Subject: String, Sendable {
        /// Taps are missing in the journal: a range of a reader, or all before a new journal.
        case journalLost = "org.nfcd.journal.lost"
        /// A person tests the consumer.
        case test = "org.nfcd.test"
    }

    let subject: Subject
    /// The id of the event: the same in every attempt.
    let id: String
    /// The reader it is about; nil: all.
    let reader: String?
    /// What happened, for people.
    let text: String
    /// The CloudEvents 1.0 object in JSON.
    let cloudEvent: Data
}
