/// The taps of the last moments, so that a tag at the edge of the field acts once.
struct RecentTaps: Sendable {
    private struct Tap: Hashable {
        let reader: String
        let tag: [UInt8]
    }

    /// How long the same tag on the same reader does not act again.
    static let interval = Duration.seconds(2)

    private var accepted: [Tap: Duration] = [:]

    init() {}

    /// Whether a tap acts: the last tap of this tag that did is at least ``interval`` ago.
    ///
    /// - Parameter now: a time that never goes back.
    mutating func accept(reader: String, tag: [UInt8], now: Duration) -> Bool {
        accepted = accepted.filter { now - $0.value < Self.interval }
        let tap = Tap(reader: reader, tag: tag)
        guard accepted[tap] == nil else { return false }
        accepted[tap] = now
        return true
    }
}
