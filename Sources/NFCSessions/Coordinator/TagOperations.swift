import NFCReaders
import NFCTags
import Synchronization

/// A tag that a session wants, and all that reading it or connecting to it needs.
struct WantedTag: Sendable {
    let arrival: TagArrival
    /// How often the session had restarted polling.
    let polling: Int
    let session: SessionID
    let client: any SessionClient
    let kind: SessionKind
    let detection: SessionDetection
    let options: PollingOptions
    /// Ends with the session.
    let interest: ReadingInterest
}

/// What is done with tags: reading, connecting, releasing, and feedback at the reader.
///
/// On each reader one operation runs after another, so that two never meet on a tag. An operation gets what it needs as values, and
/// reports its result once.
final class TagOperations: Sendable {
    /// What became of a tag that a session wants.
    enum Outcome: Sendable {
        /// It was read.
        case read(TagReading, on: ReaderDescription)
        /// It is held for commands, and has to be released.
        case found(HeldTag)
        /// The session does not look for it, or the reader is gone.
        case ignored
        /// Connecting to it failed, or the journal did not store it.
        case failed(TagError, on: ReaderDescription)
    }

    private let driver: any ReaderDriver
    private let inbox: ReaderInbox
    private let recorder: TapRecorder
    private let prover: (any TagProver)?
    private let personalisation: Personalisation?
    private let uptime: Stopwatch
    private let metrics: Metrics
    private let log: CoordinatorLog
    /// The last operation on each reader, which ends after those before it.
    private let last = Mutex<[ReaderID: Task<Void, Never>]>([:])

    init(
        _ driver: any ReaderDriver, _ inbox: ReaderInbox, _ recorder: TapRecorder, _ prover: (any TagProver)?,
        _ personaliser: (any TagPersonaliser)?, uptime: Stopwatch, metrics: Metrics, _ log: CoordinatorLog
    ) {
        (self.driver, self.inbox, self.recorder, self.prover) = (driver, inbox, recorder, prover)
        personalisation = personaliser.map { Personalisation(personaliser: $0, recorder: recorder) }
        (self.uptime, self.metrics, self.log) = (uptime, metrics, log)
    }

    /// Returns when all operations have ended.
    func ended() async {
        while let (reader, operation) = last.withLock({ $0.first }) {
            await operation.value
            last.withLock { if $0[reader] == operation { $0[reader] = nil } }
        }
    }

    /// Starts an operation as soon as those before it on the same reader have ended.
    private func add(on reader: ReaderID, _ operation: @escaping @Sendable () async -> Void) {
        last.withLock { last in
            last[reader] = Task { [previous = last[reader]] in
                await previous?.value
                await operation()
            }
        }
    }

    // MARK: For sessions

    /// Reads a tag for a session that is given messages, or connects to it for one that is given tags.
    func detect(_ tag: WantedTag, report: @escaping @Sendable (Outcome) async -> Void) {
        add(on: tag.arrival.reader) { [self] in
            guard !tag.interest.isOver, let entry = inbox[tag.arrival.reader] else { return await report(.ignored) }
            switch tag.detection {
            case .messages: await read(tag, on: entry.description, report)
            case .tags: await connect(to: tag, entry, report)
            }
        }
    }

    private func read(_ tag: WantedTag, on reader: ReaderDescription, _ report: (Outcome) async -> Void) async {
        let result = await TagReading.perform(
            tag.arrival, on: reader, driver: driver, tag.options, within: bounds(tag.interest), prover: prover)
        guard var result, !tag.interest.isOver else {
            // The message was made, and is not to count again.
            _ = await recorder.settle(result?.attempt)
            return await ignore(tag, report)
        }
        switch await record(result, tag, on: reader) {
        case .recorded(let proof), .repeated(let proof): result.reading.proof = proof
        case .refused(let refusal): result.reading = NDEFReading(failure: refusal)
        }
        metrics.countTapRead(result.reading)
        await report(.read(result, on: reader))
        await driver.signal(result.reading.feedback, on: reader)
    }

    private func connect(to tag: WantedTag, _ entry: ReaderTable.Entry, _ report: (Outcome) async -> Void) async {
        do throws(TagError) {
            guard let held = try await hold(tag, entry) else { return await ignore(tag, report) }
            await report(.found(held))
        } catch {
            metrics.countConnectFailure(error)
            await report(.failed(error, on: entry.description))
        }
    }

    /// Connects to a tag and records the tap. Nil where the session does not look for it.
    private func hold(_ tag: WantedTag, _ entry: ReaderTable.Entry) async throws(TagError) -> HeldTag? {
        let reader = entry.description
        // Another tag may be in the field by now, and must not be taken for it.
        guard entry.tag == tag.arrival else {
            throw TagError(.tagConnectionLost, "the tag left the field before nfcd connected to it")
        }
        let held = try await HeldTag.connect(
            tag.arrival, on: reader, driver: driver, kind: tag.kind, tag.options,
            permissions: { tag.client.permissions }, within: bounds(tag.interest), metrics: metrics,
            audit: TagAudit(tag.session, of: tag.client, on: reader.id, log.logger),
            personalisation: personalisation)
        guard let held else { return nil }
        let contact = TagReading(identity: held.identity, reading: NDEFReading())
        guard case .refused(let refusal) = await record(contact, tag, on: reader) else { return held }
        await held.close(refusal)
        await driver.signal(.failure, on: reader)
        throw refusal
    }

    private func ignore(_ tag: WantedTag, _ report: (Outcome) async -> Void) async {
        if !tag.interest.isOver { log.ignored(tag.arrival, by: tag.session) }
        await report(.ignored)
    }

    /// Records a tap of a session, where the journal includes those; its counter is stored in every case.
    private func record(
        _ result: TagReading, _ tag: WantedTag, on reader: ReaderDescription
    ) async -> TapRecorder.Outcome {
        guard recorder.journal?.includesSessions == true, !tag.interest.isOver else {
            return .recorded(await recorder.settle(result.attempt))
        }
        let tap = BackgroundTap(reader: reader, identity: result.identity, reading: result.reading)
        return await recorder.record(tap, proving: result.attempt, of: tag.arrival, in: tag.session)
    }

    /// Disconnects from a tag that a session no longer holds.
    ///
    /// - Parameter interest: ends with the session: then what still runs on the tag is bounded.
    func release(_ held: HeldTag, of session: SessionID, _ interest: ReadingInterest) {
        let reason =
            interest.isOver
            ? TagError.invalidated(session) : TagError(.tagConnectionLost, "the tag is not in the field")
        // Immediately: commands that have not started are answered before any later notification.
        held.refuse(reason)
        interest.bound(held)
        add(on: held.reader.id) { [self] in
            await held.close(reason)
            interest.closed(held)
            guard let outcome = held.outcome, let reader = inbox[held.reader.id]?.description else { return }
            await driver.signal(outcome, on: reader)
        }
    }

    /// What ends the reading of a tag early.
    private func bounds(_ interest: ReadingInterest) -> ReadingBounds { ReadingBounds(interest, clock: uptime) }

    // MARK: Outside sessions

    /// Reads a tag and records the tap, then compares it with the filters of subscriptions. The coordinator serves others meanwhile.
    ///
    /// - Parameters:
    ///   - interest: ends where a session takes the tag over, or no subscription wants it any more.
    ///   - report: is given what is to be sent; nil without a tap.
    func read(
        _ arrival: TagArrival, for candidates: [TapMatches.Candidate], while interest: ReadingInterest,
        report: @escaping @Sendable (TapMatches?) async -> Void
    ) {
        add(on: arrival.reader) { [self] in
            guard !interest.isOver, let entry = inbox[arrival.reader] else { return await report(nil) }
            // If it has left, another tag may be in the field by now.
            let result =
                entry.tag == arrival
                ? await TagReading.perform(
                    arrival, on: entry.description, driver: driver, PollingOptions(), within: bounds(interest),
                    prover: prover)
                : Self.leftEarly
            guard var result, !interest.isOver else {
                _ = await recorder.settle(result?.attempt)
                return await report(nil)
            }
            let tap = BackgroundTap(reader: entry.description, identity: result.identity, reading: result.reading)
            switch await recorder.record(tap, proving: result.attempt, of: arrival) {
            case .recorded(let proof): result.reading.proof = proof
            case .repeated: return await report(nil)
            case .refused(let refusal): result.reading = NDEFReading(failure: refusal)
            }
            let known = BackgroundTap(reader: tap.reader, identity: tap.identity, reading: result.reading)
            await report(TapMatches.find(known, among: candidates))
            // Without a journal, a tap that no session waits for promises nothing but its proof.
            guard recorder.journal != nil || known.reading.proof != nil else { return }
            await driver.signal(known.feedback, on: known.reader)
        }
    }

    /// The tag left while another operation ran on its reader.
    private static let leftEarly = TagReading(
        identity: nil,
        reading: NDEFReading(failure: TagError(.tagConnectionLost, "the tag left the field before nfcd read it")))

    /// Shows failure and success at those of the readers that can.
    func identify(_ readers: [ReaderDescription]) -> [ReaderID] {
        let able = readers.filter { $0.givesFeedback && $0.profile.feedback(.failure) != nil }
        for reader in able {
            add(on: reader.id) { [driver] in
                await driver.signal(.failure, on: reader)
                await driver.signal(.success, on: reader)
            }
        }
        return able.map(\.id)
    }
}

// Success is shown for a proven tag alone, where a profile fits it.

extension NDEFReading {
    fileprivate var feedback: ReaderFeedback.Kind { proof?.isProven ?? (failure == nil) ? .success : .failure }
}

extension BackgroundTap {
    fileprivate var feedback: ReaderFeedback.Kind { reading.proof?.isProven ?? !isUnread ? .success : .failure }
}
