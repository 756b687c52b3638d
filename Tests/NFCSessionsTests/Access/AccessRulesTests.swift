import NFCSessions
import Testing

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
            grants: [Grant(to: .everybody, Self.door), Grant(to: .user(7), Entitlements(selectIdentifiers: .all))])
        #expect(rules.entitlements(of: Principal(userID: 7, groupIDs: [])).selectIdentifiers == .all)
        #expect(rules.entitlements(of: Principal(userID: 8, groupIDs: [])).selectIdentifiers != .all)
    }

    @Test func `let nobody but root lock tags or manage others, unless told so`() {
        let rules = AccessRules()
        let anybody = rules.entitlements(of: Principal(userID: 1000, groupIDs: [1000]))
        #expect(anybody.capabilities.isDisjoint(with: [.lock, .manage, .monitor]))
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
