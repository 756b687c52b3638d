import NFCReaders
import NFCTags
import Testing

@testable import NFCSessions

@Suite struct `Access rules` {
    private static let kiosk = Entitlements(formats: [.ndef], capabilities: [.read], readers: .some(["desk"]))
    private static let door = Entitlements(
        formats: [.tag], capabilities: [.raw], selectIdentifiers: .some([[0xA0, 0, 0, 3, 8]]), readers: .some(["door"]))
    private static let rules = AccessRules(
        grants: [Grant(to: .user(1000), kiosk), Grant(to: .group(50), door)], superusers: [0, 990])

    struct Row: Sendable, CustomTestStringConvertible {
        let principal: Principal
        let sentences: [Entitlements]
        var testDescription: String { "uid \(principal.userID) in \(principal.groupIDs.sorted())" }

        init(_ user: UInt32, _ groups: Set<UInt32>, _ sentences: [Entitlements]) {
            principal = Principal(userID: user, groupIDs: groups)
            self.sentences = sentences
        }
    }

    @Test(arguments: [
        Row(0, [], [.everything]), Row(990, [50], [.everything]), Row(1000, [100], [kiosk]),
        Row(1001, [100, 50], [door]), Row(1000, [50], [kiosk, door]), Row(1001, [100], []),
    ]) func `add up the grants to a user and to all its groups as sentences`(row: Row) {
        #expect(Self.rules.permissions(of: row.principal).sentences == row.sentences)
    }

    /// A process on a further socket.
    private static func behind(_ socket: String?, _ user: UInt32, _ groups: Set<UInt32> = []) -> Principal {
        Principal(userID: user, groupIDs: groups, socket: socket)
    }

    @Test(
        arguments: [
            (behind(nil, 0), [.everything]), (behind(nil, 990), [.everything]), (behind(nil, 7), [door]),
            (behind("kiosk", 0), [kiosk]), (behind("kiosk", 990), [kiosk]), (behind("kiosk", 4_294_967_294), [kiosk]),
            (behind("kiosk", 1000), [kiosk, door]), (behind("kiosk", 1, [50]), [kiosk]),
            (behind("trusted", 0), [.everything]), (behind("trusted", 990), []), (behind("trusted", 7), []),
            (behind("other", 0), []), (behind("", 0), []),
        ] as [(Principal, [Entitlements])])
    func `give a further socket its own grants, whatever user a client is`(
        principal: Principal, sentences: [Entitlements]
    ) {
        let rules = AccessRules(
            grants: [
                Grant(to: .everyone, Self.door), Grant(to: .everyone, on: "kiosk", Self.kiosk),
                Grant(to: .user(1000), on: "kiosk", Self.door),
            ], superusers: [0, 990], rootSockets: ["trusted"])
        #expect(rules.permissions(of: principal).sentences == sentences)
    }

    @Test func `let only root lock tags or manage other clients, unless configured otherwise`() {
        let rules = AccessRules()
        let other = rules.permissions(of: Principal(userID: 1000, groupIDs: [1000]))
        for capability in [Capability.lock, .manage, .monitor] { #expect(!other.allow([capability])) }
        #expect(rules.permissions(of: Principal(userID: 0, groupIDs: [])).allow([.lock]))
    }

    @Test func `can be replaced while they are in force`() {
        let policy = AccessPolicy()
        let principal = Principal(userID: 1000, groupIDs: [])
        #expect(policy.permissions(of: principal).allow([.read]))
        policy.replace(with: AccessRules(grants: []))
        #expect(policy.permissions(of: principal) == Permissions())
    }
}

@Suite(.timeLimit(.minutes(20))) struct `Granted readers` {
    private static func request(_ granted: Set<String>, readers: [String]? = nil) -> SessionRequest {
        let permissions = Permissions([
            Entitlements(formats: [.ndef], capabilities: [.read], readers: .some(granted))
        ])
        var request = SessionRequest(readers: readers)
        request.grantedReaders = permissions.readers(for: request)
        return request
    }

    @Test func `are all that a session gets, and others share the rest`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin(Self.request(["desk"]))
            #expect(await desk.client.receive() == ["active"])
            try await desk.begin(Self.request(["door"]), by: desk.other)
            #expect(await desk.other.receive() == ["active"])
        }
    }

    @Test func `bound what a session names`() async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            try await desk.begin(Self.request(["desk"], readers: ["desk", "door"]))
            try await desk.begin(SessionRequest(readers: ["door"]), by: desk.other)
            #expect(await desk.other.receive() == ["active"])
        }
    }

    @Test func `that are not plugged in are named`() async throws {
        try await Desk.open([Fixtures.desk]) { desk in
            try await desk.begin(Self.request(["gate"]))
            let end = await desk.client.end()
            #expect(end?.code == .unsupportedFeature)
            #expect(end?.detail.contains("no reader is named gate") == true)
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

    @Test(arguments: [
        (Permissions.everything, false), (Permissions(), true),
        (Permissions([Entitlements(formats: [.ndef], capabilities: [.read], readers: .some(["desk", "door"]))]), true),
        (Permissions([Entitlements(formats: [.ndef], capabilities: [.read], readers: .all)]), false),
        (Permissions([Entitlements(formats: [.ndef], readers: .all)]), true),
    ])
    func `that are taken away end a session with 2`(permissions: Permissions, ends: Bool) async throws {
        try await Desk.open([Fixtures.desk, Fixtures.door]) { desk in
            let session = try await desk.begin()
            try await desk.begin(SessionRequest(whenBusy: .queue))
            desk.client.permissions = permissions
            await desk.coordinator.accessRulesChanged()
            #expect(await desk.coordinator.summaries().contains { $0.id == session } != ends)
            await desk.settle()
            #expect(desk.client.log().count { $0 == "over 2" } == (ends ? 2 : 0))
        }
    }
}
