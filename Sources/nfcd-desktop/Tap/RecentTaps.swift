/// The taps of the last moments, so that a tag at the edge of the field acts once.
struct RecentTaps: Sendable {
    /// What a tap is after those before.
    enum Novelty: Sendable, Hashable {
        /// It acts.
        case new
        /// The message could be read this time: it acts, but for what needs the UID alone, which was done.
        case readAtLast
        /// It does not act.
        case repeated
    }

    private struct Tap: Hashable {
        let reader: String
        let tag: [UInt8]
    }

    private struct Accepted {
        let time: Duration
        let isRead: Bool
    }

    /// How long the same tag on the same reader does not act again.
    static let interval = Duration.seconds(2)

    private var accepted: [Tap: Accepted] = [:]

    init() {}

    /// Takes a tap. The same tag acts again when its last tap that did is ``interval`` ago, or could not be read.
    ///
    /// - Parameters:
    ///   - isRead: whether its message was read. A tag that leaves too early often comes again at once.
    ///   - now: a time that never goes back.
    mutating func take(reader: String, tag: [UInt8], isRead: Bool, now: Duration) -> Novelty {
        accepted = accepted.filter { now - $0.value.time < Self.interval }
        let tap = Tap(reader: reader, tag: tag)
        let before = accepted[tap]
        guard let before else {
            accepted[tap] = Accepted(time: now, isRead: isRead)
            return .new
        }
        guard isRead, !before.isRead else { return .repeated }
        accepted[tap] = Accepted(time: before.time, isRead: true)
        return .readAtLast
    }
}
