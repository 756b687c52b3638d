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
        let entitlements: Entitlements
        var testDescription: String { "uid \(principal.userID) in \(principal.groupIDs.sorted())" }

        init(_ user: UInt32, _ groups: Set<UInt32>, _ entitlements: Entitlements) {
            principal = Principal(userID: user, groupIDs: groups)
            self.entitlements = entitlements
        }
    }

    @Test(arguments: [
        Row(0, [], .everything), Row(990, [50], .everything), Row(1000, [100], kiosk), Row(1001, [100, 50], door),
        Row(
            1000, [50],
            Entitlements(
                formats: [.ndef, .tag], capabilities: [.read, .raw], selectIdentifiers: .some([[0xA0, 0, 0, 3, 8]]),
                readers: .some(["desk", "door"]))),
        Row(1001, [100], Entitlements()),
    ]) func `add up the grants to a user and to all its groups`(row: Row) {
        #expect(Self.rules.entitlements(of: row.principal) == row.entitlements)
    }

    @Test func `let a grant of everything swallow a list`() {
        let rules = AccessRules(
            grants: [Grant(to: .everyone, Self.door), Grant(to: .user(7), Entitlements(selectIdentifiers: .all))])
        #expect(rules.entitlements(of: Principal(userID: 7, groupIDs: [])).selectIdentifiers == .all)
        #expect(rules.entitlements(of: Principal(userID: 8, groupIDs: [])).selectIdentifiers != .all)
    }

    @Test func `let only root lock tags or manage other clients, unless configured otherwise`() {
        let rules = AccessRules()
        let other = rules.entitlements(of: Principal(userID: 1000, groupIDs: [1000]))
        #expect(other.capabilities.isDisjoint(with: [.lock, .manage, .monitor]))
        #expect(rules.entitlements(of: Principal(userID: 0, groupIDs: [])).capabilities.contains(.lock))
    }

    @Test func `can be replaced while they are in force`() {
        let policy = AccessPolicy()
        let principal = Principal(userID: 1000, groupIDs: [])
        #expect(policy.entitlements(of: principal).capabilities.contains(.read))
        policy.replace(with: AccessRules(grants: []))
        #expect(policy.entitlements(of: principal) == Entitlements())
    }
}

@Suite struct `Entitlements to a session` {
    static let login = Entitlements(
        formats: [.tag], selectIdentifiers: .some([[0xA0, 0, 0, 3, 8]]), systemCodes: .some([0x12FC]),
        readers: .some(["desk"]))
    static let desk = ReaderDescription(id: ReaderID(rawValue: "desk"), name: "Desk Reader")
    static let door = ReaderDescription(id: ReaderID(rawValue: "door"), name: "Door Reader")

    @Test func `let pass what they name`() {
        let objection = Self.login.objection(
            toFormat: .tag, selectIdentifiers: [[0xA0, 0, 0, 3, 8]], systemCodes: [0x12FC], readers: ["desk"])
        #expect(objection == nil)
        #expect(
            Entitlements.everything.objection(
                toFormat: .pace, selectIdentifiers: [[1, 2, 3, 4, 5]], systemCodes: [3], readers: ["nowhere"]) == nil)
    }

    @Test func `name the format that is missing`() {
        #expect(Self.login.objection(toFormat: .ndef)?.detail.contains(#"formats = ["NDEF"]"#) == true)
    }

    @Test(arguments: [[[0xA0, 0, 0, 3, 9]], [[0xA0, 0, 0, 3, 8, 0]], [[0xA0, 0, 0, 3, 8], [0xA0, 0, 0, 0x0F, 1]]])
    func `name the application that is missing`(names: [[UInt8]]) throws {
        let objection = try #require(Self.login.objection(toFormat: .tag, selectIdentifiers: names))
        #expect(objection.code == .securityViolation)
        let missing = names.last?.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined() ?? ""
        #expect(objection.detail.contains("iso7816-select-identifiers = [\"\(missing)\"]"))
    }

    @Test func `name the FeliCa system that is missing`() {
        let objection = Self.login.objection(toFormat: .tag, systemCodes: [0x12FC, 0x0003])
        #expect(objection?.detail.contains(#"felica-system-codes = ["0003"]"#) == true)
    }

    @Test(arguments: [
        (["Desk Reader"], true), (["desk", "Desk Reader"], true), (["door"], false), (["Door Reader"], false),
    ])
    func `know a reader by both of its names`(names: [String], isGranted: Bool) {
        let objection = Self.login.objection(toFormat: .tag, readers: names, among: [Self.desk, Self.door])
        #expect((objection == nil) == isGranted)
    }

    @Test func `bound a session that asks for nothing in particular`() {
        let some = Entitlements(
            selectIdentifiers: .some([[0xA0, 1], [0xA0], [1, 2]]), systemCodes: .some([0x12FC, 3]))
        #expect(some.selectIdentifiers.whole == [[1, 2], [0xA0], [0xA0, 1]])
        #expect(some.systemCodes.whole == [3, 0x12FC])
        #expect(some.readers.whole == [])
        #expect(Entitlements.everything.selectIdentifiers.whole == nil)
        #expect(Entitlements.everything.systemCodes.whole == nil)
    }

    @Test func `without a reader are worth nothing`() {
        let objection = Entitlements(formats: [.tag]).objection(toFormat: .tag)
        #expect(objection?.detail.contains(#"readers = ["*"]"#) == true)
    }

    @Test func `answer the same for one capability as for all`() {
        let rules = AccessRules(
            grants: [
                Grant(to: .user(7), Entitlements(capabilities: [.raw])),
                Grant(to: .group(8), Entitlements(capabilities: [.lock])),
            ], superusers: [9])
        for user in UInt32(6)...9 {
            for groups in [[], [UInt32(8)]] {
                let principal = Principal(userID: user, groupIDs: Set(groups))
                for capability in Capability.allCases {
                    let whole = rules.entitlements(of: principal).capabilities.contains(capability)
                    #expect(rules.grants(capability, to: principal) == whole)
                }
            }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Granted readers` {
    private static func request(_ granted: Set<String>, readers: [String]? = nil) -> SessionRequest {
        var request = SessionRequest(readers: readers)
        request.grantedReaders = .some(granted)
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
}
