import FoundationEssentials
import NFCProtocol
import ServiceSupport

/// This run of the machine.
struct Boot: Sendable, Hashable {
    /// The id that the kernel gave it.
    let id: String

    /// The present one.
    static let current = Boot(id: BootID().text)
}

/// The clocks at one moment, to determine when a tap was read.
struct ClockReading: Sendable {
    /// The wall clock.
    var wall: Date
    /// The time since the machine was started.
    var boot: Duration
    var bootID: String
    /// Whether the wall clock is right.
    var isSynchronised: Bool

    /// The clocks of the system now.
    static var now: ClockReading { ClockReading(.system) }

    /// How long ago a tap was read; nil where the clocks cannot know.
    func age(of tap: RecordedTap) -> Duration? {
        if tap.bootID == bootID { return max(.zero, boot - .seconds(tap.bootTime)) }
        guard isSynchronised, tap.clock == .synchronised, let time = Timestamp.date(tap.time) else { return nil }
        return max(.zero, .seconds(wall.timeIntervalSince(time)))
    }

    /// When a tap was read, where its clock was wrong and this one is right; nil if there is nothing to correct.
    func correctedTime(of tap: RecordedTap) -> String? {
        guard tap.clock == .unsynchronised, isSynchronised, tap.bootID == bootID else { return nil }
        return age(of: tap).map { Timestamp.text(wall.addingTimeInterval(-($0 / .seconds(1)))) }
    }
}

extension ClockReading {
    /// The clocks of a service now.
    init(_ time: ServiceTime) {
        self.init(
            wall: time.wall(), boot: time.now(), bootID: Boot.current.id, isSynchronised: WallClock.isSynchronised)
    }
}

/// RFC 3339 in UTC, with milliseconds.
enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ date: Date) -> String { date.formatted(style) }
    static func date(_ text: String) -> Date? {
        (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
    }
}
