import NFCReaders
import NFCTags
import TestSupport
import Testing

@testable import NFCSessions

/// Sessions that are given tags, to command them.
@Suite(.timeLimit(.minutes(20))) struct `Tags held for commands` {
    static let request = SessionRequest(detection: .tags)
    static let tag = TagID(rawValue: "tag-1")

    /// The code that asking for the tag that takes commands gives; nil if there is one.
    private static func objection(
        _ desk: Desk, _ session: SessionID, _ tag: TagID = tag, by client: RecordingClient? = nil
    ) async -> Int? {
        do throws(TagError) {
            _ = try await desk.coordinator.connectedTag(tag, of: session, by: (client ?? desk.client).id)
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    @Test func `a tag is reported, and held until it leaves`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(Self.request)
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            #expect(desk.driver.openConnections == 1)
            try await desk.coordinator.connect(Self.tag, of: session, by: desk.client.id)
            desk.driver.lift()
            #expect(await desk.client.receive() == ["tag-1 left"])
            await desk.driver.allClosed()
        }
    }

    @Test func `it takes commands once it is connected to, and no other client's`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(Self.request)
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            #expect(await Self.objection(desk, session) == 104)
            try await desk.coordinator.connect(Self.tag, of: session, by: desk.client.id)
            #expect(await Self.objection(desk, session) == nil)
            #expect(await Self.objection(desk, session, by: desk.other) == 103)
            #expect(await Self.objection(desk, session, TagID(rawValue: "tag-7")) == 100)
            desk.driver.lift()
            #expect(await desk.client.receive() == ["tag-1 left"])
            #expect(await Self.objection(desk, session) == 100)
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            #expect(await Self.objection(desk, session) == 103)
        }
    }

    @Test func `it is released when the session ends, before another session gets it`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(Self.request)
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            try await desk.coordinator.connect(Self.tag, of: session, by: desk.client.id)
            let held = try await desk.coordinator.connectedTag(Self.tag, of: session, by: desk.client.id)
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            try await desk.begin(by: desk.other)
            #expect(await desk.other.receive(2) == ["active", "tag-1 \(Fixtures.url)"])
            #expect(desk.driver.mostConnections == 1)
            await #expect(throws: CommandFailure.dropped(.refused(.invalidated(session)))) {
                try await held.takePlace().run { tag throws(TagError) in try await tag.readNDEF() }
            }
        }
    }

    @Test func `it is detected again under another name when polling is restarted`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(Self.request)
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            try await desk.coordinator.connect(Self.tag, of: session, by: desk.client.id)
            #expect(await Self.objection(desk, session) == nil)
            desk.clock.advance(by: DetectionPace.interval)
            try await desk.coordinator.restartPolling(session, by: desk.client.id)
            #expect(await desk.client.receive() == ["tag-2 found"])
            #expect(desk.driver.mostConnections == 1)
            #expect(await Self.objection(desk, session) == 100)
            #expect(await Self.objection(desk, session, TagID(rawValue: "tag-2")) == 104)
        }
    }

    @Test func `one that leaves while nfcd connects to it is reported, then its removal, and it is released`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.begin(Self.request)
            let gate = desk.driver.holdConnections()
            desk.driver.tap(.url)
            await gate.reached()
            desk.driver.report(.tagLeft(Fixtures.desk.id))
            await desk.settle()
            gate.open()
            #expect(await desk.client.receive(3) == ["active", "tag-1 found", "tag-1 left"])
            await desk.driver.allClosed()
        }
    }

    @Test func `one that is no longer wanted by then is released`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(Self.request)
            let gate = desk.driver.holdConnections()
            desk.driver.tap(.url)
            await gate.reached()
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            gate.open()
            #expect(await desk.client.receive(2) == ["active", "over 200"])
            await desk.driver.allClosed()
        }
    }

    @Test func `a failed connection is reported, and the next tag is detected`() async throws {
        try await Desk.open { desk in
            try await desk.begin(Self.request)
            desk.driver.tap(.url.refusing(.busy))
            #expect(await desk.client.receive(2) == ["active", "desk failed 203"])
            desk.driver.lift()
            desk.driver.tap(.url)
            #expect(await desk.client.receive() == ["tag-1 found"])
        }
    }

    /// The attempts until the other program releases the reader.
    @Test(arguments: [1, 2, 5, 20]) func `a reader that another program holds is tried until it is released`(
        attempts: Int
    ) async throws {
        try await Desk.open { desk in
            try await desk.begin(Self.request)
            desk.driver.tap(.url.refusing(.busy))
            #expect(await desk.client.receive(2) == ["active", "desk failed 203"])
            for _ in 1..<attempts {
                await desk.clock.sleeping(for: SessionCoordinator.retryPause)
                desk.clock.advance(by: SessionCoordinator.retryPause)
            }
            await desk.clock.sleeping(for: SessionCoordinator.retryPause)
            desk.driver.replace(.url)
            desk.clock.advance(by: SessionCoordinator.retryPause)
            #expect(await desk.client.receive() == ["tag-1 found"])
            #expect(desk.driver.connections == attempts + 1)
        }
    }

    @Test func `a reader that another program releases is used at once`() async throws {
        try await Desk.open { desk in
            try await desk.begin(Self.request)
            desk.driver.tap(.url.refusing(.busy))
            #expect(await desk.client.receive(2) == ["active", "desk failed 203"])
            desk.driver.replace(.url)
            desk.driver.report(.blocked(Fixtures.desk.id, reason: "held"), .recovered(Fixtures.desk.id))
            #expect(await desk.client.receive() == ["tag-1 found"])
        }
    }

    @Test func `a message is read once the other program has released the reader`() async throws {
        try await Desk.open { desk in
            try await desk.begin(SessionRequest(invalidateAfterFirstRead: true))
            desk.driver.tap(.url.refusing(.busy))
            #expect(await desk.client.receive() == ["active"])
            guard case .didDetectNDEFs(_, let reading) = await desk.client.next() else {
                Issue.record("no report")
                return
            }
            #expect(reading.failure?.code == .systemIsBusy)
            await desk.clock.sleeping(for: SessionCoordinator.retryPause)
            desk.driver.replace(.url)
            desk.clock.advance(by: SessionCoordinator.retryPause)
            #expect(await desk.client.receive() == ["tag-1 left"])
            #expect(await desk.client.receive(2).last == "over 204")
        }
    }

    @Test func `a session whose time is over reports that another program held the reader`() async throws {
        try await Desk.open(limits: SessionLimits(timeout: .seconds(1))) { desk in
            try await desk.begin(Self.request)
            desk.driver.tap(.url.refusing(.busy))
            #expect(await desk.client.receive(2) == ["active", "desk failed 203"])
            await desk.clock.sleeping(for: SessionCoordinator.retryPause)
            desk.clock.advance(by: .seconds(1))
            let end = await desk.client.end()
            #expect(end?.code == .sessionTimeout)
            #expect(end?.detail.contains("another program held") == true, "\(end?.detail ?? "")")
        }
    }

    @Test func `only one tag takes commands at a time`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            let session = try await desk.begin(Self.request)
            #expect(await desk.client.receive() == ["active"])
            desk.driver.tap(.url)
            #expect(await desk.client.receive() == ["tag-1 found"])
            desk.driver.tap(.url, on: Fixtures.door)
            #expect(await desk.client.receive() == ["tag-2 found"])
            try await desk.coordinator.connect(Self.tag, of: session, by: desk.client.id)
            try await desk.coordinator.connect(TagID(rawValue: "tag-2"), of: session, by: desk.client.id)
            #expect(await Self.objection(desk, session) == 104)
            #expect(await Self.objection(desk, session, TagID(rawValue: "tag-2")) == nil)
        }
    }

    @Test func `tags that are in the field as it begins are reported together, also where one fails`() async throws {
        let gate = Fixtures.reader("gate")
        try await Desk.open([Fixtures.desk, Fixtures.door, gate]) { desk in
            desk.driver.tap(.url)
            desk.driver.tap(.empty, on: Fixtures.door)
            desk.driver.tap(.url.refusing(.timedOut), on: gate)
            let session = try await desk.begin(SessionRequest(kind: .tag))
            let received = await desk.client.receive(3)
            #expect(received.first == "active" && received.contains("gate failed 102"))
            #expect(["tag-1 found tag-2 found", "tag-2 found tag-1 found"].contains { received.contains($0) })
            desk.clock.advance(by: DetectionPace.interval)
            try await desk.coordinator.restartPolling(session, by: desk.client.id)
            #expect(Set(await desk.client.receive(2)).contains("gate failed 102"))
        }
    }

    @Test func `a tag of a technology that is not polled for is not reported until a restart polls for it`()
        async throws
    {
        let reader = ReaderDescription(
            id: Fixtures.desk.id, name: "The desk reader", technologies: [.iso14443, .iso15693])
        for request in [SessionRequest(kind: .tag, polling: [.iso15693]), SessionRequest(polling: [.iso15693])] {
            try await Desk.open([reader]) { desk in
                let gate = desk.driver.holdConnections()
                desk.driver.tap(.url)
                let session = try await desk.begin(request)
                await gate.reached()
                gate.open()
                await desk.driver.allClosed()
                await desk.settle()
                #expect(desk.client.log() == ["active"])
                desk.clock.advance(by: DetectionPace.interval)
                try await desk.coordinator.restartPolling(
                    session, PollingChange(technologies: [.iso14443]), by: desk.client.id)
                let found = await desk.client.receive(2).last
                #expect(found?.hasPrefix("tag-1") == true)
            }
        }
    }
}
