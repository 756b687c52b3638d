import NFCProtocol
import Threading

/// The deliveries of one reader's taps to one consumer, one after another.
///
/// A value that uses no clock, randomness or I/O: `step` returns what to do next, and is followed by the method that takes the
/// outcome. While the outcome is awaited, `step` returns nothing.
struct Lane: Sendable {
    /// The limits of a lane.
    struct Limits: Sendable {
        /// After how many refusals a tap is parked.
        var attempts = 5
        /// The longest time between two attempts.
        var longestWait = Duration.seconds(60)
        /// How long positions are remembered.
        var replayWindow = Duration.zero
        /// How many taps are fetched at once.
        var page = 25
        /// The longest time that a receiver may ask for.
        var longestRetryAfter = Duration.seconds(3600)
        /// Within this time a tap that is refused again and again is parked.
        var poisonTime = Duration.seconds(600)
        /// Which taps are delivered; the others are passed over.
        var eligibility = TapEligibility()
    }

    /// What to do next.
    enum Step: Sendable {
        case fetch(after: Int64)
        case announce(LostTaps)
        case deliver(RecordedTap, attempt: Int, isReplay: Bool)
    }

    /// What an outcome means for the consumer.
    enum Verdict: Sendable {
        /// The tap or the announcement is finished.
        case advanced
        /// It is attempted again later.
        case waits(String)
        /// It is to be parked; `parked` or `blocked` follows.
        case poison(RecordedTap, reason: String, attempts: Int)
        /// The receiver refuses everything.
        case held(String)
        /// The receiver is gone.
        case gone(String)
        /// The lane went back meanwhile, so the outcome does not count.
        case stale
    }

    /// What the lane does now.
    private enum Activity {
        case ready
        /// No step begins before this time.
        case waiting(until: Duration)
        /// Taps are fetched; this was the newest known one when that began.
        case fetching(known: Int64)
        case announcing
        case delivering
        case parking
        /// The lane went back meanwhile: the outcome that is awaited does not count.
        case superseded
    }

    /// What was done for the next tap.
    private struct Progress {
        var attempts = 0
        var refusals = 0
        /// Whether the taps that are lost before it were announced.
        var isLossAnnounced = false
    }

    let reader: String
    private(set) var position: LanePosition
    private let limits: Limits
    private var progress: Progress
    private var replayThrough: Int64
    private var milestones: [LaneMilestone]
    /// The newest tap that the journal is known to have.
    private var known: LanePosition
    /// Fetched taps, not yet finished.
    private var page: ArraySlice<RecordedTap> = []
    /// Whether the journal may have taps that are not known.
    private var mayHaveMore = true
    private var activity = Activity.ready
    private var backOff: BackOff

    init(_ saved: SavedLane, limits: Limits, now: Duration) {
        reader = saved.reader
        position = saved.position
        self.limits = limits
        progress = Progress(attempts: saved.attempts, refusals: saved.refusals)
        replayThrough = saved.replayThrough
        milestones = saved.milestones.isEmpty ? [LaneMilestone(position: saved.position, time: now)] : saved.milestones
        known = saved.position
        backOff = BackOff(base: .seconds(1), cap: limits.longestWait)
    }

    /// Whether every known tap is finished.
    var isCaughtUp: Bool { page.isEmpty && known.sequence <= position.sequence && !mayHaveMore }

    /// Whether an outcome is awaited.
    private var isWorking: Bool {
        switch activity {
        case .ready, .waiting: false
        case .fetching, .announcing, .delivering, .parking, .superseded: true
        }
    }

    /// Whether a delivery may be under way.
    var isDelivering: Bool {
        switch activity {
        case .delivering, .superseded: true
        case .ready, .waiting, .fetching, .announcing, .parking: false
        }
    }

    /// When the next step may begin; nil where that does not depend on the time.
    var deadline: Duration? { if case .waiting(let time) = activity { time } else { nil } }

    /// The oldest tap that is not finished, as far as it was fetched.
    var oldest: RecordedTap? { page.first }

    /// How many taps are not finished.
    var backlog: Int {
        guard !page.isEmpty || known.sequence > position.sequence else { return 0 }
        let finished = page.first.map { $0.readerSequence - 1 } ?? position.readerSequence
        guard let finished, let newest = known.readerSequence else { return max(1, page.count) }
        return max(1, page.count, Int(clamping: newest - finished))
    }

    // MARK: Steps

    /// What to do now; nil: nothing, or not before `deadline`.
    mutating func step(now: Duration, epoch: String) -> Step? {
        guard isDue(now) else { return nil }
        guard let tap = page.first else {
            guard !isCaughtUp else { return nil }
            activity = .fetching(known: known.sequence)
            return .fetch(after: position.sequence)
        }
        if let lost = lost(before: tap, epoch) {
            activity = .announcing
            return .announce(lost)
        }
        activity = .delivering
        return .deliver(tap, attempt: progress.attempts, isReplay: tap.sequence <= replayThrough)
    }

    /// Whether the next step would be a delivery or an announcement.
    func isReadyToDeliver(_ now: Duration) -> Bool { !page.isEmpty && isDue(now) }

    private func isDue(_ now: Duration) -> Bool { !isWorking && deadline ?? now <= now }

    private func lost(before tap: RecordedTap, _ epoch: String) -> LostTaps? {
        guard let last = position.readerSequence, tap.readerSequence > last + 1, !progress.isLossAnnounced else {
            return nil
        }
        return LostTaps(epoch: epoch, range: .init(reader: reader, numbers: last + 1...tap.readerSequence - 1))
    }

    // MARK: The journal

    /// The journal has this tap.
    mutating func know(_ sequence: Int64, _ readerSequence: Int64) {
        guard sequence > known.sequence else { return }
        known = LanePosition(sequence: sequence, readerSequence: readerSequence)
    }

    /// Takes fetched taps, which are valid.
    mutating func fetched(_ taps: [RecordedTap], hasMore: Bool) {
        guard case .fetching(let before) = takeOutcome() else { return }
        (page, mayHaveMore) = (taps[...], hasMore && !taps.isEmpty)
        if let last = taps.last { know(last.sequence, last.readerSequence) }
        // What the journal was known to have, and no longer has, was deleted.
        if taps.isEmpty, known.sequence == before { known.sequence = position.sequence }
    }

    /// Fetching failed; it is tried again at this time.
    mutating func fetchFailed(retryAt time: Duration) {
        if case .fetching = takeOutcome() { activity = .waiting(until: time) }
    }

    /// Finishes the taps that come next and that the consumer does not get. One before which taps were lost waits until that is
    /// announced, unless its reader is not the consumer's.
    ///
    /// - Returns: how many, by the reason.
    mutating func passOver(now: Duration, epoch: String) -> [TapEligibility.Omission: Int] {
        var counts: [TapEligibility.Omission: Int] = [:]
        while !isWorking, let tap = page.first, let reason = limits.eligibility.omission(of: tap, now: now),
            reason == .otherReader || lost(before: tap, epoch) == nil
        {
            // The next tap does not wait for the next attempt of this one.
            activity = .ready
            finish(tap)
            counts[reason, default: 0] += 1
        }
        return counts
    }

    /// When the next tap gets too old to be delivered; nil if it does not.
    func nextOmission(_ now: Duration) -> Duration? {
        guard !isWorking, let tap = page.first else { return nil }
        return limits.eligibility.ageLimit?.end(of: tap, now)
    }

    // MARK: Outcomes

    /// Takes what came of a delivery.
    mutating func delivered(_ delivery: Delivery, now: Duration, random: Double) -> Verdict {
        guard case .delivering = takeOutcome(), let tap = page.first else { return .stale }
        progress.attempts += 1
        switch delivery {
        case .delivered:
            finish(tap)
            return .advanced
        case .refused(let reason):
            progress.refusals += 1
            guard progress.refusals < limits.attempts else { return poison(tap, reason) }
            activity = .waiting(until: now + min(backOff.next(random), limits.poisonTime / limits.attempts))
            return .waits(reason)
        case .unacceptable(let reason): return poison(tap, reason)
        case .retry(let reason, let least): return wait(reason, now, random, least)
        case .held(let reason): return .held(reason)
        case .gone(let reason): return .gone(reason)
        }
    }

    /// Takes what came of the announcement of a loss. One that is refused is not repeated.
    mutating func announced(_ delivery: Delivery, now: Duration, random: Double) -> Verdict {
        guard case .announcing = takeOutcome() else { return .stale }
        switch delivery {
        case .delivered, .refused, .unacceptable:
            progress.isLossAnnounced = true
            backOff.reset()
            return .advanced
        case .retry(let reason, let least): return wait(reason, now, random, least)
        case .held(let reason): return .held(reason)
        case .gone(let reason): return .gone(reason)
        }
    }

    private mutating func poison(_ tap: RecordedTap, _ reason: String) -> Verdict {
        activity = .parking
        return .poison(tap, reason: reason, attempts: progress.attempts)
    }

    /// The tap is in the list of parked taps.
    mutating func parked() {
        if case .parking = takeOutcome(), let tap = page.first { finish(tap) }
    }

    /// The tap could not be parked; it is attempted again, not before a time.
    mutating func blocked(retryAt time: Duration?) {
        if case .parking = takeOutcome(), let time { activity = .waiting(until: time) }
    }

    /// Ends the wait of an attempt, at this time at the earliest.
    mutating func hurry(at time: Duration) {
        if let wait = deadline { activity = .waiting(until: min(wait, time)) }
    }

    private mutating func wait(_ reason: String, _ now: Duration, _ random: Double, _ least: Duration?) -> Verdict {
        activity = .waiting(until: now + max(backOff.next(random), min(least ?? .zero, limits.longestRetryAfter)))
        return .waits(reason)
    }

    private mutating func finish(_ tap: RecordedTap) {
        position = LanePosition(sequence: tap.sequence, readerSequence: tap.readerSequence)
        page = page.dropFirst()
        progress = Progress()
        backOff.reset()
    }

    /// Ends what the lane does; returns what that was.
    private mutating func takeOutcome() -> Activity {
        defer { if isWorking { activity = .ready } }
        return activity
    }

    // MARK: Going back

    /// When the last position was saved that it may go back to; nil if there is none.
    var lastMilestone: Duration? { milestones.last?.time }

    /// Delivers what was finished after a moment again.
    mutating func goBack(to moment: Duration) {
        let target = milestones.last { $0.time <= moment } ?? milestones.first
        guard let target, target.position.sequence < position.sequence else { return }
        go(to: target.position)
    }

    /// Delivers every tap after a sequence number again, marked as a replay.
    mutating func replay(after sequence: Int64) {
        guard sequence < position.sequence else { return }
        replayThrough = max(replayThrough, position.sequence)
        go(to: LanePosition(sequence: sequence, readerSequence: nil))
    }

    /// Begins with a new journal.
    mutating func restart() {
        (known, replayThrough, milestones, mayHaveMore) = (LanePosition(sequence: 0), 0, [], true)
        go(to: LanePosition(sequence: 0))
    }

    private mutating func go(to target: LanePosition) {
        position = target
        milestones.removeAll { $0.position.sequence > target.sequence }
        (page, progress) = ([], Progress())
        backOff.reset()
        activity = isWorking ? .superseded : .ready
    }

    // MARK: State

    /// What to save now.
    mutating func saved(now: Duration) -> SavedLane {
        if limits.replayWindow > .zero, milestones.last?.position != position {
            milestones.append(LaneMilestone(position: position, time: now))
            let oldest = milestones.lastIndex { $0.time <= now - limits.replayWindow } ?? 0
            milestones.removeFirst(oldest)
        }
        return SavedLane(
            reader: reader, position: position, attempts: progress.attempts, refusals: progress.refusals,
            replayThrough: replayThrough,
            milestones: limits.replayWindow > .zero ? milestones : [])
    }
}

extension RecordedTap {
    /// Whether its tag has proven itself.
    var isProven: Bool { proof?.isProven == true }
}
