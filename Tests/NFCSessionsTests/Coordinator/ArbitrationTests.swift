import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

/// Who gets a reader.
@Suite(.timeLimit(.minutes(5))) struct `Arbitration between sessions` {
    static let queued = SessionRequest(whenBusy: .queue)

    @Test func `a second session is told who holds the reader`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            #expect(await desk.client.hear() == ["active"])
            try await desk.begin(by: desk.other)
            let end = await desk.other.end()
            #expect(end?.code == .systemIsBusy)
            #expect(end?.detail.contains(desk.client.label) == true)
            #expect(desk.client.log() == ["active"])
        }
    }

    @Test func `sessions that queue get their turn in their order`() async throws {
        try await Desk.open { desk in
            let third = RecordingClient(3)
            let first = try await desk.begin()
            let second = try await desk.begin(Self.queued, by: desk.other)
            try await desk.begin(Self.queued, by: third)
            #expect(desk.other.log() == [])
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(await desk.other.hear() == ["active"])
            #expect(third.log() == [])
            try await desk.coordinator.invalidate(second, errorMessage: nil, by: desk.other.id)
            #expect(await third.hear() == ["active"])
        }
    }

    @Test func `a queue is not overtaken`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            let third = RecordingClient(3)
            try await desk.begin(SessionRequest(readers: ["desk"]))
            try await desk.begin(Self.queued, by: desk.other)
            try await desk.begin(SessionRequest(readers: ["door"]), by: third)
            let end = await third.end()
            #expect(end?.code == .systemIsBusy)
            #expect(end?.detail.contains(desk.other.label) == true)
        }
    }

    @Test func `one that waits for a reader not yet there keeps its place when it comes`() async throws {
        try await Desk.open { desk in
            let third = RecordingClient(3)
            let holder = try await desk.begin()
            try await desk.begin(
                SessionRequest(readers: ["desk", "door"], whenBusy: .queue, waitForReader: true), by: desk.other)
            desk.driver.tell(.detached(Fixtures.desk.id))
            #expect(await desk.client.hear(2) == ["active", "over 202"])
            try await desk.begin(SessionRequest(readers: ["desk"], whenBusy: .queue, waitForReader: true), by: third)
            desk.driver.tell(.attached(Fixtures.desk))
            #expect(await desk.other.hear() == ["active"])
            #expect(third.log() == [])
            #expect(desk.client.log(holder) == ["active", "over 202"])
        }
    }

    @Test func `sessions on different readers are active together`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin(SessionRequest(readers: ["desk"]))
            try await desk.begin(SessionRequest(readers: ["The door reader"]), by: desk.other)
            #expect(await desk.client.hear() == ["active"])
            #expect(await desk.other.hear() == ["active"])
            desk.driver.tap(.url, on: Fixtures.door)
            #expect(await desk.other.hear() == ["tag-1 \(Fixtures.url)"])
            desk.driver.tap(.url)
            #expect(await desk.client.hear() == ["tag-1 \(Fixtures.url)"])
            #expect(await desk.coordinator.readers().map(\.isInUse) == [true, true])
        }
    }

    @Test func `the reader is free before its session hears of the end`() async throws {
        try await Desk.open { desk in
            let first = try await desk.begin()
            desk.client.react { event in
                guard case .didInvalidate = event else { return }
                Task { try await desk.begin(by: desk.other) }
            }
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(await desk.client.hear(2) == ["active", "over 200"])
            #expect(await desk.other.hear() == ["active"])
        }
    }

    @Test func `a client that left frees its readers for the next`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            try await desk.begin(Self.queued, by: desk.other)
            await desk.coordinator.clientLeft(desk.client.id)
            #expect(await desk.client.hear(2) == ["active", "over 202"])
            #expect(await desk.other.hear() == ["active"])
        }
    }

    @Test func `a client that left never becomes active again`() async throws {
        try await Desk.open { desk in
            try await desk.begin()
            let queued = try await desk.begin(Self.queued)
            let unbegun = try await desk.coordinator.open(SessionRequest(), for: desk.client)
            await desk.coordinator.clientLeft(desk.client.id)
            #expect(desk.client.log(queued) == ["over 202"])
            #expect(desk.client.log(unbegun) == ["over 202"])
        }
    }

    @Test func `one that stops waiting is no longer in the way`() async throws {
        try await Desk.open { desk in
            let third = RecordingClient(3)
            let first = try await desk.begin()
            let second = try await desk.begin(Self.queued, by: desk.other)
            try await desk.begin(Self.queued, by: third)
            try await desk.coordinator.invalidate(second, errorMessage: nil, by: desk.other.id)
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            #expect(await third.hear() == ["active"])
            #expect(desk.other.log() == ["over 200"])
        }
    }

    @Test func `a client may have so many sessions and no more`() async throws {
        try await Desk.open(limits: SessionLimits(sessionsPerClient: 2)) { desk in
            let first = try await desk.coordinator.open(SessionRequest(), for: desk.client)
            _ = try await desk.coordinator.open(SessionRequest(), for: desk.client)
            await #expect(throws: SessionError.tooManySessions(limit: 2)) {
                try await desk.coordinator.open(SessionRequest(), for: desk.client)
            }
            _ = try await desk.coordinator.open(SessionRequest(), for: desk.other)
            try await desk.coordinator.invalidate(first, errorMessage: nil, by: desk.client.id)
            let next = try await desk.coordinator.open(SessionRequest(), for: desk.client)
            #expect(next != first)
        }
    }
}
