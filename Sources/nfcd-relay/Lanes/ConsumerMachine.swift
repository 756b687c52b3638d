import NFCProtocol
import Threading

/// All deliveries of a consumer: a lane for each reader, and what holds all of them.
///
/// A value: events come in as calls, with the time; each returns what to do. The executor (`Consumer`) does it, and calls the
/// method that takes the outcome.
struct ConsumerMachine: Sendable {
    private let limits: Limits
    private let random: @Sendable () -> Double
    /// The journal that the positions are of; nil before the first answer of nfcd.
    private(set) var epoch: String?
    /// Where the lane of a new reader begins.
    private(set) var base: Int64 = 0
    private var lostEpoch: String?
    private var lostBackOff = BackOff(base: .seconds(1), cap: .seconds(60))
    private var lostNotBefore: Duration?
    private var isAnnouncingEpoch = false
    private var lanes: [String: Lane] = [:]
    private var gate = Gate()
    private var drain: DrainLimit
    private var isJournalOpen = false
    private var scannedThrough: Int64 = 0
    private var wasDisconnected = false
    private var isConnected = false
    /// When the connection to the receiver was lost; nil: not since the start.
    private var lostContact: Duration?
    private var isStopping = false
    private var parkedTaps: Int
    private var unsaved = 0
    private var saveAt: Duration?
    private var isSaving = false
    /// Whether the drain limit holds a delivery up.
    private var isDraining = false
    private(set) var pause: String?
    private(set) var counts = Counts()
    private(set) var lastError: String?
    /// Why the receiver cannot be reached; nil: it can, as far as known.
    private(set) var outage: String?

    init(
        _ saved: SavedConsumer?, parked: Int, limits: Limits, now: Duration, random: @escaping @Sendable () -> Double
    ) {
        self.limits = limits
        self.random = random
        drain = DrainLimit(perSecond: limits.drain, now: now)
        parkedTaps = parked
        guard let saved else { return }
        (epoch, base, lostEpoch, pause) = (saved.epoch, saved.base, saved.lostEpoch, saved.pause)
        for lane in saved.lanes { lanes[lane.reader] = Lane(lane, limits: limits.lane, now: now) }
    }

    // MARK: What it is like

    /// Why everything is held; nil: it is not.
    var hold: String? { gate.reason }
    /// How many taps are not finished.
    var backlog: Int { lanes.values.reduce(0) { $0 + $1.backlog } }
    /// The oldest of them, as far as it was fetched.
    var oldest: RecordedTap? { lanes.values.compactMap(\.oldest).min { $0.sequence < $1.sequence } }
    /// Whether an outcome is awaited.
    var isWorking: Bool { isAnnouncingEpoch || lanes.values.contains(where: \.isWorking) }

    /// Every tap up to this one is finished.
    var acknowledged: Int64 {
        let behind = lanes.values.filter { !$0.isCaughtUp }.map(\.position.sequence)
        return min(behind.min() ?? .max, max(scannedThrough, base))
    }

    /// When `tick` is to be called; nil: not before another event.
    func deadline(after now: Duration) -> Duration? {
        var times =
            lanes.values.compactMap { $0.isWorking ? nil : $0.notBefore } + [saveAt, lostNotBefore].compactMap(\.self)
        if let time = gate.deadline { times.append(time) }
        if isDraining { times.append(drain.deadline) }
        return times.filter { $0 > now }.min()
    }

    // MARK: The journal

    /// nfcd answers: with this journal, up to this tap.
    ///
    /// - Parameter acknowledged: what nfcd knows to be delivered to this consumer; nil: it does not know the consumer. A consumer
    ///   without a saved state begins there.
    mutating func journalOpened(
        _ name: String, newest: Int64, acknowledged: Int64? = nil, now: Duration
    ) -> [Action] {
        var actions: [Action] = []
        isJournalOpen = true
        if let old = epoch, old != name {
            lostEpoch = lostEpoch ?? old
            (base, scannedThrough) = (0, 0)
            for reader in lanes.keys { lanes[reader]?.restart() }
            counts.lost += 1
            actions.append(.alarm(LostTaps(epoch: old).text))
        } else if epoch == nil {
            base = acknowledged ?? (limits.start == .new ? newest : 0)
        }
        epoch = name
        for reader in lanes.keys { lanes[reader]?.hurry(at: now) }
        noteChange(now)
        return actions + settle(now)
    }

    /// nfcd does not answer.
    mutating func journalClosed() { isJournalOpen = false }

    /// The journal has these taps, and nothing else up to a sequence number.
    mutating func journalHas(_ taps: [KnownTap], through sequence: Int64, now: Duration) -> [Action] {
        guard epoch != nil else { return [] }
        for tap in taps { know(tap, now) }
        scannedThrough = max(scannedThrough, sequence)
        return settle(now)
    }

    private mutating func know(_ tap: KnownTap, _ now: Duration) {
        if lanes[tap.reader] == nil {
            guard tap.sequence > base else { return }
            let saved = SavedLane(reader: tap.reader, position: LanePosition(sequence: base))
            lanes[tap.reader] = Lane(saved, limits: limits.lane, now: now)
        }
        lanes[tap.reader]?.know(tap.sequence, tap.readerSequence)
    }

    /// Takes a page of a reader's taps.
    mutating func fetched(_ page: TapsList.Result, reader: String, now: Duration) -> [Action] {
        guard var lane = lanes[reader] else { return [] }
        guard page.epoch == epoch else {
            lanes[reader]?.fetchFailed(retryAt: now + limits.fetchWait)
            return settle(now)
        }
        do throws(InvalidPage) {
            try page.validate(reader: reader, after: lane.position.sequence, limit: limits.lane.page)
            lane.fetched(page.taps, hasMore: page.hasMore)
            lanes[reader] = lane
            return settle(now)
        } catch {
            return fetchFailed(reader, "\(error)", now: now)
        }
    }

    /// A page could not be fetched.
    mutating func fetchFailed(_ reader: String, _ reason: String, now: Duration) -> [Action] {
        lanes[reader]?.fetchFailed(retryAt: now + limits.fetchWait)
        lastError = reason
        return settle(now)
    }

    // MARK: Outcomes

    /// Takes what came of the delivery of a tap.
    mutating func delivered(_ reader: String, _ delivery: Delivery, now: Duration) -> [Action] {
        guard let verdict = lanes[reader]?.delivered(delivery, now: now, random: random()) else { return [] }
        if verdict == .advanced { counts.delivered += 1 }
        return note(verdict, delivery, now)
    }

    /// Takes what came of the announcement of a loss.
    mutating func announced(_ lost: LostTaps, _ delivery: Delivery, now: Duration) -> [Action] {
        guard let reader = lost.reader else { return epochAnnounced(delivery, now) }
        guard let verdict = lanes[reader]?.announced(delivery, now: now, random: random()) else { return [] }
        if verdict == .advanced { counts.announced += 1 }
        return note(verdict, delivery, now)
    }

    private mutating func epochAnnounced(_ delivery: Delivery, _ now: Duration) -> [Action] {
        isAnnouncingEpoch = false
        switch delivery {
        case .delivered, .refused, .unacceptable:
            (lostEpoch, lostNotBefore) = (nil, nil)
            counts.announced += 1
            return note(.advanced, delivery, now)
        case .retry(let reason, let least):
            lostNotBefore = now + max(lostBackOff.next(random()), least ?? .zero)
            return note(.waits(reason), delivery, now)
        case .held(let reason): return note(.held(reason), delivery, now)
        case .gone(let reason): return note(.gone(reason), delivery, now)
        }
    }

    private mutating func note(_ verdict: Lane.Verdict, _ delivery: Delivery, _ now: Duration) -> [Action] {
        if let kind = delivery.failureKind { counts.failed[kind, default: 0] += 1 }
        if let reason = delivery.reason { lastError = reason }
        var actions: [Action] = []
        switch verdict {
        case .advanced:
            gate.release()
            outage = nil
            noteChange(now, taps: 1)
        case .waits(let reason):
            gate.release()
            outage = reason
        case .poison(let tap, let reason, let attempts):
            gate.release()
            actions.append(poison(tap, reason, attempts, now))
        case .held(let reason):
            if gate.reason != reason { actions.append(.alarm(reason)) }
            gate.hold(reason, until: now + limits.holdTime)
        case .gone(let reason):
            pause = reason
            gate.release()
            noteChange(now)
            actions.append(.alarm(reason))
        case .stale: gate.release()
        }
        return actions + settle(now)
    }

    private mutating func poison(_ tap: RecordedTap, _ reason: String, _ attempts: Int, _ now: Duration) -> Action {
        guard parkedTaps < limits.parked else {
            lanes[tap.reader]?.blocked(retryAt: nil)
            let words = "\(parkedTaps) taps are parked, the limit; run nfcctl relay parked, then unpark them"
            gate.hold(words, until: now + limits.holdTime)
            return .alarm(words)
        }
        parkedTaps += 1
        return .park(tap, reason: reason, attempts: attempts)
    }

    /// A tap was added to the list of parked taps; nil, or why not.
    mutating func parked(_ reader: String, failure: String?, now: Duration) -> [Action] {
        if let failure {
            parkedTaps -= 1
            lanes[reader]?.blocked(retryAt: now + limits.fetchWait)
            lastError = failure
        } else {
            counts.parked += 1
            lanes[reader]?.parked()
            noteChange(now, taps: 1)
        }
        return settle(now)
    }

    /// So many taps are parked now.
    mutating func parkedTapsAre(_ count: Int, now: Duration) -> [Action] {
        if count < parkedTaps, parkedTaps >= limits.parked { gate.release() }
        parkedTaps = count
        return settle(now)
    }

    // MARK: The receiver

    /// The receiver can be reached.
    mutating func connected(now: Duration) -> [Action] {
        let wait = wasDisconnected ? limits.reconnectJitter * random() : .zero
        (wasDisconnected, isConnected, outage) = (false, true, nil)
        gate.open(at: now + wait)
        for reader in lanes.keys { lanes[reader]?.hurry(at: now + wait) }
        if lostNotBefore != nil { lostNotBefore = now + wait }
        return settle(now)
    }

    /// The receiver cannot be reached.
    mutating func disconnected(_ reason: String, now: Duration) {
        if isConnected { lostContact = now }
        (wasDisconnected, isConnected, outage, lastError) = (true, false, reason, reason)
    }

    /// The receiver refuses everything.
    mutating func held(_ reason: String, now: Duration) -> [Action] {
        lastError = reason
        let isNew = gate.reason != reason
        gate.hold(reason, until: now + limits.holdTime)
        return isNew ? [.alarm(reason)] : []
    }

    /// The receiver lost what it had acknowledged within this time before the connection to it was lost: an outage may last longer.
    mutating func receiverLostTaps(within window: Duration, now: Duration) -> [Action] {
        let end = min(now, lostContact ?? lanes.values.compactMap(\.lastMilestone).max() ?? now)
        for reader in lanes.keys { lanes[reader]?.goBack(to: end - window) }
        noteChange(now)
        return settle(now)
    }

    // MARK: People

    /// Stops or starts deliveries.
    mutating func pause(_ isPaused: Bool, now: Duration) -> [Action] {
        pause = isPaused ? pause ?? "" : nil
        if !isPaused { gate.release() }
        noteChange(now)
        return settle(now)
    }

    /// Delivers the taps after a sequence number again.
    mutating func replay(after sequence: Int64, now: Duration) -> [Action] {
        for reader in lanes.keys { lanes[reader]?.replay(after: sequence) }
        base = min(base, sequence)
        noteChange(now)
        return settle(now)
    }

    /// Begins no more deliveries.
    mutating func stop() { isStopping = true }

    // MARK: Time

    /// A deadline has passed.
    mutating func tick(now: Duration) -> [Action] { settle(now) }

    /// The state was saved, or was not.
    mutating func saved(failure: String?, now: Duration) -> [Action] {
        isSaving = false
        if let failure {
            lastError = failure
            saveAt = saveAt ?? now + limits.fetchWait
        }
        return settle(now)
    }

    /// What to save at the end.
    mutating func finalState(now: Duration) -> (SavedConsumer, acknowledged: Int64)? {
        snapshot(now)
    }

    private mutating func noteChange(_ now: Duration, taps: Int = 0) {
        unsaved += taps
        saveAt = min(saveAt ?? .seconds(Int64.max / 4), unsaved >= limits.saveTaps ? now : now + limits.saveTime)
    }

    private mutating func snapshot(_ now: Duration) -> (SavedConsumer, acknowledged: Int64)? {
        guard let epoch else { return nil }
        var saved = SavedConsumer(epoch: epoch, base: base, lostEpoch: lostEpoch, pause: pause)
        for reader in lanes.keys.sorted() {
            if let lane = lanes[reader]?.saved(now: now) { saved.lanes.append(lane) }
        }
        return (saved, acknowledged)
    }

    /// What can begin now.
    private mutating func settle(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        if !isSaving, let time = saveAt, time <= now, let (state, acknowledged) = snapshot(now) {
            (isSaving, saveAt, unsaved) = (true, nil, 0)
            actions.append(.save(state, acknowledged: acknowledged))
        }
        guard !isStopping, let epoch else { return actions }
        isDraining = false
        if let action = announceEpoch(now) { actions.append(action) }
        for reader in lanes.keys.sorted() {
            if let action = begin(reader, epoch, now) { actions.append(action) }
        }
        return actions
    }

    private mutating func announceEpoch(_ now: Duration) -> Action? {
        guard let lostEpoch, !isAnnouncingEpoch, pause == nil, lostNotBefore.map({ $0 <= now }) ?? true,
            gate.admits(now)
        else { return nil }
        (isAnnouncingEpoch, lostNotBefore) = (true, nil)
        return .announce(LostTaps(epoch: lostEpoch))
    }

    private mutating func begin(_ reader: String, _ epoch: String, _ now: Duration) -> Action? {
        guard var lane = lanes[reader] else { return nil }
        if lane.isReadyToDeliver(now) {
            guard pause == nil, gate.wouldAdmit(now) else { return nil }
            guard drain.admits(now) else {
                isDraining = true
                return nil
            }
            _ = gate.admits(now)
        } else if !isJournalOpen {
            return nil
        }
        let step = lane.step(now: now, epoch: epoch)
        lanes[reader] = lane
        switch step {
        case nil: return nil
        case .fetch(let sequence): return .fetch(reader: reader, after: sequence, limit: limits.lane.page)
        case .announce(let lost):
            counts.lost += Int(clamping: (lost.last ?? 0) - (lost.first ?? 0) + 1)
            return .announce(lost)
        case .deliver(let tap, let attempt, let isReplay):
            return .deliver(tap, attempt: attempt, isReplay: isReplay)
        }
    }
}
