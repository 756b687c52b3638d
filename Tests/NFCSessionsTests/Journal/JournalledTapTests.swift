import NFCReaders
import NFCTags
import NFCTypes
import TapJournal
import TestSupport
import Testing

@testable import NFCSessions

/// Taps with a journal: nothing is notified or shown before the commit has returned.
@Suite(.timeLimit(.minutes(20))) struct `Journalled taps` {
    /// A reader with light and sound.
    private static let desk = ReaderDescription(
        id: ReaderID(rawValue: "desk"), name: "The desk reader", profile: .acr1252u, givesFeedback: true)

    let store = MemoryTapStore()
    let watcher = Watcher(7)

    private func open(
        sessions: Bool = false, identifiers: IdentifierProtection = .none, _ body: @Sendable (Desk) async throws -> Void
    ) async throws {
        let clock = TapClock {
            TapTime(milliseconds: 1_700_000_000_123, sinceBoot: .seconds(9), bootID: "boot", clock: .synchronised)
        }
        let journal = JournalSettings(
            store: store, includesSessions: sessions, identifiers: identifiers, clock: clock)
        try await Desk.open([Self.desk], journal: journal, body)
    }

    private func shown(_ desk: Desk) async -> [UInt8]? {
        for await command in desk.driver.escapes { return command }
        return nil
    }

    private static let (green, red) = (
        desk.profile.feedback(.success)?.command, desk.profile.feedback(.failure)?.command
    )

    @Test func `a tap is read, stored and shown although no client listens`() async throws {
        try await open { desk in
            desk.driver.tap(.url)
            #expect(await shown(desk) == Self.green)
            let tap = try #require(store.taps.first?.record)
            #expect(tap.reader == "desk" && tap.readerName == "The desk reader" && tap.session == nil)
            #expect(tap.type == .miFare && tap.identifier == hex("04A1B2C3D4E5F6") && tap.identifierForm == .plain)
            #expect(tap.message == Fixtures.message && tap.failure == nil && tap.status == .readWrite)
            #expect(tap.time.bootID == "boot" && tap.id.bytes.prefix(6) == hex("018BCFE5687B")[...])
        }
    }

    @Test func `the commit comes before the notification, and both before the light`() async throws {
        try await open { desk in
            try await desk.subscribe(watcher)
            store.hold()
            desk.driver.tap(.url)
            await store.reached()
            await desk.settle()
            #expect(watcher.log == [] && store.taps.isEmpty)
            store.release()
            #expect(await watcher.receive() == ["background-1 desk read"])
            #expect(store.taps.count == 1)
            #expect(await shown(desk) == Self.green)
        }
    }

    @Test func `a commit keeps nothing else waiting`() async throws {
        try await open { desk in
            store.hold()
            desk.driver.tap(.url)
            await store.reached()
            // The coordinator answers, and a session on the reader becomes active.
            #expect(await desk.coordinator.overview().readers == 1)
            try await desk.begin()
            #expect(await desk.client.receive() == ["active"])
            store.release()
            #expect(await desk.client.receive() == ["tag-1 \(Fixtures.url)"])
            // What was committed is committed; the session's own reading is not another tap.
            #expect(store.taps.count == 1)
        }
    }

    @Test func `where the journal does not store a tap, it is reported as failed, in red`() async throws {
        try await open { desk in
            try await desk.subscribe(watcher)
            store.fail(.full("it has 5 taps; raise max-taps"))
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk failed 203"])
            #expect(await shown(desk) == Self.red)
            #expect(desk.coordinator.recorder.journalState == .full)
            #expect("\(await desk.coordinator.overview())".contains("raise max-taps"))

            // The same tag may come again at once: what was refused was not a tap.
            store.fail(nil)
            desk.driver.lift()
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            #expect(await shown(desk) == Self.green)
            #expect(desk.coordinator.recorder.journalState == .ready && store.taps.count == 1)
        }
    }

    @Test func `a tag that could not be read is a failed tap, in red; one without NDEF is green`() async throws {
        try await open { desk in
            desk.driver.tap(.url.refusing(.tagLost))
            #expect(await shown(desk) == Self.red)
            desk.lift()
            desk.driver.tap(.unformatted)
            #expect(await shown(desk) == Self.green)
            #expect(store.taps.map(\.record.failure?.code) == [.tagConnectionLost, .unsupportedFeature])
            #expect(store.taps.map(\.record.identifier.count) == [0, 7])
        }
    }

    @Test func `a tag that a session takes over while it is read is not stored`() async throws {
        try await open { desk in
            let gate = desk.driver.holdConnections()
            desk.driver.tap(.url)
            await gate.reached()
            try await desk.begin()
            gate.open()
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            #expect(store.taps.isEmpty)
        }
    }

    @Test func `sessions are recorded on request, before their clients are notified`() async throws {
        try await open(sessions: true) { desk in
            let session = try await desk.begin()
            #expect(await desk.client.receive() == ["active"])
            store.hold()
            desk.driver.tap(.url)
            await store.reached()
            await desk.settle()
            #expect(desk.client.log() == ["active"])
            store.release()
            #expect(await desk.client.receive() == ["tag-1 \(Fixtures.url)"])
            #expect(store.taps.map(\.record.session) == [session.rawValue])

            desk.clock.advance(by: DetectionPace.interval)
            try await desk.coordinator.restartPolling(session, by: desk.client.id)
            #expect(await desk.client.receive() == ["tag-2 \(Fixtures.url)"])
            #expect(store.taps.count == 1, "detected again, but the same tap")
        }
    }

    @Test func `the tap of a tag session is stored without a message`() async throws {
        try await open(sessions: true) { desk in
            try await desk.begin(SessionRequest(kind: .tag))
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            let tap = try #require(store.taps.first?.record)
            #expect(tap.identifier == hex("04A1B2C3D4E5F6") && tap.message == nil && tap.failure == nil)
        }
    }

    @Test func `a session is not given a tap that was not stored`() async throws {
        try await open(sessions: true) { desk in
            store.fail(.failed("the disk is gone"))
            try await desk.begin()
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 failed 203"])
            try await desk.coordinator.cancel(SessionID(rawValue: "session-1"), errorMessage: nil)
            #expect(await desk.client.receive() == ["over 200"])
            desk.lift()
            try await desk.begin(SessionRequest(kind: .tag))
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "desk failed 203"])
            await desk.driver.allClosed()
        }
    }

    @Test func `taps of a reader are stored in their order, those of another meanwhile`() async throws {
        let journal = JournalSettings(
            store: store,
            clock: TapClock { TapTime(milliseconds: 0, sinceBoot: .zero, bootID: "", clock: .unsynchronised) })
        try await Desk.open([Fixtures.desk, Fixtures.door], journal: journal) { desk in
            try await desk.subscribe(watcher)
            store.hold()
            desk.driver.tap(.url)
            await store.reached()
            desk.lift()
            desk.driver.tap(.empty)
            desk.driver.tap(.url, on: Fixtures.door)
            await desk.settle()
            store.release()
            let words = await watcher.receive(3)
            #expect(words.filter { $0.contains("desk") } == ["background-1 desk read", "background-1 desk failed 403"])
            #expect(
                store.taps.filter { $0.record.reader == "desk" }.map(\.record.failure?.code) == [
                    nil, .zeroLengthMessage,
                ])
            #expect(store.taps.count == 3)
        }
    }

    @Test(arguments: [
        (IdentifierProtection.omitted, IdentifierForm.omitted, ""),
        (.hashed { $0.reversed() }, .hashed, "F6E5D4C3B2A104"),
    ])
    func `the UID is stored in the form that is configured`(
        protection: IdentifierProtection, form: IdentifierForm, stored: String
    ) async throws {
        try await open(identifiers: protection) { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            #expect(store.taps.map(\.record.identifier) == [hex(stored)])
            #expect(store.taps.map(\.record.identifierForm) == [form])
        }
    }

    @Test func `the metrics count what was stored, refused and repeated`() async throws {
        try await open { desk in
            try await desk.subscribe(watcher)
            _ = try await store.acknowledge("clock", owner: 0, through: nil, mayTakeOver: false)
            desk.driver.tap(.url)
            _ = await watcher.receive()
            desk.driver.lift()
            desk.driver.tap(.url)
            await desk.driver.allClosed()
            desk.lift()
            store.fail(.full("full"))
            desk.driver.tap(.url)
            _ = await watcher.receive()
            let text = try PrometheusText(await desk.coordinator.metricsText(version: "1"))
            #expect(text["nfcd_journal_commit_seconds_count"] == 1 && text["nfcd_journal_refused_total"] == 1)
            #expect(text["nfcd_taps_repeated_total"] == 1 && text["nfcd_journal_taps"] == 1)
            #expect(text["nfcd_journal_backlog", ["consumer": "clock", "uid": "0"]] == 1)
            #expect(
                text["nfcd_journal_state", ["state": "full"]] == 1
                    && text["nfcd_journal_state", ["state": "ready"]] == 0)
        }
    }
}
