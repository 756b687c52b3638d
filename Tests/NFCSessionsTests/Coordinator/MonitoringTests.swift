import NFCReaders
import NFCTags
import Testing
import TestSupport

@testable import NFCSessions

/// The events for clients that monitor nfcd, and the commands of an operator.
@Suite(.timeLimit(.minutes(20))) struct `Monitoring` {
    let watcher = Watcher(7)

    @Test func `reports readers and tags that come and go from then on`() async throws {
        try await Desk.open { desk in
            await desk.settle()
            await desk.coordinator.addListener(watcher)
            await desk.coordinator.addListener(watcher)
            desk.driver.report(
                .attached(Fixtures.door), .failed(Fixtures.door.id, reason: "mute"), .recovered(Fixtures.door.id))
            desk.driver.tap(.url)
            desk.driver.lift()
            desk.driver.report(.detached(Fixtures.door.id), .serviceUnavailable(reason: "pcscd ended"))
            await desk.settle()
            #expect(
                watcher.log == [
                    "door attached", "door failed: mute", "door recovered", "desk tag", "desk empty", "door detached",
                    "desk detached",
                ])
        }
    }

    @Test func `a reader that another program releases has not recovered from a failure`() async throws {
        try await Desk.open { desk in
            await desk.settle()
            await desk.coordinator.addListener(watcher)
            desk.driver.report(.blocked(Fixtures.desk.id, reason: "held"), .recovered(Fixtures.desk.id))
            await desk.settle()
            #expect(watcher.log == [])
        }
    }

    @Test func `reports sessions that begin and end, in that order`() async throws {
        try await Desk.open { desk in
            await desk.coordinator.addListener(watcher)
            let first = try await desk.begin()
            try await desk.begin(SessionRequest(whenBusy: .queue), by: desk.other)
            try await desk.begin(by: desk.other)
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(
                watcher.log.suffix(4) == [
                    "session-1 of uid 1 began on desk", "session-3 ended 203", "session-1 ended 200",
                    "session-2 of uid 2 began on desk",
                ])
        }
    }

    @Test func `ends with the client`() async throws {
        try await Desk.open { desk in
            await desk.coordinator.addListener(watcher)
            await desk.settle()
            await desk.coordinator.clientDisconnected(watcher.id)
            let before = watcher.log
            desk.driver.tap(.url)
            await desk.settle()
            #expect(watcher.log == before)
        }
    }

    @Test func `an operator sees active sessions and those that wait, with their times`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin(SessionRequest(alertMessage: "Hold it here", readers: ["desk"], timeout: .seconds(20)))
            desk.clock.advance(by: .seconds(5))
            try await desk.begin(SessionRequest(readers: ["desk"], whenBusy: .queue), by: desk.other)
            desk.clock.advance(by: .seconds(2))
            // Opened, not begun: not listed.
            _ = try await desk.coordinator.open(SessionRequest(), for: desk.other)
            let sessions = await desk.coordinator.summaries()
            #expect(sessions.map(\.id.rawValue) == ["session-1", "session-2"])
            #expect(sessions.map(\.state) == [.active, .queued])
            #expect(sessions.map(\.age) == [.seconds(7), .seconds(2)])
            #expect(sessions.map(\.remaining) == [.seconds(13), nil])
            #expect(sessions.map(\.readers) == [[Fixtures.desk.id], [Fixtures.desk.id]])
            #expect(sessions.map(\.alertMessage) == ["Hold it here", ""])
        }
    }

    @Test func `an operator ends any client's session once, and the next one gets its turn`() async throws {
        try await Desk.open { desk in
            let session = try await desk.begin()
            try await desk.begin(SessionRequest(whenBusy: .queue), by: desk.other)
            #expect(await desk.client.receive() == ["active"])
            try await desk.coordinator.cancel(session, errorMessage: "enough")
            let end = await desk.client.end()
            #expect(end == Invalidation(.userCanceled, "enough"))
            #expect(await desk.other.receive() == ["active"])
            await #expect(throws: SessionError.invalidated(session)) {
                try await desk.coordinator.cancel(session, errorMessage: nil)
            }
        }
    }
}
