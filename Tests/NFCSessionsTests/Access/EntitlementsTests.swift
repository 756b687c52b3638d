import NFCReaders
import NFCSessions
import NFCTags
import Testing

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
                for capability in Entitlements.Capability.allCases {
                    let whole = rules.entitlements(of: principal).capabilities.contains(capability)
                    #expect(rules.grants(capability, to: principal) == whole)
                }
            }
        }
    }
}
