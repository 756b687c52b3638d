import NFCReaders
import NFCTags
import TestSupport
import Testing

@testable import NFCSessions

/// How often a tag that stays in the field is detected, however often polling is restarted.
@Suite(.timeLimit(.minutes(20))) struct `Restarts of polling` {
    private static let request = SessionRequest(detection: .tags)

    /// Restarts polling, and leaves room for a detection that would not wait.
    private static func restart(_ desk: Desk, _ session: SessionID) async throws {
        try await desk.coordinator.restartPolling(session, by: desk.client.id)
        for _ in 0..<100 { await Task.yield() }
        await desk.settle()
    }

    @Test(arguments: [SessionRequest(detection: .tags), SessionRequest(detection: .messages)])
    func `a tag that stays is detected again half a second after it was`(_ request: SessionRequest) async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(request)
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2).last?.hasPrefix("tag-1") == true)
            desk.clock.advance(by: .milliseconds(200))
            for _ in 0..<20 { try await Self.restart(desk, session) }
            #expect(desk.client.log().count == 2)
            await desk.clock.sleeping(for: .milliseconds(300))
            desk.clock.advance(by: .milliseconds(300))
            #expect(await desk.client.receive().last?.hasPrefix("tag-2") == true)
            #expect(desk.client.log().count == 3)
        }
    }

    @Test func `a tag that was detected before that is detected at once`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(Self.request)
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            desk.clock.advance(by: .milliseconds(500))
            try await Self.restart(desk, session)
            #expect(await desk.client.receive() == ["tag-2 found"])
        }
    }

    @Test func `another tag is detected at once, and the one that left never`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(Self.request)
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            try await Self.restart(desk, session)
            desk.driver.lift()
            desk.driver.tap(.empty)
            #expect(await desk.client.receive() == ["tag-2 found"])
            desk.clock.advance(by: .seconds(1))
            await desk.settle()
            #expect(desk.client.log() == ["active", "tag-1 found", "tag-2 found"])
        }
    }

    @Test func `tags are detected together also when they have to wait`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            let session = try await desk.begin(Self.request)
            #expect(await desk.client.receive() == ["active"])
            desk.driver.tap(.url)
            #expect(await desk.client.receive() == ["tag-1 found"])
            desk.clock.advance(by: .milliseconds(400))
            desk.driver.tap(.url, on: Fixtures.door)
            #expect(await desk.client.receive() == ["tag-2 found"])
            desk.clock.advance(by: .milliseconds(200))
            try await Self.restart(desk, session)
            await desk.clock.sleeping(for: .milliseconds(300))
            desk.clock.advance(by: .milliseconds(300))
            let found = await desk.client.receive()
            #expect(["tag-3 found tag-4 found", "tag-4 found tag-3 found"].contains(found.first))
        }
    }

    @Test func `a session that ends while a tag waits detects nothing more`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin(Self.request)
            desk.driver.tap(.url)
            #expect(await desk.client.receive(2) == ["active", "tag-1 found"])
            try await Self.restart(desk, session)
            try await desk.coordinator.invalidate(session, errorMessage: nil, by: desk.client.id)
            desk.clock.advance(by: .seconds(1))
            await desk.settle()
            #expect(desk.client.log() == ["active", "tag-1 found", "over 200"])
            // The tag is new to the next session.
            try await desk.begin(Self.request, by: desk.other)
            #expect(await desk.other.receive(2) == ["active", "tag-1 found"])
        }
    }
}
