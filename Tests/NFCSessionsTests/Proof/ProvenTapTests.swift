import NFCReaders
import NFCTags
import NFCTypes
import TapJournal
import TestSupport
import Testing

@testable import NFCSessions

/// Taps of tags that a profile fits: the proof is committed with the tap, and success is shown for a proven tag alone.
@Suite(.timeLimit(.minutes(20))) struct `Taps with a proof` {
    private static let desk = lit("desk")
    private static let door = lit("door")
    private static let (green, red) = (
        desk.profile.feedback(.success)?.command, desk.profile.feedback(.failure)?.command
    )

    /// A reader with light and sound.
    private static func lit(_ name: String) -> ReaderDescription {
        ReaderDescription(
            id: ReaderID(rawValue: name), name: "The \(name) reader", profile: .acr1252u, givesFeedback: true)
    }

    let store = MemoryTapStore()
    let watcher = Watcher(7)

    private func open(
        _ attempts: [ProofAttempt?], sessions: Bool = false, identifiers: IdentifierProtection = .none,
        _ body: @Sendable (Desk) async throws -> Void
    ) async throws {
        let journal = JournalSettings(
            store: store, includesSessions: sessions, identifiers: identifiers,
            clock: TapClock { TapTime(milliseconds: 0, sinceBoot: .zero, bootID: "", clock: .unsynchronised) })
        try await Desk.open([Self.desk, Self.door], journal: journal, prover: ScriptedProver(attempts), body)
    }

    private func shown(_ desk: Desk) async -> [UInt8]? {
        for await command in desk.driver.escapes { return command }
        return nil
    }

    /// The statuses that are stored.
    private var stored: [TapProof.Status?] { store.taps.map(\.record.proof?.status) }

    // MARK: In the background

    @Test(arguments: TapProof.Status.allCases)
    func `are stored and sent with their status, and green for a proven one alone`(
        status: TapProof.Status
    ) async throws {
        try await open([.mutual(status)]) { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read \(status.rawValue)"])
            #expect(await shown(desk) == (status == .proven ? Self.green : Self.red))
            #expect(stored == [status])
        }
    }

    @Test func `are as before if no profile fits`() async throws {
        try await open([nil, nil]) { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read"])
            #expect(await shown(desk) == Self.green)
            desk.lift()
            desk.driver.tap(.url.refusing(.tagLost))
            #expect(await watcher.receive() == ["background-1 desk failed 100"])
            #expect(await shown(desk) == Self.red)
            #expect(stored == [nil, nil])
        }
    }

    @Test func `are proven by a message once`() async throws {
        try await open([.sun(5), .sun(5), .sun(4), .sun(6)]) { desk in
            try await desk.subscribe(watcher)
            for (status, light) in [
                ("proven", Self.green), ("replayed", Self.red), ("replayed", Self.red), ("proven", Self.green),
            ] {
                desk.driver.tap(.url)
                #expect(await watcher.receive() == ["background-1 desk read \(status)"])
                #expect(await shown(desk) == light)
                desk.lift()
            }
            #expect(stored == [.proven, .replayed, .replayed, .proven])
            let last = try #require(store.taps.last?.record.proof)
            #expect(last.previousCounter == 5 && last.scope == .thisMachine && store.taps.last?.record.claim == nil)
        }
    }

    @Test func `are proven on one of two readers that read the same message`() async throws {
        try await open([.sun(5), .sun(5)]) { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            desk.driver.tap(.url, on: Self.door)
            let words = await watcher.receive(2)
            #expect(words.count { $0.hasSuffix("read proven") } == 1)
            #expect(words.count { $0.hasSuffix("read replayed") } == 1)
            #expect([await shown(desk), await shown(desk)].count { $0 == Self.green } == 1)
        }
    }

    @Test func `are not proven where the journal does not store them`() async throws {
        try await open([.sun(5), .mutual(), .sun(5)]) { desk in
            try await desk.subscribe(watcher)
            store.fail(.full("it has 5 taps"))
            for _ in 0..<2 {
                desk.driver.tap(.url)
                #expect(await watcher.receive() == ["background-1 desk failed 203"])
                #expect(await shown(desk) == Self.red)
                desk.lift()
            }
            store.fail(nil)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read proven"])
            #expect(await shown(desk) == Self.green)
        }
    }

    @Test func `that are repeated take their counter, and are not another tap`() async throws {
        try await open([.sun(5), .sun(6), .sun(6)]) { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read proven"])
            desk.driver.lift()
            desk.driver.tap(.url)
            // Its counter is stored before the next operation on the reader.
            while try PrometheusText(await desk.coordinator.metricsText(version: "1"))["nfcd_taps_repeated_total"] != 1
            {
                await Task.yield()
            }
            desk.lift()
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read replayed"])
            #expect(stored == [.proven, .replayed])
        }
    }

    @Test(arguments: [
        (IdentifierProtection.omitted, nil), (.hashed { $0.reversed() }, HexBytes(hex("F6E5D4C3B2A104"))),
    ])
    func `are stored with the proven UID in the form that is configured`(
        protection: IdentifierProtection, stored: HexBytes?
    ) async throws {
        try await open([.sun(5)], identifiers: protection) { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read proven"])
            #expect(store.taps.map(\.record.proof?.identifier) == [stored])
        }
    }

    @Test(
        arguments: [
            (IdentifierProtection.none, HexBytes(hex("C0DE"))), (.omitted, nil),
            (.hashed { $0.reversed() }, HexBytes(hex("DEC0"))),
        ] as [(IdentifierProtection, HexBytes?)])
    func `are stored with what the tag keeps in the same form, and sent with it as it is`(
        protection: IdentifierProtection, stored: HexBytes?
    ) async throws {
        try await open([.mutual()], sessions: true, identifiers: protection) { desk in
            try await desk.begin()
            desk.driver.tap(.url)
            var proof: TapProof?
            while proof == nil {
                guard case .didDetectNDEFs(_, let reading) = await desk.client.next() else { continue }
                proof = reading.proof
            }
            #expect(proof?.credential == HexBytes(hex("C0DE")))
            #expect(store.taps.map(\.record.proof?.credential) == [stored])
        }
    }

    @Test func `without a journal are proven by a challenge, and not by a message`() async throws {
        try await Desk.open([Self.desk], prover: ScriptedProver([.sun(5), .mutual()])) { desk in
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read incomplete"])
            #expect(await shown(desk) == Self.red)
            desk.lift()
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read proven"])
            #expect(await shown(desk) == Self.green)
        }
    }

    @Test func `are sent to a subscription that requires a proof only if they are proven, and so are their removals`()
        async throws
    {
        var filter = BackgroundFilter()
        filter.requiresProof = true
        let wanted = filter
        try await open([.sun(5), .sun(5), nil, .mutual()]) { desk in
            try await desk.subscribe(watcher, wanted, removals: true)
            for _ in 0..<4 {
                desk.driver.tap(.url)
                _ = await shown(desk)
                desk.lift()
            }
            #expect(
                await watcher.receive(4) == [
                    "background-1 desk read proven", "background-1 desk removed", "background-1 desk read proven",
                    "background-1 desk removed",
                ])
            #expect(stored == [.proven, .replayed, nil, .proven])
        }
    }

    // MARK: In sessions

    @Test func `of sessions take their counter, whether or not they are recorded`() async throws {
        for isRecorded in [false, true] {
            let (first, second) = isRecorded ? (7, 7) : (5, 5)
            try await open([.sun(first), .sun(second), .sun(second + 1)], sessions: isRecorded) { desk in
                try await desk.begin()
                #expect(await desk.client.receive() == ["active"])
                for (status, light) in [("proven", Self.green), ("replayed", Self.red), ("proven", Self.green)] {
                    desk.driver.tap(.url)
                    #expect(await desk.client.receive().first?.hasSuffix("\(Fixtures.url) \(status)") == true)
                    #expect(await shown(desk) == light)
                    desk.lift()
                    while desk.client.log().last?.hasSuffix("left") == false { _ = await desk.client.next() }
                }
            }
        }
        #expect(stored == [.proven, .replayed, .proven])
    }

    @Test func `of a session are replayed in the background afterwards`() async throws {
        try await open([.sun(5), .sun(5)]) { desk in
            let session = try await desk.begin()
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url) proven"])
            _ = await shown(desk)
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            desk.lift()
            try await desk.subscribe(watcher)
            desk.driver.tap(.url)
            #expect(await watcher.receive() == ["background-1 desk read replayed"])
            #expect(await shown(desk) == Self.red)
        }
    }

    @Test func `of a session are detected again with a new counter`() async throws {
        try await open([.sun(5), .sun(6), .sun(6)], sessions: true) { desk in
            let session = try await desk.begin()
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url) proven"])
            for (number, status) in [(2, "proven"), (3, "replayed")] {
                desk.clock.advance(by: DetectionPace.interval)
                try await desk.coordinator.restartPolling(session, by: desk.client.id)
                #expect(await desk.client.receive() == ["tag-\(number) \(Fixtures.url) \(status)"])
            }
            // A tag counts each reading: one that does not is a copy, and a tap.
            #expect(stored == [.proven, .replayed])
        }
    }

    @Test func `of a session whose counter cannot be stored are incomplete, in red`() async throws {
        try await open([.sun(5)]) { desk in
            store.fail(.failed("the disk is gone"))
            try await desk.begin()
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url) incomplete"])
            #expect(await shown(desk) == Self.red)
        }
    }
}
