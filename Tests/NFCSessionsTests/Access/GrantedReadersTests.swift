import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

@Suite(.timeLimit(.minutes(5))) struct `Granted readers` {
    private static func request(_ granted: Set<String>, readers: [String]? = nil) -> SessionRequest {
        var request = SessionRequest(readers: readers)
        request.grantedReaders = .some(granted)
        return request
    }

    @Test func `are all that a session gets, and others share the rest`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin(Self.request(["desk"]))
            #expect(await desk.client.hear() == ["active"])
            try await desk.begin(Self.request(["door"]), by: desk.other)
            #expect(await desk.other.hear() == ["active"])
        }
    }

    @Test func `bound what a session names`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin(Self.request(["desk"], readers: ["desk", "door"]))
            try await desk.begin(SessionRequest(readers: ["door"]), by: desk.other)
            #expect(await desk.other.hear() == ["active"])
        }
    }

    @Test func `that are not plugged in are named`() async throws {
        try await Desk.open([Fixtures.desk]) { desk in
            try await desk.begin(Self.request(["gate"]))
            let end = await desk.client.end()
            #expect(end?.code == .unsupportedFeature)
            #expect(end?.detail.contains("no reader is called gate") == true)
        }
    }

    @Test func `a session with an objection ends with it, once, and never begins`() async throws {
        try await Desk.open { desk in
            let id = try await desk.coordinator.open(SessionRequest(), for: desk.client)
            await desk.coordinator.begin(id, unless: TagError(.securityViolation, "no"))
            let end = await desk.client.end()
            #expect(end == Invalidation(.securityViolation, "no"))
            await desk.coordinator.begin(id, unless: nil)
            await desk.settle()
            #expect(desk.client.log().filter { $0 == "active" }.isEmpty)
        }
    }

    @Test func `other limits hold for the next session`() async throws {
        try await Desk.open(limits: SessionLimits(sessionsPerClient: 1)) { desk in
            try await desk.begin()
            await #expect(throws: SessionError.tooManySessions(limit: 1)) { try await desk.begin() }
            await desk.coordinator.replace(limits: SessionLimits(sessionsPerClient: 2))
            try await desk.begin()
            #expect(await desk.coordinator.limits.sessionsPerClient == 2)
        }
    }
}
