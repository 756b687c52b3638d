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
    }

    /// What to do next.
    enum Step: Sendable {
        case fetch(after: Int64)
        case announce(LostTaps)
        case deliver(RecordedTap, attempt: Int, isReplay: Bool)
    }

    /// What an outcome means for the consumer.
    enum Verdict: Sendable, Equatable {
        /// The tap is finished.
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

        static func == (one: Verdict, other: Verdict) -> Bool { "\(one)" == "\(other)" }
    }

    let reader: String
    private(set) var position: LanePosition
    private let limits: Limits
    private var attempts: Int
    private var refusals: Int
    private var replayThrough: Int64
    private var milestones: [LaneMilestone]
    /// The newest tap that the journal is known to have.
    private var known: LanePosition
    /// Fetched taps, not yet finished.
    private var page: ArraySlice<RecordedTap> = []
    private var knownAtFetch: Int64 = 0
    /// Whether the journal may have taps that are not known.
    private var mayHaveMore = true
    private var isBusy = false
    private var isStale = false
    private var backOff: BackOff
    /// No attempt before this time.
    private(set) var notBefore: Duration?
    /// Losses before this tap have been announced.
    private var announcedBefore: Int64?

    init(_ saved: SavedLane, limits: Limits, now: Duration) {
        reader = saved.reader
        position = saved.position
        self.limits = limits
        attempts = saved.attempts
        refusals = saved.refusals
        replayThrough = saved.replayThrough
        milestones = saved.milestones.isEmpty ? [LaneMilestone(position: saved.position, time: now)] : saved.milestones
        known = saved.position
        backOff = BackOff(base: .seconds(1), cap: limits.longestWait)
    }

    /// Whether every known tap is finished.
    var isCaughtUp: Bool { page.isEmpty && known.sequence <= position.sequence && !mayHaveMore }

    /// Whether an outcome is awaited.
    var isWorking: Bool { isBusy }

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

    /// What to do now; nil: nothing, or not before `notBefore`.
    mutating func step(now: Duration, epoch: String) -> Step? {
        guard !isBusy, isDue(now) else { return nil }
        guard let tap = page.first else {
            guard !isCaughtUp else { return nil }
            isBusy = true
            knownAtFetch = known.sequence
            return .fetch(after: position.sequence)
        }
        isBusy = true
        if let lost = lost(before: tap, epoch) { return .announce(lost) }
        return .deliver(tap, attempt: attempts, isReplay: tap.sequence <= replayThrough)
    }

    /// Whether the next step would be a delivery or an announcement.
    func isReadyToDeliver(_ now: Duration) -> Bool { !isBusy && !page.isEmpty && isDue(now) }

    private func isDue(_ now: Duration) -> Bool { notBefore.map { $0 <= now } ?? true }

    private func lost(before tap: RecordedTap, _ epoch: String) -> LostTaps? {
        guard let last = position.readerSequence, tap.readerSequence > last + 1, announcedBefore != tap.sequence else {
            return nil
        }
        return LostTaps(epoch: epoch, reader: reader, first: last + 1, last: tap.readerSequence - 1)
    }

    // MARK: The journal

    /// The journal has this tap.
    mutating func know(_ sequence: Int64, _ readerSequence: Int64) {
        guard sequence > known.sequence else { return }
        known = LanePosition(sequence: sequence, readerSequence: readerSequence)
    }

    /// Takes fetched taps, which are valid.
    mutating func fetched(_ taps: [RecordedTap], hasMore: Bool) {
        guard takesOutcome() else { return }
        (notBefore, page, mayHaveMore) = (nil, taps[...], hasMore && !taps.isEmpty)
        if let last = taps.last { know(last.sequence, last.readerSequence) }
        // What the journal was known to have, and no longer has, was deleted.
        if taps.isEmpty, known.sequence == knownAtFetch { known.sequence = position.sequence }
    }

    /// Fetching failed; it is tried again at this time.
    mutating func fetchFailed(retryAt time: Duration) {
        if takesOutcome() { notBefore = time }
    }

    // MARK: Outcomes

    /// Takes what came of a delivery.
    mutating func delivered(_ delivery: Delivery, now: Duration, random: Double) -> Verdict {
        guard takesOutcome(), let tap = page.first else { return .stale }
        attempts += 1
        switch delivery {
        case .delivered:
            finish(tap)
            return .advanced
        case .retry(let reason, let least):
            wait(now, random, least)
            return .waits(reason)
        case .refused(let reason):
            refusals += 1
            guard refusals < limits.attempts else { return poison(tap, reason) }
            notBefore = now + min(backOff.next(random), limits.poisonTime / limits.attempts)
            return .waits(reason)
        case .unacceptable(let reason): return poison(tap, reason)
        case .held(let reason): return .held(reason)
        case .gone(let reason): return .gone(reason)
        }
    }

    /// Takes what came of the announcement of a loss. One that is refused is not repeated.
    mutating func announced(_ delivery: Delivery, now: Duration, random: Double) -> Verdict {
        guard takesOutcome(), let tap = page.first else { return .stale }
        switch delivery {
        case .delivered, .refused, .unacceptable:
            announcedBefore = tap.sequence
            backOff.reset()
            return .advanced
        case .retry(let reason, let least):
            wait(now, random, least)
            return .waits(reason)
        case .held(let reason): return .held(reason)
        case .gone(let reason): return .gone(reason)
        }
    }

    private mutating func poison(_ tap: RecordedTap, _ reason: String) -> Verdict {
        // The lane stays busy until it is known whether the tap could be parked.
        isBusy = true
        return .poison(tap, reason: reason, attempts: attempts)
    }

    /// The tap is in the list of parked taps.
    mutating func parked() {
        guard takesOutcome(), let tap = page.first else { return }
        finish(tap)
    }

    /// The tap could not be parked; it is attempted again.
    mutating func blocked(retryAt time: Duration?) {
        if takesOutcome() { notBefore = time }
    }

    /// Ends the wait of an attempt, at this time at the earliest.
    mutating func hurry(at time: Duration) {
        guard let wait = notBefore else { return }
        notBefore = min(wait, time)
    }

    private mutating func wait(_ now: Duration, _ random: Double, _ least: Duration?) {
        notBefore = now + max(backOff.next(random), min(least ?? .zero, limits.longestRetryAfter))
    }

    private mutating func finish(_ tap: RecordedTap) {
        position = LanePosition(sequence: tap.sequence, readerSequence: tap.readerSequence)
        page = page.dropFirst()
        (attempts, refusals, notBefore) = (0, 0, nil)
        backOff.reset()
    }

    private mutating func takesOutcome() -> Bool {
        defer { (isBusy, isStale) = (false, false) }
        return isBusy && !isStale
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
        (page, attempts, refusals, notBefore, announcedBefore) = ([], 0, 0, nil, nil)
        backOff.reset()
        isStale = isBusy
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
            reader: reader, position: position, attempts: attempts, refusals: refusals, replayThrough: replayThrough,
            milestones: limits.replayWindow > .zero ? milestones : [])
    }
}
