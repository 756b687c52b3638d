import NFCReaders

/// How often a session detects a tag that stays in the field: at most about twice a second, however often polling is restarted.
///
/// An iPhone needs that long for a round of polling. Without the limit, a program that restarts polling at each detection would
/// keep the reader and the tag busy with hundreds of detections a second.
struct DetectionPace {
    /// The time between two detections of a tag.
    static let interval = Duration.milliseconds(500)

    private let uptime: Stopwatch
    /// When each tag was detected, as far back as it matters.
    private var detections: [SessionID: [TagArrival: Duration]] = [:]
    private var timers: SessionTimers

    init(clock: any Clock<Duration>, uptime: Stopwatch) {
        self.uptime = uptime
        timers = SessionTimers(clock: clock)
    }

    /// Takes note of the tags that the actions of a session detect.
    mutating func record(_ actions: [SessionMachine.Action], of id: SessionID) {
        let now = uptime.elapsed
        for action in actions {
            guard let arrival = action.detected else { continue }
            let recent = detections[id]?.filter { now - $0.value < Self.interval } ?? [:]
            detections[id] = recent.merging([arrival: now]) { $1 }
        }
    }

    /// A session restarts polling with these tags in the field. They are detected together: none before the last of them may be
    /// detected again.
    ///
    /// - Parameter later: is called when they may be, unless polling is restarted before that, or the session ends.
    /// - Returns: whether they may be detected now.
    mutating func restart(
        _ id: SessionID, with present: [TagArrival], later: @escaping @Sendable () async -> Void
    ) -> Bool {
        timers.stop(id)
        guard let last = present.compactMap({ detections[id]?[$0] }).max() else { return true }
        let pause = last + Self.interval - uptime.elapsed
        guard pause > .zero else { return true }
        timers.start(id, after: pause, later)
        return false
    }

    /// A session is over.
    mutating func forget(_ id: SessionID) {
        timers.stop(id)
        detections[id] = nil
    }
}

extension SessionMachine.Action {
    /// The tag that the action detects.
    fileprivate var detected: TagArrival? {
        switch self {
        case .read(let arrival, _), .connect(let arrival, _): arrival
        case .activate, .release, .notify, .end: nil
        }
    }
}
