import NFCSessions
import NFCTypes
import SecureTags
import TagProofs
import Testing
import VirtualTags

/// A DESFire that has to answer a challenge and to show its protected file.
@Suite struct DESFireProofTests {
    private static func profile(_ change: (inout TagProfile) -> Void = { _ in }) -> TagProfile {
        var profile = TagProfile(
            name: "fob", product: .desfire, keys: [.master: "master", .tag: "door", .write: "write"])
        profile.application = [0xF5, 0x1C, 0xD6]
        change(&profile)
        return profile
    }

    private static let ev1 = profile { $0.messaging = .ev1 }
    private static let credential: [UInt8] = Array("member 0815".utf8)

    private static func content(_ uid: [UInt8] = Site.uid) -> [UInt8] {
        [0x01, UInt8(credential.count)] + credential + [UInt8](repeating: 0, count: 23 - credential.count) + uid
    }

    private static func setup(_ profile: TagProfile, uid: [UInt8] = Site.uid) -> VirtualDESFireSetup {
        VirtualDESFireSetup(
            application: [0xD6, 0x1C, 0xF5],
            keys: [
                .init(Site.key(.master, profile, of: uid, from: Site.master), version: 1),
                .init(Site.key(.tag, profile, of: uid, from: Site.door), version: 1),
                .init(Site.key(.write, profile, of: uid, from: Site.write), version: 1),
            ], content: content(uid))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: TapProof.Status?
        let profile: TagProfile
        let change: @Sendable (inout VirtualDESFireSetup) -> Void

        init(
            _ description: String, _ status: TapProof.Status?, _ profile: TagProfile = DESFireProofTests.profile(),
            _ change: @escaping @Sendable (inout VirtualDESFireSetup) -> Void = { _ in }
        ) {
            (testDescription, self.status, self.profile, self.change) = (description, status, profile, change)
        }
    }

    static let cases = [
        Case("EV2 messages", .proven), Case("EV1 messages", .proven, ev1),
        Case("no list without the master key", .proven) { $0.settings = 0x0B & ~0x02 },
        Case("another key", .failed) { $0.keys[1].value = [UInt8](repeating: 0x5C, count: 16) },
        Case("another key, EV1 messages", .failed, ev1) { $0.keys[1].value = [UInt8](repeating: 0x5C, count: 16) },
        Case("a version that is not known", .unknownKey) { $0.keys[1].version = 9 },
        Case("as created", .unknownKey) { $0.keys[1] = .init([UInt8](repeating: 0, count: 16)) },
        Case("the file of another card", .failed) { $0.content = content([4, 1, 2, 3, 4, 5, 6]) },
        Case("a file of another form", .failed) { $0.content = [UInt8](repeating: 0xFF, count: 32) },
        Case("a shorter file", .failed) { $0.content = [0x01, 0x00] },
        Case("no such file", .failed) { $0.fileNumber = 2 },
        Case("another application", nil) { $0.application = [1, 2, 3] },
    ]

    @Test(arguments: cases) func `a card has the status that it deserves`(_ example: Case) async throws {
        var setup = Self.setup(example.profile)
        example.change(&setup)
        let product = example.profile.messaging == .ev2 ? VirtualDESFireProduct.desfireEV2 : .desfireEV1
        let card = try VirtualDESFireCard(product: product, identifier: Site.uid, setup: setup)
        let tap = try await Site(example.profile).tap(card)
        #expect(tap.status == example.status, "\(String(describing: tap.attempt?.proof))")
        #expect(tap.exchanges <= 8)
        guard example.status == .proven else { return }
        #expect(tap.attempt?.proof.credential?.bytes == Self.credential)
        #expect(tap.attempt?.proof.identifier?.bytes == Site.uid)
    }

    @Test(arguments: 1...16) func `a card that leaves at any exchange is not proven`(exchange: Int) async throws {
        let profile = Self.profile()
        let card = try VirtualDESFireCard(product: .desfireEV3, identifier: Site.uid, setup: Self.setup(profile))
        let reader = card.inReader()
        for fault in [Fault.removeBefore, .removeDuring] {
            let torn = FaultInjectingCard(reader, plan: FaultPlan(fault, at: exchange))
            guard let tap = try? await Site(profile).tap(torn), !torn.isPresent else { continue }
            #expect(tap.status == nil || tap.status == .incomplete)
        }
    }

    @Test func `a card that imitates the answers of another is not proven`() async throws {
        let profile = Self.profile()
        let card = try VirtualDESFireCard(product: .desfireEV2, identifier: Site.uid, setup: Self.setup(profile))
        let genuine = RecordingCard(card.inReader())
        #expect(try await Site(profile).tap(genuine).status == .proven)
        #expect(try await Site(profile).tap(ReplayingCard(genuine)).status == .failed)
    }
}
