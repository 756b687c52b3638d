import NFCProtocol
import Threading

/// All deliveries of a consumer: a lane for each reader, and what holds all of them.
///
/// A value: events come in as calls, with the time; each returns what to do. The executor (`Consumer`) does it, and calls the
/// method that takes the outcome.
struct ConsumerMachine: Sendable {
    /// nfcd's journal.
    private struct Journal {
        let epoch: String
        /// Where the lane of a new reader begins.
        var base: Int64
        var scannedThrough: Int64 = 0
        var isOpen = true
    }

    /// The connection to the receiver, if it has one.
    private enum Contact {
        /// Not since the start, and not attempted.
        case none
        /// Not since the start: the attempts failed.
        case failed
        case connected
        case lost(at: Duration)
    }

    /// What was changed since the state was saved.
    private struct Unsaved {
        var taps: Int
        var due: Duration
    }

    private let limits: Limits
    private let random: @Sendable () -> Double
    /// Nil before the first answer of nfcd.
    private var journal: Journal?
    /// Why the receiver can use no tap of the journal; nil: it can.
    private var objection: String?
    private var lostJournals: LostJournals
    private var lanes: [String: Lane] = [:]
    private var gate = Gate()
    private var drain: DrainLimit
    private var contact = Contact.none
    private var parkedTaps: Int
    private var unsaved: Unsaved?
    private var isSaving = false
    /// Whether no more deliveries begin.
    private(set) var isStopping = false
    private(set) var pause: Pause?
    private(set) var counts = Counts()
    private(set) var lastError: NotedError?
    /// Why the receiver cannot be reached; nil: it can, as far as known.
    private(set) var outage: String?

    init(
        _ saved: SavedConsumer?, parked: Int, limits: Limits, now: Duration, random: @escaping @Sendable () -> Double
    ) {
        self.limits = limits
        self.random = random
        drain = DrainLimit(perSecond: limits.drain, now: now)
        parkedTaps = parked
        lostJournals = LostJournals(saved?.lostEpochs ?? [])
        guard let saved else { return }
        journal = Journal(epoch: saved.epoch, base: saved.base, isOpen: false)
        pause = saved.pause
        for lane in saved.lanes { lanes[lane.reader] = Lane(lane, limits: limits.lane, now: now) }
    }

    // MARK: What it is like

    /// The journal that the positions are of; nil before the first answer of nfcd.
    var epoch: String? { journal?.epoch }
    /// Where the lane of a new reader begins.
    var base: Int64 { journal?.base ?? 0 }
    /// Why everything is held; nil: it is not.
    var hold: String? { objection ?? gate.hold?.reason }
    /// How many taps are not finished.
    var backlog: Int { lanes.values.reduce(0) { $0 + $1.backlog } }
    /// The oldest of them, as far as it was fetched.
    var oldest: RecordedTap? { lanes.values.compactMap(\.oldest).min { $0.sequence < $1.sequence } }

    /// Every tap up to this one is finished.
    var acknowledged: Int64 {
        let behind = lanes.values.filter { !$0.isCaughtUp }.map(\.position.sequence)
        return min(behind.min() ?? .max, max(journal?.scannedThrough ?? 0, base))
    }

    /// When `tick` is to be called; nil: not before another event.
    func deadline(after now: Duration) -> Duration? {
        var times = [unsaved?.due, lostJournals.deadline, gate.deadline, drain.deadline] + lanes.values.map(\.deadline)
        times += lanes.values.map { $0.nextOmission(now) }
        return times.compactMap(\.self).filter { $0 > now }.min()
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
        if let old = journal?.epoch, old != name {
            lostJournals.add(old)
            for reader in lanes.keys { lanes[reader]?.restart() }
            counts.lost += 1
            actions.append(.alarm(LostTaps(epoch: old).text))
            journal = Journal(epoch: name, base: 0)
        } else {
            let start = acknowledged ?? (limits.start == .new ? newest : 0)
            journal = journal ?? Journal(epoch: name, base: start)
            journal?.isOpen = true
        }
        for reader in lanes.keys { lanes[reader]?.hurry(at: now) }
        noteChange(now)
        return actions + settle(now)
    }

    /// The receiver can use the taps of the journal, or for this reason none of them: then nothing is delivered before that changes.
    mutating func journalIs(unusable reason: String?, now: Duration) -> [Action] {
        let isNew = reason != objection
        objection = reason
        guard isNew else { return [] }
        lastError = reason.map { NotedError(reason: $0, time: now) } ?? lastError
        return (reason.map { [.alarm($0)] } ?? []) + settle(now)
    }

    /// nfcd does not answer.
    mutating func journalClosed() { journal?.isOpen = false }

    /// The journal has these taps, and nothing else up to a sequence number.
    mutating func journalHas(_ taps: [KnownTap], through sequence: Int64, now: Duration) -> [Action] {
        guard let scanned = journal?.scannedThrough else { return [] }
        for tap in taps { know(tap, now) }
        journal?.scannedThrough = max(scanned, sequence)
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
        lastError = NotedError(reason: reason, time: now)
        return settle(now)
    }

    // MARK: Outcomes

    /// Takes what came of the delivery of a tap.
    mutating func delivered(_ reader: String, _ delivery: Delivery, now: Duration) -> [Action] {
        let verdict = lanes[reader]?.delivered(delivery, now: now, random: random())
        return note(verdict ?? .stale, of: .lane(reader), delivery, \.delivered, now)
    }

    /// Takes what came of the announcement of a loss.
    mutating func announced(_ lost: LostTaps, _ delivery: Delivery, now: Duration) -> [Action] {
        guard let reader = lost.range?.reader else {
            let verdict = lostJournals.announced(lost.epoch, delivery, now: now, random: random())
            return note(verdict, of: .lostJournal, delivery, \.announced, now)
        }
        let verdict = lanes[reader]?.announced(delivery, now: now, random: random())
        return note(verdict ?? .stale, of: .lane(reader), delivery, \.announced, now)
    }

    /// - Parameter counter: counts the attempt if it was successful.
    private mutating func note(
        _ verdict: Lane.Verdict, of attempt: Gate.Attempt, _ delivery: Delivery,
        _ counter: WritableKeyPath<Counts, Int>, _ now: Duration
    ) -> [Action] {
        if let failure = delivery.failure {
            counts.failed[failure.kind, default: 0] += 1
            lastError = NotedError(reason: failure.reason, time: now)
        }
        var actions: [Action] = []
        switch verdict {
        case .advanced:
            counts[keyPath: counter] += 1
            gate.release()
            outage = nil
            noteChange(now, taps: 1)
        case .waits(let reason):
            gate.release()
            outage = reason
        case .poison(let tap, let reason, let attempts):
            gate.release()
            actions = poison(tap, reason, attempts, now)
        case .held(let reason): actions = hold(.refused(reason), now)
        case .gone(let reason):
            pause = .receiverGone(reason)
            gate.release()
            noteChange(now)
            actions = [.alarm(reason)]
        case .stale: gate.discard(attempt, now: now)
        }
        return actions + settle(now)
    }

    /// Holds everything; reports a new reason.
    private mutating func hold(_ hold: Gate.Hold, _ now: Duration) -> [Action] {
        let isNew = gate.hold != hold
        gate.hold(hold, until: now + limits.holdTime)
        return isNew ? [.alarm(hold.reason)] : []
    }

    private mutating func poison(_ tap: RecordedTap, _ reason: String, _ attempts: Int, _ now: Duration) -> [Action] {
        guard parkedTaps < limits.parked else {
            lanes[tap.reader]?.blocked(retryAt: nil)
            return hold(.full(parked: parkedTaps), now)
        }
        parkedTaps += 1
        return [.park(tap, reason: reason, attempts: attempts)]
    }

    /// A tap was added to the list of parked taps; nil, or why not.
    mutating func parked(_ reader: String, failure: String?, now: Duration) -> [Action] {
        if let failure {
            parkedTaps -= 1
            lanes[reader]?.blocked(retryAt: now + limits.fetchWait)
            lastError = NotedError(reason: failure, time: now)
        } else {
            counts.parked += 1
            lanes[reader]?.parked()
            noteChange(now, taps: 1)
        }
        return settle(now)
    }

    /// So many taps are parked now.
    mutating func parkedTapsAre(_ count: Int, now: Duration) -> [Action] {
        parkedTaps = count
        if case .full = gate.hold, count < limits.parked { gate.release() }
        return settle(now)
    }

    // MARK: The receiver

    /// The receiver can be reached.
    mutating func connected(now: Duration) -> [Action] {
        let isBack =
            switch contact {
            case .none, .connected: false
            case .failed, .lost: true
            }
        let start = isBack ? now + limits.reconnectJitter * random() : now
        (contact, outage) = (.connected, nil)
        gate.open(at: start)
        for reader in lanes.keys { lanes[reader]?.hurry(at: start) }
        lostJournals.hurry(at: start)
        return settle(now)
    }

    /// The receiver cannot be reached.
    mutating func disconnected(_ reason: String, now: Duration) {
        loseContact(now)
        (outage, lastError) = (reason, NotedError(reason: reason, time: now))
    }

    /// The receiver refuses every connection.
    mutating func held(_ reason: String, now: Duration) -> [Action] {
        loseContact(now)
        lastError = NotedError(reason: reason, time: now)
        return hold(.refused(reason), now)
    }

    /// A test event could not be delivered. It decides nothing about taps, which may be accepted where a test is not.
    mutating func testFailed(_ reason: String, now: Duration) { lastError = NotedError(reason: reason, time: now) }

    private mutating func loseContact(_ now: Duration) {
        switch contact {
        case .connected: contact = .lost(at: now)
        case .none: contact = .failed
        case .failed, .lost: break
        }
    }

    /// The receiver lost what it had acknowledged within this time before the connection to it was lost: an outage may last longer.
    mutating func receiverLostTaps(within window: Duration, now: Duration) -> [Action] {
        let milestone = lanes.values.compactMap(\.lastMilestone).max() ?? now
        let end = if case .lost(let time) = contact { time } else { min(now, milestone) }
        for reader in lanes.keys { lanes[reader]?.goBack(to: end - window) }
        noteChange(now)
        return settle(now)
    }

    // MARK: People

    /// Stops or starts deliveries.
    mutating func pause(_ isPaused: Bool, now: Duration) -> [Action] {
        pause = isPaused ? pause ?? .byPerson : nil
        if !isPaused { gate.release() }
        noteChange(now)
        return settle(now)
    }

    /// Delivers the taps after a sequence number again.
    mutating func replay(after sequence: Int64, now: Duration) -> [Action] {
        for reader in lanes.keys { lanes[reader]?.replay(after: sequence) }
        let start = min(base, sequence)
        journal?.base = start
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
            lastError = NotedError(reason: failure, time: now)
            unsaved = unsaved ?? Unsaved(taps: 0, due: now + limits.fetchWait)
        }
        return settle(now)
    }

    /// What to save at the end.
    mutating func finalState(now: Duration) -> (SavedConsumer, acknowledged: Int64)? {
        guard let journal else { return nil }
        var saved = SavedConsumer(
            epoch: journal.epoch, base: journal.base, lostEpochs: lostJournals.epochs, pause: pause)
        for reader in lanes.keys.sorted() {
            if let lane = lanes[reader]?.saved(now: now) { saved.lanes.append(lane) }
        }
        return (saved, acknowledged)
    }

    private mutating func noteChange(_ now: Duration, taps: Int = 0) {
        let taps = (unsaved?.taps ?? 0) + taps
        let due = taps >= limits.saveTaps ? now : now + limits.saveTime
        unsaved = Unsaved(taps: taps, due: min(unsaved?.due ?? due, due))
    }

    /// What can begin now.
    private mutating func settle(_ now: Duration) -> [Action] {
        passOver(now)
        var actions: [Action] = []
        if !isSaving, let unsaved, unsaved.due <= now, let (state, acknowledged) = finalState(now: now) {
            (isSaving, self.unsaved) = (true, nil)
            actions.append(.save(state, acknowledged: acknowledged))
        }
        guard !isStopping, let journal else { return actions }
        if mayDeliver(now), let lost = lostJournals.begin(now) {
            gate.begin(.lostJournal)
            actions.append(.announce(lost))
        }
        return actions + readers.compactMap { begin($0, journal, now) }
    }

    /// Finishes taps that the receiver does not get, also while deliveries are held.
    private mutating func passOver(_ now: Duration) {
        guard limits.lane.eligibility.isRestricted, !isStopping, let epoch = journal?.epoch else { return }
        for reader in lanes.keys {
            for (reason, count) in lanes[reader]?.passOver(now: now, epoch: epoch) ?? [:] {
                counts[keyPath: reason.counter] += count
                noteChange(now, taps: count)
            }
        }
    }

    /// The readers in the order in which their deliveries begin: where only one is under way, the reader with the oldest tap is first.
    private var readers: [String] {
        let names = lanes.keys.sorted()
        guard limits.isSerial else { return names }
        let sequences = lanes.mapValues { $0.oldest?.sequence ?? .max }
        return names.sorted { sequences[$0] ?? .max < sequences[$1] ?? .max }
    }

    /// Whether something may be handed to the receiver.
    private func mayDeliver(_ now: Duration) -> Bool { pause == nil && objection == nil && gate.admits(now) }

    /// Whether another delivery has to end first.
    private var isBusy: Bool { limits.isSerial && lanes.values.contains(where: \.isDelivering) }

    private mutating func begin(_ reader: String, _ journal: Journal, _ now: Duration) -> Action? {
        guard var lane = lanes[reader] else { return nil }
        if lane.isReadyToDeliver(now) {
            guard mayDeliver(now), !isBusy, drain.admits(now) else { return nil }
            gate.begin(.lane(reader))
        } else if !journal.isOpen {
            return nil
        }
        let step = lane.step(now: now, epoch: journal.epoch)
        lanes[reader] = lane
        switch step {
        case nil: return nil
        case .fetch(let sequence): return .fetch(reader: reader, after: sequence, limit: limits.lane.page)
        case .announce(let lost):
            counts.lost += lost.range?.numbers.count ?? 0
            return .announce(lost)
        case .deliver(let tap, let attempt, let isReplay):
            return .deliver(tap, attempt: attempt, isReplay: isReplay)
        }
    }
}
