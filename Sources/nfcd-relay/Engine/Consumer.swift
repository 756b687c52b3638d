import FoundationEssentials
import Logging
import NFCProtocol
import NFCTypes
import RelayProtocol
import ServiceClient
import ServiceSupport

/// Does what a consumer's machine decides: fetches taps, hands them to the sink, and saves how far it is.
actor Consumer: SinkObserver {
    /// How long deliveries under way may take when the relay stops.
    private static let stopTime = Duration.seconds(5)

    private let sink: any Sink
    private let settings: ConsumerSettings
    private let eligibility: TapEligibility
    private let identity: RelayIdentity
    private let daemon: DaemonLink
    private let state: StateFile
    private let time: ServiceTime
    private let logger: Logger
    private var machine: ConsumerMachine
    private var work: [Int: Work] = [:]
    private var nextWork = 0
    private var alarm: (deadline: Duration, task: Task<Void, Never>)?
    private var wasFailing = false
    private let stopped = AsyncStream.makeStream(of: Never.self)
    private var retries = ParkedRetries()

    /// Something that is under way.
    private struct Work {
        let task: Task<Void, Never>
        /// Whether it hands something of a lane to the sink.
        let isDelivery: Bool
    }

    /// A consumer with what was saved of it.
    init(
        _ settings: ConsumerSettings, sink: any Sink, machine: ConsumerMachine, identity: RelayIdentity,
        daemon: DaemonLink, state: StateFile, time: ServiceTime, logger: Logger
    ) {
        self.sink = sink
        self.settings = settings
        eligibility = TapEligibility(settings, time)
        self.machine = machine
        self.identity = identity
        self.daemon = daemon
        self.state = state
        self.time = time
        self.logger = logger
    }

    nonisolated var name: String { settings.name }
    nonisolated var kind: RelayStatus.Kind { type(of: settings.sink).kind }
    /// The readers whose taps it gets, by id or name; nil: all.
    nonisolated var readers: Set<String>? { settings.readers }

    /// The name that nfcd knows it by.
    nonisolated var daemonName: String { "relay:\(name)" }

    // MARK: Life

    /// Delivers until `stop`, then completes the deliveries under way and saves the state.
    func run() async {
        let receiver = Task { await sink.run(self) }
        retryParked()
        for await _ in stopped.stream {}
        machine.stop()
        alarm?.task.cancel()
        await completeWork()
        receiver.cancel()
        await receiver.value
        if machine.epoch != nil { await save() }
    }

    /// Begins to stop; `run` returns soon.
    nonisolated func stop() { stopped.continuation.finish() }

    private func completeWork() async {
        let tasks = work.values.map(\.task)
        let limit = Task { [time] in
            try? await time.sleep(Self.stopTime)
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        limit.cancel()
    }

    // MARK: The journal

    /// nfcd answers: with this journal, up to this tap. `acknowledged` is what it knows of this consumer.
    ///
    /// - Returns: where it begins with readers that it has not seen, and whether it has not seen this journal before.
    func journalOpened(
        _ epoch: String, newest: Int64, acknowledged: Int64?
    ) -> (start: Int64, isNew: Bool) {
        let isNew = machine.epoch != epoch
        perform(machine.journalOpened(epoch, newest: newest, acknowledged: acknowledged, now: time.now()))
        return (machine.base, isNew)
    }

    /// The journal stores UIDs in this form; nil: nfcd does not report it.
    func journalStores(_ form: IdentifierForm?) {
        perform(machine.journalIs(unusable: form.flatMap { settings.sink.objection(to: $0) }, now: time.now()))
    }

    func journalClosed() { machine.journalClosed() }

    func journalHas(_ taps: [KnownTap], through sequence: Int64) {
        perform(machine.journalHas(taps, through: sequence, now: time.now()))
    }

    // MARK: The receiver

    func connected() {
        perform(machine.connected(now: time.now()))
        noteSuccess("connected")
        retryParked()
    }

    func disconnected(_ reason: String) {
        machine.disconnected(reason, now: time.now())
        noteFailure(reason)
    }

    func held(_ reason: String) { perform(machine.held(reason, now: time.now())) }

    func receiverLostTaps(within window: Duration) async -> Bool {
        logger.notice(
            "\(name): the receiver lost its session; taps of the last \(window.wholeSeconds) s are delivered again")
        let deliveries = work.values.filter(\.isDelivery)
        perform(machine.receiverLostTaps(within: window, now: time.now()))
        for delivery in deliveries { await delivery.task.value }
        return (try? await store()) != nil
    }

    // MARK: Actions

    private func perform(_ actions: [ConsumerMachine.Action]) {
        for action in actions {
            if case .alarm(let reason) = action {
                logger.error("\(name): \(reason)")
            } else {
                begin(isDelivery: action.isDelivery) { await $0.perform(action) }
            }
        }
        setAlarm()
    }

    private func begin(isDelivery: Bool = false, _ body: @escaping @Sendable (Consumer) async -> Void) {
        nextWork += 1
        let number = nextWork
        let task = Task {
            await body(self)
            work[number] = nil
        }
        work[number] = Work(task: task, isDelivery: isDelivery)
    }

    private func perform(_ action: ConsumerMachine.Action) async {
        switch action {
        case .fetch(let reader, let sequence, let limit): await fetch(reader, after: sequence, limit)
        case .deliver(let tap, let attempt, let isReplay): await deliver(tap, attempt, isReplay)
        case .announce(let lost): await announce(lost)
        case .park(let tap, let reason, let attempts): await park(tap, reason, attempts)
        case .save: await save()
        case .alarm: break
        }
    }

    private func fetch(_ reader: String, after sequence: Int64, _ limit: Int) async {
        do {
            let page = try await KillPoint.around {
                try await daemon.call(TapsList.self, .init(after: sequence, readers: [reader], limit: limit))
            }
            perform(machine.fetched(page, reader: reader, now: time.now()))
        } catch {
            logger.debug("\(name): the taps of \(reader) cannot be fetched: \(error)")
            perform(machine.fetchFailed(reader, "\(error)", now: time.now()))
        }
    }

    private func deliver(_ tap: RecordedTap, _ attempt: Int, _ isReplay: Bool) async {
        let delivery = await attemptDelivery(of: tap, attempt, isReplay)
        if machine.isStopping, Task.isCancelled { return }
        log(delivery, "tap \(tap.sequence) of \(tap.reader)")
        perform(machine.delivered(tap.reader, delivery, now: time.now()))
    }

    private func attemptDelivery(of tap: RecordedTap, _ attempt: Int, _ isReplay: Bool) async -> Delivery {
        // A tap may have been parked before the consumer required a proof.
        guard !eligibility.requiresProof || tap.isProven else { return .delivered("passed over, without a proof") }
        do {
            let event = try TapEvent(
                tap, identity, attempt: attempt, isReplay: isReplay, clocks: ClockReading(time))
            return await KillPoint.around { await sink.deliver(event) }
        } catch {
            return .unacceptable("it cannot be encoded: \(error)")
        }
    }

    /// A parked tap that got too old, or is of another reader by now, stays parked: a person asked for its delivery, and sees why it is not
    /// delivered.
    private func attemptAgain(_ parked: ParkedTap) async -> Delivery {
        switch eligibility.omission(of: parked.tap, now: time.now()) {
        case .tooOld: return .unacceptable("it is older than the consumer's max-age; discard it")
        case .otherReader:
            return .unacceptable("reader \(parked.tap.reader) is not one of the consumer's readers; discard it")
        case .unproven, nil: break
        }
        return await attemptDelivery(of: parked.tap, parked.summary.attempts, false)
    }

    private func announce(_ lost: LostTaps) async {
        let delivery: Delivery
        do {
            let notice = try RelayNotice(lost, identity, time: Timestamp.text(time.wall()))
            delivery = await KillPoint.around { await sink.deliver(notice) }
        } catch {
            delivery = .unacceptable("it cannot be encoded: \(error)")
        }
        logger.error("\(name): \(lost.text)")
        log(delivery, "the announcement of lost taps")
        perform(machine.announced(lost, delivery, now: time.now()))
    }

    private func park(_ tap: RecordedTap, _ reason: String, _ attempts: Int) async {
        do {
            let parked = ParkedTap(tap, time: Timestamp.text(time.wall()), attempts: attempts, reason: reason)
            try await KillPoint.around { try await state.park(parked, of: name) }
            logger.error(
                "\(name): tap \(tap.sequence) of \(tap.reader) was parked after \(attempts) attempts: \(reason); see nfcctl relay parked"
            )
            perform(machine.parked(tap.reader, failure: nil, now: time.now()))
        } catch {
            let words = "a refused tap cannot be parked: \(error); free some space on the disk of the state file"
            logger.error("\(name): \(words)")
            perform(machine.parked(tap.reader, failure: words, now: time.now()))
        }
    }

    /// Stores the present state, which may be newer than that of the action that asks for it: the last one that is written is the newest.
    ///
    /// - Returns: the sequence number up to which nfcd may forget taps then.
    /// - Throws: why it could not be stored, after logging it.
    private func store() async throws(StateFile.Failure) -> Int64 {
        // Without a journal there is no position.
        guard let (saved, acknowledged) = machine.finalState(now: time.now()) else { return 0 }
        do {
            try await KillPoint.around { try await state.save(saved, of: name) }
            return acknowledged
        } catch {
            let words = "the state file cannot be written: \(error); taps may be delivered again after a restart"
            logger.error("\(name): \(words)")
            throw StateFile.Failure(description: words)
        }
    }

    private func save() async {
        let acknowledged: Int64
        do throws(StateFile.Failure) {
            acknowledged = try await store()
        } catch {
            return perform(machine.saved(failure: error.description, now: time.now()))
        }
        perform(machine.saved(failure: nil, now: time.now()))
        // nfcd may forget taps once they are acknowledged.
        do {
            try await KillPoint.around {
                _ = try await daemon.call(TapsAcknowledge.self, .init(consumer: daemonName, sequence: acknowledged))
            }
        } catch {
            logger.debug("\(name): nfcd does not take the acknowledgement of tap \(acknowledged): \(error)")
        }
    }

    // MARK: Time

    private func setAlarm() {
        guard !machine.isStopping, let deadline = machine.deadline(after: time.now()) else { return }
        if let alarm, alarm.deadline <= deadline { return }
        alarm?.task.cancel()
        let wait = deadline - time.now()
        let task = Task { [time] in
            guard (try? await time.sleep(max(.zero, wait))) != nil else { return }
            ring()
        }
        alarm = (deadline, task)
    }

    private func ring() {
        alarm = nil
        perform(machine.tick(now: time.now()))
    }

    // MARK: Logs

    private func log(_ delivery: Delivery, _ what: String) {
        guard let reason = delivery.failure?.reason else { return noteSuccess("delivers again") }
        logger.debug("\(name): \(what): \(reason)")
        noteFailure(reason)
    }

    private func noteFailure(_ reason: String) {
        if !wasFailing { logger.warning("\(name): \(reason)") }
        wasFailing = true
    }

    private func noteSuccess(_ words: String) {
        if wasFailing { logger.notice("\(name): \(words)") }
        wasFailing = false
    }

    // MARK: People

    /// Its state.
    func status() async -> RelayStatus.Consumer {
        let error = machine.lastError
        let errorTime = error.map { Timestamp.text(time.wall() - ((time.now() - $0.time) / .seconds(1))) }
        return RelayStatus.Consumer(
            name: name, kind: kind, state: stateWord, backlog: machine.backlog, oldest: machine.oldest?.time,
            delivered: machine.counts.delivered, ofOtherReaders: leftOut(.otherReader), passedOver: leftOut(.unproven),
            tooOld: leftOut(.tooOld),
            parked: (try? await state.parkedCount(of: name)) ?? 0,
            lastError: error?.reason, lastErrorTime: errorTime)
    }

    /// How many taps were left out for a reason; nil: none.
    private func leftOut(_ reason: TapEligibility.Omission) -> Int? {
        let count = machine.counts[keyPath: reason.counter]
        return count == 0 ? nil : count
    }

    private var stateWord: RelayStatus.State {
        if machine.pause != nil { return .paused }
        if machine.hold != nil { return .held }
        return machine.outage == nil ? .connected : .waiting
    }

    /// What its metrics show.
    func figures() async -> MetricsText.Consumer {
        let age = machine.oldest.flatMap { ClockReading(time).age(of: $0) } ?? .zero
        return (await status(), machine.counts, age / .seconds(1))
    }

    /// Delivers a test event once. A failure is the last error that the status shows; the lanes continue.
    func test() async -> Delivery {
        let delivery = await testDelivery()
        if let reason = delivery.failure?.reason { machine.testFailed(reason, now: time.now()) }
        return delivery
    }

    private func testDelivery() async -> Delivery {
        do {
            return await sink.deliver(try RelayNotice(testing: name, identity, time: Timestamp.text(time.wall())))
        } catch {
            return .unacceptable("\(error)")
        }
    }

    /// Stops or starts deliveries.
    func pause(_ isPaused: Bool) {
        perform(machine.pause(isPaused, now: time.now()))
        if !isPaused { retryParked() }
    }

    /// Delivers the taps after a sequence number again.
    func replay(after sequence: Int64) { perform(machine.replay(after: sequence, now: time.now())) }

    /// Parked taps were removed, or are to be delivered again.
    func parkedTapsChanged() async {
        if let count = try? await state.parkedCount(of: name) {
            perform(machine.parkedTapsAre(count, now: time.now()))
        }
        retryParked()
    }

    private func retryParked() {
        guard !machine.isStopping, machine.pause == nil, retries.begin() else { return }
        begin { await $0.runRetries() }
    }

    private func runRetries() async {
        while let parked = try? await state.nextRetried(of: name), !machine.isStopping, machine.pause == nil {
            let delivery = await attemptAgain(parked)
            log(delivery, "parked tap \(parked.tap.sequence)")
            guard (try? await state.record(delivery, of: parked, consumer: name)) != nil,
                let wait = retries.wait(after: delivery, time.random()), (try? await time.sleep(wait)) != nil
            else { break }
        }
        retries.end()
        if let count = try? await state.parkedCount(of: name) {
            perform(machine.parkedTapsAre(count, now: time.now()))
        }
    }
}

extension Duration {
    /// For messages.
    var wholeSeconds: Int64 { components.seconds }
}
