import NFCSessions
import NFCTypes
import ServiceSupport
import SQLiteJournal
import TapJournal
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The journal of nfcd: what the coordinator records in, and the service that keeps it.
struct OpenJournal {
    let settings: JournalSettings
    private let journal: SQLiteJournal?
    private let events: AsyncStream<JournalEvent>

    /// Opens the journal that the configuration describes. One that cannot be opened takes no taps, and nothing else is affected.
    ///
    /// - Returns: nil where none is configured.
    init?(_ configuration: Configuration, _ instance: Instance, _ environment: [String: String], _ clock: TimerClock) {
        let journal = configuration.journal
        guard journal.isEnabled else { return nil }
        let (events, event) = AsyncStream<JournalEvent>.makeStream(bufferingPolicy: .bufferingNewest(64))
        self.events = events
        let tapClock = TapClock.system(BootID(environment))
        do throws(UnusableJournal) {
            guard let path = journal.file(instance, environment) else {
                throw UnusableJournal("HOME is not set; set path in [journal] of nfcd.toml")
            }
            let identifiers = try journal.identifierProtection(besides: path)
            let store = SQLiteJournal(
                SQLiteJournal.Settings(
                    path: path, isInOwnFolder: journal.isInStateDirectory(instance, environment),
                    tapLimit: journal.mostTaps, byteLimit: Int64(journal.mostBytes),
                    maxAge: .seconds(journal.mostDays * 86_400), whenFull: journal.whenFull,
                    services: Set([0, geteuid()] + configuration.relayUser.userIDs)),
                clock: JournalClock(
                    wall: { (WallClock.milliseconds, WallClock.isSynchronised) }, uptime: { clock.now.offset },
                    sleep: { try await clock.sleep(for: $0) })
            ) { event.yield($0) }
            self.journal = store
            settings = JournalSettings(
                store: store, includesSessions: journal.includesSessions, identifiers: identifiers, clock: tapClock)
        } catch {
            event.yield(.failed(error.reason))
            self.journal = nil
            settings = JournalSettings(store: error, includesSessions: journal.includesSessions, clock: tapClock)
        }
    }

    /// The service; it ends last, when nothing more is recorded.
    func service(for recorder: TapRecorder, logger: EventLog) -> any Service {
        JournalService(journal: journal, events: events, recorder: recorder, logger: logger)
    }
}

/// Maintains the journal, logs what happens to it, and closes it at the end.
private struct JournalService: Service {
    let journal: SQLiteJournal?
    let events: AsyncStream<JournalEvent>
    let recorder: TapRecorder
    let logger: EventLog

    func run(until stop: StopSignal) async {
        await stop.cancelling {
            await withDiscardingTaskGroup { group in
                group.addTask { for await event in events { report(event) } }
                if let journal { await journal.run() } else { await Task.untilCancelled() }
                group.cancelAll()
            }
        }
        await journal?.close()
    }

    private func report(_ event: JournalEvent) {
        switch event {
        case .opened:
            logger.info("\(event)")
            recorder.journalChanged(nil)
        case .movedAside, .leftOut, .repaired: logger.error("\(event)")
        case .dropped, .heldUp: logger.warning("\(event)")
        case .full(let reason):
            logger.error("\(event)")
            recorder.journalChanged(.full(reason))
        case .failed(let reason):
            logger.error("\(event)")
            recorder.journalChanged(.failed(reason))
        }
    }
}

/// A journal that cannot be opened with this configuration: every tap is refused, with the reason.
private struct UnusableJournal: Error, TapStore {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    private var error: JournalError { .failed(reason) }

    func append(_ tap: TapRecord) async throws(JournalError) -> JournalTap { throw error }
    func settle(_ proof: TapProof, _ claim: CounterClaim) async throws(JournalError) -> TapProof { throw error }
    func taps(_ query: TapQuery) async throws(JournalError) -> TapPage { throw error }
    func status() async -> JournalStatus { JournalStatus(.failed, reason: reason) }

    func acknowledge(
        _ consumer: String, owner: UInt32, through sequence: Int64?, mayTakeOver: Bool
    ) async throws(JournalError) -> JournalConsumer { throw error }

    func removeConsumer(_ consumer: String, owner: UInt32, mayTakeOver: Bool) async throws(JournalError) -> Bool {
        throw error
    }

    func prune(through sequence: Int64, includingUndelivered: Bool) async throws(JournalError) -> Int { throw error }
}

extension JournalConfiguration {
    /// What is stored of UIDs.
    fileprivate func identifierProtection(
        besides journal: String
    ) throws(UnusableJournal) -> IdentifierProtection {
        switch identifiers {
        case .plain: return .none
        case .omitted: return .omitted
        case .hashed:
            do throws(IdentifierKey.Failure) {
                let key = try IdentifierKey(file: keyFile(besides: journal))
                return .hashed { key.hash($0) }
            } catch {
                throw UnusableJournal("the key of identifiers = \"hashed\": \(error)")
            }
        }
    }
}

extension TapClock {
    /// The clocks of this machine.
    static func system(_ boot: BootID) -> TapClock {
        TapClock {
            TapTime(
                milliseconds: WallClock.milliseconds, sinceBoot: SystemClock.boottime.now, bootID: boot.text,
                clock: WallClock.isSynchronised ? .synchronised : .unsynchronised)
        }
    }
}
