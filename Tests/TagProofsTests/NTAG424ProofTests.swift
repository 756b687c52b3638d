import NFCSessions
import NFCTypes
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

/// An NTAG 424 DNA that has to answer a challenge.
@Suite struct NTAG424ProofTests {
    private static func setup(
        _ profile: TagProfile, version: UInt8 = 1, key: [UInt8]? = nil, uid: [UInt8] = Site.uid
    ) -> VirtualNTAG424Setup {
        var setup = VirtualNTAG424Setup()
        setup.identifier = uid
        setup.keys[3] = .init(key ?? Site.key(.tag, profile, of: uid, from: Site.door), version: version)
        return setup
    }

    private static func card(_ setup: VirtualNTAG424Setup, uri: String = "ex.am/door") throws -> VirtualNTAG424Card {
        try VirtualNTAG424Card(
            setup, ndefMessage: [0xD1, 0x01, UInt8(uri.utf8.count + 1), 0x55, 0x04] + Array(uri.utf8))
    }

    @Test func `a card of the site is proven, with its UID, and in few exchanges`() async throws {
        let profile = Site.mutual()
        let tap = try await Site(profile).tap(Self.card(Self.setup(profile)))
        let proof = try #require(tap.attempt?.proof)
        #expect(proof.status == .proven && proof.method == .mutual && proof.scope == .everywhere, "\(proof)")
        #expect(proof.key == "door" && proof.keyVersion == 1 && proof.identifier?.bytes == Site.uid)
        #expect(tap.attempt?.claim == nil && tap.exchanges <= 8)
        #expect(tap.reading.messages.count == 1)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: TapProof.Status?
        var profile = Site.mutual()
        var ring = Site.ring
        let setup: @Sendable (TagProfile) -> VirtualNTAG424Setup

        init(
            _ description: String, _ status: TapProof.Status?, profile: TagProfile = Site.mutual(),
            ring: KeyRing = Site.ring, _ setup: @escaping @Sendable (TagProfile) -> VirtualNTAG424Setup
        ) {
            (testDescription, self.status, self.profile, self.ring, self.setup) = (
                description, status, profile, ring, setup
            )
        }
    }

    private static let lrp = Site.mutual { $0.usesLRP = true }
    private static let tamper = Site.mutual { $0.expectsTamper = true }
    private static let shared = Site.mutual { $0.derivation = .none }

    private static func tampered(_ profile: TagProfile, enabled: Bool = true, open: Bool = false) -> VirtualNTAG424Setup
    {
        let loop = VirtualTamperLoop()
        if open { loop.open() }
        var setup = VirtualNTAG424Setup(tamperLoop: loop)
        setup.identifier = Site.uid
        setup.keys[3] = .init(Site.key(.tag, profile, from: Site.door), version: 1)
        if enabled { setup.configuration = [VirtualNTAG424Setup.tamper(key: 3)] }
        return setup
    }

    private static func ring(_ key: TagKey, version: UInt8 = 1, _ state: KeyRing.State = .current) -> KeyRing {
        KeyRing([.init(name: "door", version: version, state: state, master: key)])
    }

    static let cases = [
        Case("its key", .proven) { setup($0) },
        Case("another key", .failed) { setup($0, key: [UInt8](repeating: 0x5C, count: 16)) },
        Case("the key of another UID: a copy", .failed) {
            setup($0, key: Site.key(.tag, $0, of: [4, 1, 2, 3, 4, 5, 6], from: Site.door))
        },
        Case("the key for another role", .failed) { setup($0, key: Site.key(.file, $0, from: Site.door)) },
        Case("as delivered", .unknownKey) { _ in
            var setup = VirtualNTAG424Setup()
            setup.identifier = Site.uid
            return setup
        },
        Case("a version that is not known", .unknownKey) { setup($0, version: 9) },
        Case("the previous version", .proven, ring: ring(Site.door, version: 7, .previous)) { setup($0, version: 7) },
        Case(
            "a key of all FF, in the store as well", .unknownKey, profile: shared,
            ring: ring(Site.key(0xFF, same: true))
        ) {
            setup($0, key: [UInt8](repeating: 0xFF, count: 16))
        },
        Case("a master of all zeros", .unknownKey, ring: ring(Site.key(0x00, same: true))) {
            setup($0, key: Site.key(.tag, $0, from: Site.key(0x00, same: true)))
        },
        Case("a shared key", .proven, profile: shared) { setup($0) },
        Case("a shared key and a random UID", .proven, profile: shared) {
            var setup = setup($0)
            setup.configuration = [VirtualNTAG424Setup.randomIdentifier]
            return setup
        },
        Case("a random UID, and a key that follows from it", .notProven) {
            var setup = setup($0)
            setup.configuration = [VirtualNTAG424Setup.randomIdentifier]
            return setup
        },
        Case("LRP", .proven, profile: lrp) {
            var setup = setup($0)
            setup.configuration = [VirtualNTAG424Setup.lrp]
            return setup
        },
        Case("LRP, and another key", .failed, profile: lrp) {
            var setup = setup($0, key: [UInt8](repeating: 0x5C, count: 16))
            setup.configuration = [VirtualNTAG424Setup.lrp]
            return setup
        },
        Case("LRP, which the profile does not expect", .delayed) {
            var setup = setup($0)
            setup.configuration = [VirtualNTAG424Setup.lrp]
            return setup
        },
        Case("AES, where the profile expects LRP", .failed, profile: lrp) { setup($0) },
        Case("a closed loop", .proven, profile: tamper) { tampered($0) },
        Case("an open loop", .tamperOpen, profile: tamper) { tampered($0, open: true) },
        Case("a loop that is not enabled", .tamperOpen, profile: tamper) { tampered($0, enabled: false) },
        Case("no loop at all", .failed, profile: tamper) { setup($0) },
        Case("another host", nil, profile: Site.mutual { $0.uriHost = "other.am" }) { setup($0) },
        Case("its host", .proven, profile: Site.mutual { $0.uriHost = "EX.am" }) { setup($0) },
    ]

    @Test(arguments: cases) func `a tag has the status that it deserves`(_ example: Case) async throws {
        let site = Site(example.profile, ring: example.ring)
        let tap = try await site.tap(Self.card(example.setup(example.profile)))
        #expect(tap.status == example.status, "\(String(describing: tap.attempt?.proof))")
        #expect(tap.exchanges <= 8)
    }

    @Test func `a tag of another site is asked for its version only: nothing is counted on it`() async throws {
        let profile = Site.mutual()
        let tag = SharedTag(try Self.card(Self.setup(profile, version: 9)))
        for _ in 0..<20 { _ = try await Site(profile).tap(tag) }
        #expect(tag.state.failures(of: 3) == 0)
    }

    @Test func `one attempt is made with a tag that has another key`() async throws {
        let profile = Site.mutual()
        let tag = SharedTag(try Self.card(Self.setup(profile, key: [UInt8](repeating: 0x5C, count: 16))))
        _ = try await Site(profile).tap(tag)
        #expect(tag.state.failures(of: 3) == 1)
    }

    @Test(arguments: 1...20) func `a tag that leaves at any exchange is not proven, and what was read is kept`(
        exchange: Int
    ) async throws {
        let profile = Site.mutual()
        let card = try Self.card(Self.setup(profile)).inReader()
        let site = Site(profile)
        for fault in [Fault.removeBefore, .removeDuring] {
            let torn = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
            guard let tap = try? await site.tap(torn) else { continue }
            guard !torn.isPresent else { #expect(tap.status == .proven); continue }
            #expect(tap.status == nil || tap.status == .incomplete, "\(exchange) \(tap)")
        }
    }

    @Test func `a Type 2 tag with the message of the site proves nothing`() async throws {
        let message: [UInt8] = [0xD1, 0x01, 0x0B, 0x55, 0x04] + Array("ex.am/door".utf8)
        let tag = try VirtualType2Tag(product: .ntag215, ndefMessage: message)
        #expect(try await Site(Site.mutual { $0.uriHost = "ex.am" }).tap(tag).status == .notProven)
        #expect(try await Site(Site.mutual()).tap(tag).attempt == nil)
    }

    @Test(arguments: ["6D00", "6E00", "911C", "919D", "917E", "90AF", "", "91AF", "000000"])
    func `a wrong answer to any question of the proof is not a proof`(answer: String) async throws {
        let profile = Site.mutual()
        let card = try Self.card(Self.setup(profile)).inReader()
        let right = try await Site(profile).tap(card)
        for exchange in right.allExchanges - right.exchanges + 1...right.allExchanges {
            let changed = FaultInjectingCard(card, plan: FaultPlan(.answer(hex(answer)), at: exchange))
            let tap = try await Site(profile).tap(changed)
            #expect(tap.status != .proven && tap.status != .replayed, "\(exchange)")
        }
    }

    @Test func `a card that imitates the answers of another is not proven`() async throws {
        let profile = Site.mutual()
        let genuine = RecordingCard(try Self.card(Self.setup(profile)).inReader())
        #expect(try await Site(profile).tap(genuine).status == .proven)
        let copy = ReplayingCard(genuine)
        #expect(try await Site(profile).tap(copy).status == .failed)
    }
}
