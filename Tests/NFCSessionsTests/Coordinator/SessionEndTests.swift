import NFCReaders
import NFCTags
import TestSupport
import Testing

@testable import NFCSessions

/// How sessions end.
@Suite(.timeLimit(.minutes(20))) struct `The end of a session` {
    @Test func `comes when its time is over and not earlier`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            await desk.clock.sleeping()
            desk.clock.advance(by: .milliseconds(59_999))
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            try await desk.begin(by: desk.other)
            #expect(await desk.other.end()?.code == .systemIsBusy)
            desk.clock.advance(by: .milliseconds(1))
            #expect(await desk.client.end()?.code == .sessionTimeout)
        }
    }

    static let timeouts: [(asked: Duration?, limit: Duration, given: Duration)] = [
        (nil, .seconds(60), .seconds(60)), (.seconds(10), .seconds(60), .seconds(10)),
        (.seconds(600), .seconds(60), .seconds(60)), (nil, .seconds(5), .seconds(5)),
        (.seconds(10), .seconds(5), .seconds(5)),
    ]

    @Test(arguments: timeouts)
    func `comes no later than the limit allows`(asked: Duration?, limit: Duration, given: Duration) async throws {
        try await Desk.open(limits: SessionLimits(timeout: limit)) { desk in
            try await desk.begin(SessionRequest(timeout: asked))
            await desk.clock.sleeping()
            #expect(desk.clock.remaining == [given])
            desk.clock.advance(by: given)
            #expect(await desk.client.receive(2) == ["active", "over 201"])
        }
    }

    static let grants: [(asked: Duration?, granted: Duration, given: Duration)] = [
        (.seconds(600), .seconds(3_600), .seconds(600)), (.seconds(7_200), .seconds(3_600), .seconds(3_600)),
        (nil, .seconds(3_600), .seconds(60)), (.seconds(600), .seconds(5), .seconds(60)),
    ]

    @Test(arguments: grants)
    func `comes later where a grant allows it and the client asks for it`(
        asked: Duration?, granted: Duration, given: Duration
    ) async throws {
        try await Desk.open { desk in
            var request = SessionRequest(timeout: asked)
            request.grantedTimeout = granted
            try await desk.begin(request)
            await desk.clock.sleeping()
            desk.clock.advance(by: given - .milliseconds(1))
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            desk.clock.advance(by: .milliseconds(1))
            #expect(await desk.client.end()?.code == .sessionTimeout)
        }
    }

    @Test func `is reckoned from becoming active, not from queueing`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            try await desk.begin(SessionRequest(whenBusy: .queue), by: desk.other)
            await desk.clock.sleeping()
            #expect(desk.clock.remaining == [.seconds(60)])
            desk.clock.advance(by: .seconds(60))
            #expect(await desk.other.receive() == ["active"])
            await desk.clock.sleeping()
            #expect(desk.clock.remaining == [.seconds(60)])
        }
    }

    @Test func `comes with a suspension of the system, for all of them`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            try await desk.begin(SessionRequest(whenBusy: .queue), by: desk.other)
            #expect(await desk.coordinator.overview().description == "1 reader, 1 session (1 more waiting), 0 clients")
            await desk.coordinator.systemWasSuspended(for: .seconds(3_600))
            #expect(await desk.client.receive() == ["active"])
            for client in [desk.client, desk.other] {
                let end = await client.end()
                #expect(end?.code == .sessionTerminatedUnexpectedly)
                #expect(end?.detail == "the system was suspended")
            }
            #expect(desk.clock.remaining == [])
            #expect(await desk.coordinator.overview().description == "1 reader, 0 sessions, 0 clients")
        }
    }

    @Test func `stops its clock`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin()
            await desk.clock.sleeping()
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            #expect(desk.clock.remaining == [])
        }
    }

    @Test(arguments: [nil, "", "Sorry, this tag is not ours."])
    func `by its client keeps the client's message`(words: String?) async throws {
        try await Desk.open { desk in
            let session = try await desk.begin()
            try await desk.coordinator.invalidate(session, errorMessage: words, by: desk.client.id)
            _ = await desk.client.receive()
            #expect(await desk.client.end() == Invalidation(.userCanceled, words ?? ""))
        }
    }

    @Test func `comes with the loss of the service, and the next one works after its return`() async throws {
        try await Desk.open { desk in
            let waiting = RecordingClient(3)
            try await desk.begin()
            try await desk.begin(SessionRequest(whenBusy: .queue), by: desk.other)
            try await desk.begin(SessionRequest(whenBusy: .queue, waitForReader: true), by: waiting)
            desk.driver.report(.serviceUnavailable(reason: "pcscd is gone"))
            _ = await desk.client.receive()
            #expect(await desk.client.end() == Invalidation(.sessionTerminatedUnexpectedly, "pcscd is gone"))
            #expect(await desk.other.end() == Invalidation(.radioDisabled, "pcscd is gone"))
            try await desk.begin()
            #expect(await desk.client.receive() == ["over 6"])
            desk.driver.report(.serviceAvailable, .attached(Fixtures.desk))
            #expect(await waiting.receive() == ["active"])
            await desk.coordinator.clientDisconnected(waiting.id)
            try await desk.begin()
            #expect(await desk.client.receive() == ["active"])
        }
    }

    @Test func `comes with the last of its readers`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin(SessionRequest(readers: ["desk"]))
            desk.driver.report(.detached(Fixtures.door.id))
            await desk.settle()
            #expect(desk.client.log() == ["active"])
            desk.driver.report(.detached(Fixtures.desk.id))
            #expect(await desk.client.receive(2) == ["active", "over 202"])
        }
    }

    @Test func `does not come with a reader if it waits for readers`() async throws {
        try await Desk.open { desk in
            try await desk.begin(SessionRequest(waitForReader: true))
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            desk.driver.report(.detached(Fixtures.desk.id))
            #expect(await desk.client.receive() == ["tag-1 left"])
            desk.driver.report(.attached(Fixtures.desk))
            desk.driver.tap(.url)
            #expect(await desk.client.receive() == ["tag-2 \(Fixtures.url)"])
        }
    }

    @Test func `comes at once with the failure of the last of its readers`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin()
            _ = await desk.client.receive()
            desk.driver.report(.failed(Fixtures.door.id, reason: "an exchange took longer than 5.0 seconds"))
            await desk.settle()
            #expect(desk.client.log() == ["active"])
            desk.driver.report(.failed(Fixtures.desk.id, reason: "connecting took longer than 5.0 seconds"))
            let end = await desk.client.end()
            #expect(end?.code == .sessionTerminatedUnexpectedly)
            #expect(end?.detail == "reader desk failed: connecting took longer than 5.0 seconds")
        }
    }

    @Test func `comes with the last reader, whether it fails or is unplugged`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin()
            desk.driver.report(.failed(Fixtures.door.id, reason: "it hangs"), .detached(Fixtures.desk.id))
            #expect(await desk.client.receive(2) == ["active", "over 202"])
        }
    }

    @Test func `does not come with a failure if it waits for readers, and the tag is detected again`() async throws {
        try await Desk.open { desk in
            try await desk.begin(SessionRequest(waitForReader: true))
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            desk.driver.report(.failed(Fixtures.desk.id, reason: "it hangs"))
            #expect(await desk.client.receive() == ["tag-1 left"])
            desk.driver.report(.recovered(Fixtures.desk.id))
            #expect(await desk.client.receive() == ["tag-2 \(Fixtures.url)"])
        }
    }

    @Test func `comes at once on failed readers`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            desk.driver.report(.failed(Fixtures.desk.id, reason: "it hangs"))
            try await desk.begin(SessionRequest(readers: ["desk"]))
            #expect(
                await desk.client.end() == Invalidation(.unsupportedFeature, "no reader works; desk failed: it hangs"))
            try await desk.begin()
            #expect(await desk.client.receive() == ["active"])
        }
    }

    @Test func `is waited for the recovery of its reader instead, if asked to`() async throws {
        try await Desk.open { desk in
            desk.driver.report(.failed(Fixtures.desk.id, reason: "it hangs"))
            try await desk.begin(SessionRequest(waitForReader: true))
            desk.driver.tap(.url)
            await desk.settle()
            #expect(desk.client.log() == [])
            desk.driver.report(.recovered(Fixtures.desk.id))
            #expect(await desk.client.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
        }
    }

    @Test func `does not come to those in the queue, which continue when the reader recovers`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            try await desk.begin(SessionRequest(whenBusy: .queue), by: desk.other)
            desk.driver.report(.failed(Fixtures.desk.id, reason: "it hangs"))
            #expect(await desk.client.receive(2) == ["active", "over 202"])
            await desk.settle()
            #expect(desk.other.log() == [])
            desk.driver.report(.recovered(Fixtures.desk.id))
            #expect(await desk.other.receive() == ["active"])
        }
    }

    @Test func `waits while the service is being started, and follows what comes of it`() async throws {
        try await Desk.open([]) { desk in
            desk.driver.report(.serviceStarting)
            try await desk.begin()
            try await desk.begin(SessionRequest(readers: ["door"]), by: desk.other)
            await desk.settle()
            #expect(desk.client.log() + desk.other.log() == [])
            desk.driver.report(.attached(Fixtures.desk), .serviceAvailable)
            #expect(await desk.client.receive() == ["active"])
            #expect(await desk.other.receive() == ["over 1"])
            desk.driver.report(.serviceStarting)
            #expect(await desk.client.receive() == ["over 202"])
            try await desk.begin()
            desk.driver.report(.serviceUnavailable(reason: "pcscd is gone"))
            #expect(await desk.client.end() == Invalidation(.radioDisabled, "pcscd is gone"))
        }
    }

    @Test func `comes to all with the end of nfcd`() async throws {
        let desk = Desk([Fixtures.desk], SessionLimits())
        let running = Task { await desk.coordinator.run() }
        let active = try await desk.begin()
        let unbegun = try await desk.coordinator.open(SessionRequest(), for: desk.client)
        let waiting = try await desk.begin(SessionRequest(whenBusy: .queue), by: desk.other)
        running.cancel()
        await running.value
        #expect(desk.client.log(active) == ["active", "over 202"])
        #expect(desk.client.log(unbegun) == ["over 202"])
        #expect(desk.other.log(waiting) == ["over 202"])
    }

    /// What runs on the reader when nfcd ends.
    enum Work: CaseIterable, Sendable {
        case reading, connecting, backgroundReading, heldTag, command, feedback

        var request: SessionRequest? {
            switch self {
            case .reading: SessionRequest()
            case .connecting, .heldTag, .command, .feedback: SessionRequest(kind: .tag)
            case .backgroundReading: nil
            }
        }
    }

    @Test(arguments: Work.allCases)
    func `of nfcd comes after that of everything that runs on its readers`(work: Work) async throws {
        let reader = work == .feedback ? Self.feedback : Fixtures.desk
        let (desk, watcher, exchange) = (Desk([reader], SessionLimits()), Watcher(7), Gate())
        let running = Task { await desk.coordinator.run() }
        let gate = desk.driver.holdConnections()
        if let request = work.request { try await desk.begin(request) } else { try await desk.subscribe(watcher) }
        var card = FakeCard.url
        card.onExchange = { if $0 > 1 { await exchange.pass() } }
        desk.driver.tap(card, on: reader)
        await gate.reached()
        if work.request != nil { #expect(await desk.client.receive() == ["active"]) }
        async let command: Void = {
            guard work == .heldTag || work == .command || work == .feedback else { return }
            gate.open()
            #expect(await desk.client.receive() == ["tag-1 found"])
            guard work != .heldTag, let session = desk.client.sessions.first else { return }
            let tag = TagID(rawValue: "tag-1")
            try await desk.coordinator.connect(tag, of: session, by: desk.client.id)
            let held = try await desk.coordinator.connectedTag(tag, of: session, by: desk.client.id)
            _ = try? await held.takePlace().run { tag throws(TagError) in
                if work == .command {
                    _ = try await tag.readNDEF()
                } else {
                    try await tag.writeNDEF([], verifying: false)
                }
            }
        }()
        if work == .command || work == .feedback { await exchange.reached() }
        if work == .heldTag { try await command }
        running.cancel()
        if work.request != nil { #expect(await desk.client.receive() == ["over 202"]) }
        exchange.open()
        gate.open()
        await running.value
        #expect(desk.driver.openConnections == 0)
        #expect(desk.driver.escapeCount == (work == .feedback ? 1 : 0))
        try await command
    }

    private static let feedback = ReaderDescription(
        id: Fixtures.desk.id, name: Fixtures.desk.name, profile: .acr1252u, givesFeedback: true)

    static let missing: [(readers: [ReaderDescription], wanted: [String]?, code: NFCErrorCode, detail: String)] = [
        ([], nil, .unsupportedFeature, "no reader is plugged in"),
        ([], ["desk"], .unsupportedFeature, "no reader is plugged in"),
        (
            [Fixtures.desk], ["gate", "roof"], .unsupportedFeature,
            "no reader is named gate or roof; available readers: desk"
        ),
    ]

    @Test(arguments: missing)
    func `comes at once without a reader`(
        readers: [ReaderDescription], wanted: [String]?, code: NFCErrorCode, detail: String
    ) async throws {
        try await Desk.open(readers) { desk in
            try await desk.begin(SessionRequest(readers: wanted))
            #expect(await desk.client.end() == Invalidation(code, detail))
        }
    }

    @Test func `is waited for a reader instead, if asked to`() async throws {
        try await Desk.open([]) { desk in
            try await desk.begin(SessionRequest(readers: ["door"], waitForReader: true))
            desk.driver.report(.attached(Fixtures.desk))
            await desk.settle()
            #expect(desk.client.log() == [])
            desk.driver.report(.attached(Fixtures.door))
            #expect(await desk.client.receive() == ["active"])
        }
    }

    enum Operation: CaseIterable, Sendable {
        case restartPolling, setAlertMessage, invalidate

        func perform(on session: SessionID, by client: RecordingClient, at desk: Desk) async throws {
            switch self {
            case .restartPolling: try await desk.coordinator.restartPolling(session, by: client.id)
            case .setAlertMessage: try await desk.coordinator.setAlertMessage("Hello", of: session, by: client.id)
            case .invalidate: try await desk.coordinator.invalidate(session, errorMessage: nil, by: client.id)
            }
        }
    }

    @Test(arguments: Operation.allCases)
    func `and another client's session look alike to a request`(operation: Operation) async throws {
        try await Desk.open { desk in
            let over = try await desk.begin()
            try await desk.coordinator.invalidate(over, errorMessage: nil, by: desk.client.id)
            let foreign = try await desk.begin(by: desk.other)
            for session in [over, foreign, SessionID(rawValue: "session-99")] {
                await #expect(throws: SessionError.invalidated(session)) {
                    try await operation.perform(on: session, by: desk.client, at: desk)
                }
            }
            #expect(desk.other.log() == ["active"])
            try await operation.perform(on: foreign, by: desk.other, at: desk)
        }
    }
}
