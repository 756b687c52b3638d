import NFCReaders

/// How often a session detects a tag that stays in the field: at most about twice a second, however often polling is restarted.
///
/// An iPhone needs that long for a round of polling. Without the limit, a program that restarts polling at each detection would
/// keep the reader and the tag busy with hundreds of detections a second.
struct DetectionPace: Sendable {
    /// The time between two detections of a tag.
    static let interval = Duration.milliseconds(500)

    /// When each tag was detected, as far back as it matters.
    private var detections: [TagArrival: Duration] = [:]

    /// Takes note of a tag that is detected.
    mutating func record(_ arrival: TagArrival, at now: Duration) {
        detections = detections.filter { now - $0.value < Self.interval }
        detections[arrival] = now
    }

    /// How long to wait before the tags in the field are detected again. They are detected together: none before the last of them may
    /// be.
    func pause(before present: [TagArrival], at now: Duration) -> Duration {
        present.compactMap { detections[$0] }.max().map { max(.zero, $0 + Self.interval - now) } ?? .zero
    }
}
