import NFCProtocol
import ServiceSupport

/// Which taps a consumer gets. The others are acknowledged in their place, and counted.
struct TapEligibility: Sendable {
    /// Why a tap is left out.
    enum Omission: Sendable, Hashable {
        /// It is of a reader that is not the consumer's.
        case otherReader
        /// Its tag has not proven itself.
        case unproven
        /// It is older than the consumer allows, or its age cannot be known.
        case tooOld

        /// What counts it.
        var counter: WritableKeyPath<ConsumerMachine.Counts, Int> {
            switch self {
            case .otherReader: \.ofOtherReaders
            case .unproven: \.passedOver
            case .tooOld: \.tooOld
            }
        }
    }

    /// The readers whose taps are delivered, by id or name; nil: all.
    var readers: Set<String>?
    /// Whether taps are left out whose tag has not proven itself.
    var requiresProof = false
    /// Nil: taps of every age are delivered.
    var ageLimit: AgeLimit?

    /// Whether any tap can be left out.
    var isRestricted: Bool { readers != nil || requiresProof || ageLimit != nil }

    /// Why a tap is left out; nil: it is not.
    func omission(of tap: RecordedTap, now: Duration) -> Omission? {
        if let readers, !readers.contains(tap.reader), !readers.contains(tap.readerName) { return .otherReader }
        if requiresProof, !tap.isProven { return .unproven }
        if let ageLimit, !ageLimit.admits(tap, now) { return .tooOld }
        return nil
    }
}

extension TapEligibility {
    /// The eligibility of a consumer.
    init(_ settings: ConsumerSettings, _ time: ServiceTime) {
        self.init(
            readers: settings.readers, requiresProof: settings.requiresProof,
            ageLimit: settings.maxAge.map { AgeLimit($0, ClockReading.age(time)) })
    }
}

/// How old a tap may be that is delivered.
struct AgeLimit: Sendable {
    let longest: Duration
    private let age: @Sendable (RecordedTap, Duration) -> Duration?

    /// - Parameter age: the age of a tap at a time of the consumer; nil where the clocks cannot know it.
    init(_ longest: Duration, _ age: @escaping @Sendable (RecordedTap, Duration) -> Duration?) {
        self.longest = longest
        self.age = age
    }

    /// Whether a tap is not too old. Of this boot, every age is known; a tap whose age is unknown is from before a restart.
    func admits(_ tap: RecordedTap, _ now: Duration) -> Bool {
        age(tap, now).map { $0 <= longest } ?? false
    }

    /// When a tap gets too old; nil if it already is.
    func end(of tap: RecordedTap, _ now: Duration) -> Duration? {
        guard let age = age(tap, now), age <= longest else { return nil }
        return now + (longest - age) + .milliseconds(1)
    }
}

extension ClockReading {
    /// Returns the ages of taps at a time of a service, by its clocks.
    static func age(_ time: ServiceTime) -> @Sendable (RecordedTap, Duration) -> Duration? {
        { tap, now in
            var clocks = ClockReading(time)
            clocks.boot = now
            return clocks.age(of: tap)
        }
    }
}
