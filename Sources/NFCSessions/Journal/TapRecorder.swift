import NFCReaders
import NDEF
import NFCTags
package import NFCTypes
import Synchronization
package import TapJournal

/// Commits taps to the journal before any client is notified of them, and decides which readings are taps.
///
/// The coordinator reports arrivals and departures; the operations on readers record what they have read, one after another on each
/// reader. Nothing here waits for anything but the journal.
package final class TapRecorder: Sendable {
    private struct State {
        var debounce = TapDebounce()
        var rest: RestTimes
        /// Why the journal takes no taps; nil while it does.
        var trouble: JournalError?
        /// Taps that were refused since then.
        var refused = 0
        var generator = SystemRandomNumberGenerator()
    }

    /// What became of a reading.
    enum Outcome: Sendable, Hashable {
        /// It is stored, or there is no journal; with its proof.
        case recorded(TapProof?)
        /// It is part of an earlier tap; with its proof.
        case repeated(TapProof?)
        /// The journal did not store it.
        case refused(TagError)
    }

    /// The journal; nil without one.
    package let journal: JournalSettings?
    /// Sends the taps of the journal to its subscribers; nil without a journal.
    package let feed: TapFeed?
    private let state: Mutex<State>
    private let uptime: Stopwatch
    private let metrics: Metrics
    private let logger: EventLog

    init(_ taps: TapSettings, uptime: Stopwatch, metrics: Metrics, logger: EventLog) {
        journal = taps.journal
        feed = journal.map { TapFeed($0.store, logger: logger) }
        state = Mutex(State(rest: taps.rest))
        self.uptime = uptime
        self.metrics = metrics
        self.logger = logger
    }

    /// Why the journal takes no taps, for a status line; nil where it does, or there is none.
    package var trouble: String? { state.withLock { $0.trouble?.description } }

    /// The state of the journal as far as the last tap has shown it.
    package var journalState: JournalState {
        guard journal != nil else { return .disabled }
        return state.withLock { $0.trouble?.state ?? .ready }
    }

    /// Replaces the rest times.
    package func replace(rest: RestTimes) { state.withLock { $0.rest = rest } }

    /// The journal takes taps, or from now on does not, for this reason.
    package func journalChanged(_ trouble: JournalError?) {
        guard let trouble else { return noteSuccess() }
        state.withLock { $0.trouble = trouble }
        metrics.changed()
    }

    /// What the metrics report of the journal; nil without one.
    func moment() async -> (status: JournalStatus, subscriptions: Int, now: TapTime)? {
        guard let journal, let feed else { return nil }
        return (await journal.store.status(), await feed.count, journal.clock.now())
    }

    /// A tag arrived or left at this time since the start of nfcd.
    func follow(_ event: ReaderEvent, at time: Duration) {
        switch event {
        case .tagArrived(let arrival): state.withLock { $0.debounce.tagArrived(arrival, at: time) }
        case .tagLeft(let reader), .tagMute(let reader): state.withLock { $0.debounce.tagLeft(reader, at: time) }
        case .detached(let reader): state.withLock { $0.debounce.forget(reader) }
        default: break
        }
    }

    /// Records a reading, where it is a tap: where this returns `recorded`, it survives a loss of power, and so does its counter.
    ///
    /// - Parameters:
    ///   - attempt: what the tag has answered to prove itself; its counter is compared and stored in every case.
    ///   - session: the session it belongs to; nil: the background.
    func record(
        _ tap: BackgroundTap, proving attempt: ProofAttempt?, of arrival: TagArrival, in session: SessionID? = nil
    ) async -> Outcome {
        let identifier = tap.identity?.identifier ?? []
        let isFailed = tap.isUnread
        let isNew = state.withLock { state in
            state.debounce.isNew(
                arrival, identifier, isFailed: isFailed, proof: attempt?.proof.status,
                rest: state.rest.time(for: tap.reader))
        }
        var attempt = attempt
        if !isNew {
            let proof = await settle(attempt)
            // A copy of the message right behind the tag itself is a separate tap.
            guard let proof, proof.status != attempt?.proof.status else {
                metrics.countRepeatedTap()
                return .repeated(proof)
            }
            attempt = ProofAttempt(proof)
        }
        let outcome = await store(tap, attempt, session)
        let (isRefused, proof) =
            switch outcome {
            case .recorded(let proof), .repeated(let proof): (false, proof)
            case .refused: (true, nil)
            }
        state.withLock {
            $0.debounce.record(
                arrival, identifier, isFailed: isFailed || isRefused, proof: proof?.status)
        }
        return outcome
    }

    /// Compares the counter of a proof, and stores it without a tap.
    ///
    /// - Returns: the proof as it counts.
    func settle(_ attempt: ProofAttempt?) async -> TapProof? {
        guard let attempt else { return nil }
        guard let claim = attempt.claim, attempt.proof.isCounted else { return attempt.proof }
        guard let journal else { return attempt.uncounted(Self.noJournal) }
        do throws(JournalError) {
            return try await journal.store.settle(attempt.proof, claim)
        } catch {
            note(error)
            return attempt.uncounted("its counter was not stored: \(error)")
        }
    }

    /// Stores the counter of a message that nfcd has read itself, so that the message is spent. Without a journal, there is nothing to
    /// store.
    ///
    /// - Returns: the highest counter that was seen before, if this one is not above it: the messages up to there are refused.
    /// - Throws: ``JournalError``; then the counter may be stored.
    func spend(_ claim: CounterClaim, profile: String) async throws(JournalError) -> Int? {
        guard let journal else { return nil }
        do throws(JournalError) {
            let settled = try await journal.store.settle(TapProof(.proven, .sun, profile: profile), claim)
            return settled.status == .replayed ? settled.previousCounter : nil
        } catch {
            note(error)
            throw error
        }
    }

    private static let noJournal = "nfcd keeps no journal, which stores the counters; set enabled = true in [journal]"

    // MARK: The journal

    private func store(_ tap: BackgroundTap, _ attempt: ProofAttempt?, _ session: SessionID?) async -> Outcome {
        guard let journal else { return .recorded(attempt?.uncounted(Self.noJournal)) }
        let start = uptime.elapsed
        do throws(JournalError) {
            let stored = try await journal.store.append(record(tap, attempt, session, journal))
            metrics.countCommit(uptime.elapsed - start)
            noteSuccess()
            feed?.tapsWereAdded()
            var proof = stored.record.proof
            // The journal may have what identifies the tag in another form, or not at all.
            proof?.identifier = attempt?.proof.identifier
            proof?.credential = attempt?.proof.credential
            return .recorded(proof)
        } catch {
            metrics.countRefusedTap()
            note(error)
            return .refused(TagError(.systemIsBusy, "the tap was not recorded: \(error)"))
        }
    }

    private func record(
        _ tap: BackgroundTap, _ attempt: ProofAttempt?, _ session: SessionID?, _ journal: JournalSettings
    ) -> TapRecord {
        let time = journal.clock.now()
        let id = state.withLock { TapID(milliseconds: time.milliseconds, using: &$0.generator) }
        let message = tap.reading.messages.first.flatMap { try? $0.encoded() }
        let identifier = tap.identity?.identifier ?? []
        let proof = attempt.map { journal.identifiers.stored($0.proof) }
        return TapRecord(
            id: id, time: time, reader: tap.reader.id.rawValue, readerName: tap.reader.name,
            type: tap.identity?.type ?? .unknown, technology: tap.identity.map { "\($0.technology)" },
            identifier: journal.identifiers.stored(identifier), identifierForm: journal.identifiers.form,
            message: message, status: tap.reading.status, capacity: tap.reading.capacity,
            failure: tap.reading.failure.map { TapFailure($0.code, $0.detail) }, session: session?.rawValue,
            proof: proof, claim: attempt?.claim)
    }

    private func noteSuccess() {
        guard
            let (trouble, refused) = state.withLock({ state -> (JournalError, Int)? in
                defer { (state.trouble, state.refused) = (nil, 0) }
                return state.trouble.map { ($0, state.refused) }
            })
        else { return }
        logger.notice("the journal stores taps again; \(refused) were refused, because \(trouble)")
        metrics.changed()
    }

    /// Logs the first of several equal failures.
    private func note(_ error: JournalError) {
        let isNew = state.withLock { state in
            defer { (state.trouble, state.refused) = (error, state.refused + 1) }
            return state.trouble?.state != error.state
        }
        guard isNew else { return logger.debug("a tap was refused: \(error)") }
        logger.error("a tap was refused: \(error)")
        metrics.changed()
    }
}

/// How taps are distinguished and where they are recorded.
package struct TapSettings: Sendable {
    /// The journal; nil: taps are not recorded.
    package var journal: JournalSettings?
    /// How long a tag has to be away for its return to be a new tap.
    package var rest: RestTimes

    /// Settings; by default no journal.
    package init(journal: JournalSettings? = nil, rest: RestTimes = RestTimes()) {
        (self.journal, self.rest) = (journal, rest)
    }
}

/// The journal and what is stored in it.
package struct JournalSettings: Sendable {
    /// Where taps are stored.
    package var store: any TapStore
    /// Whether the taps of sessions are recorded as well as those of the background.
    package var includesSessions: Bool
    /// The form of the UIDs.
    package var identifiers: IdentifierProtection
    /// The time of a tap.
    package var clock: TapClock

    /// Settings.
    package init(
        store: any TapStore, includesSessions: Bool = false, identifiers: IdentifierProtection = .none, clock: TapClock
    ) {
        self.store = store
        self.includesSessions = includesSessions
        self.identifiers = identifiers
        self.clock = clock
    }
}

/// The clocks of the system, as a tap is recorded.
package struct TapClock: Sendable {
    /// Reads them.
    package let now: @Sendable () -> TapTime

    /// A clock.
    package init(now: @escaping @Sendable () -> TapTime) { self.now = now }
}

/// What is stored of a UID, which identifies a person.
package struct IdentifierProtection: Sendable {
    /// The form of the result.
    package let form: IdentifierForm
    private let change: @Sendable ([UInt8]) -> [UInt8]

    /// The UID itself.
    package static let none = IdentifierProtection(form: .plain) { $0 }
    /// Nothing.
    package static let omitted = IdentifierProtection(form: .omitted) { _ in [] }

    /// A keyed hash.
    package static func hashed(_ hash: @escaping @Sendable ([UInt8]) -> [UInt8]) -> IdentifierProtection {
        IdentifierProtection(form: .hashed, change: hash)
    }

    /// A proof with the stored form of what identifies its tag: the UID, and what the tag keeps protected.
    func stored(_ proof: TapProof) -> TapProof {
        var proof = proof
        proof.identifier = proof.identifier.flatMap { stored($0) }
        proof.credential = proof.credential.flatMap { stored($0) }
        return proof
    }

    /// Nil if it is omitted.
    private func stored(_ bytes: HexBytes) -> HexBytes? {
        form == .omitted ? nil : HexBytes(stored(bytes.bytes))
    }

    /// The stored form; empty where the reader reports no UID.
    func stored(_ identifier: [UInt8]) -> [UInt8] { identifier.isEmpty ? [] : change(identifier) }
}

extension BackgroundTap {
    /// Whether the tag could not be read. An empty or unformatted tag was read.
    var isUnread: Bool { reading.failure != nil && reading.status == nil }
}

extension JournalError {
    /// The state of a journal that fails in this way.
    var state: JournalState { if case .full = self { .full } else { .failed } }
}
