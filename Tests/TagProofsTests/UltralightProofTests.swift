import NFCSessions
import NFCTags
import NFCTypes
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

/// A MIFARE Ultralight C or AES that has to answer a challenge.
@Suite struct UltralightProofTests {
    private static func profile(
        _ product: TagProfile.Product = .ultralightAES, _ change: (inout TagProfile) -> Void = { _ in }
    ) -> TagProfile {
        var profile = TagProfile(name: "locker", product: product, keys: [.tag: "door"])
        change(&profile)
        return profile
    }

    private static let aes = profile()
    private static let hosted = profile { $0.uriHost = "ex.am" }
    private static let shared = profile { $0.derivation = .none }
    private static let c = profile(.ultralightC)
    private static let sharedC = profile(.ultralightC) { $0.derivation = .none }
    private static let other = [UInt8](repeating: 0x5C, count: 15) + [0x5D]

    private static func ring(_ key: TagKey) -> KeyRing {
        KeyRing([.init(name: "door", version: 1, state: .current, master: key)])
    }

    /// Version 2 is current.
    private static let rotated = KeyRing([
        .init(name: "door", version: 2, state: .current, master: Site.key(0x77)),
        .init(name: "door", version: 1, state: .previous, master: Site.door),
    ])

    @Test(arguments: FrameReader.all)
    func `a hardened tag is proven on every reader that passes on its commands, in few exchanges`(
        reader: FrameReader
    ) async throws {
        for profile in [Self.aes, Self.shared] {
            let tap = try await Site(profile).tap(
                reader.card(UltralightTag(profile).tag()), on: reader.profile)
            let proof = try #require(tap.attempt?.proof)
            #expect(proof.status == .proven && proof.method == .mutual && proof.scope == .everywhere, "\(proof)")
            #expect(proof.key == "door" && proof.keyVersion == 1 && proof.identifier?.bytes == Site.uid)
            #expect(tap.attempt?.claim == nil && tap.exchanges <= 8, "\(tap.exchanges)")
            #expect(tap.reading.messages.count == 1)
        }
    }

    @Test(arguments: FrameReader.all) func `an Ultralight C that answers right is weak, with the reason`(
        reader: FrameReader
    ) async throws {
        let tap = try await Site(Self.c).tap(reader.card(UltralightTag(Self.c).tag()), on: reader.profile)
        let proof = try #require(tap.attempt?.proof)
        #expect(proof.status == .weak && proof.method == .mutual && !proof.isProven, "\(proof)")
        #expect(proof.reason?.contains("2026/100") == true && proof.scope == nil)
        #expect(tap.exchanges <= 8)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: TapProof.Status?
        let profile: TagProfile
        let ring: KeyRing
        let attempts: Int
        let change: @Sendable (inout UltralightTag) -> Void

        init(
            _ description: String, _ status: TapProof.Status?, _ profile: TagProfile, ring: KeyRing = Site.ring,
            wrong attempts: Int = 0, _ change: @escaping @Sendable (inout UltralightTag) -> Void = { _ in }
        ) {
            (testDescription, self.status, self.profile, self.ring) = (description, status, profile, ring)
            (self.attempts, self.change) = (attempts, change)
        }
    }

    static let cases = [
        Case("its key", .proven, aes),
        Case("its key, and its host", .proven, hosted),
        Case("its key, and a shared one", .proven, shared),
        Case("no codes", .weak, aes) { $0.hasCodes = false },
        Case("a key that can be overwritten", .weak, aes) { $0.keyLocks = 0x80 },
        Case("no codes, and a key that can be overwritten", .weak, aes) {
            $0.hasCodes = false
            $0.keyLocks = 0
        },
        Case("another key", .failed, aes, wrong: 1) { $0.key = other },
        Case("another key, without codes", .failed, aes, wrong: 1) {
            $0.key = other
            $0.hasCodes = false
        },
        Case("the key of another UID: a copy", .failed, aes, wrong: 1) {
            $0.key = Site.key(.tag, aes, of: [4, 1, 2, 3, 4, 5, 6], from: Site.door)
        },
        Case("a limit, and no host in the profile", .notProven, aes) { $0.limit = 50 },
        Case("a limit, another key, and no host in the profile", .notProven, aes) {
            $0.limit = 50
            $0.key = other
        },
        Case("a limit, and the host of the profile", .proven, hosted) { $0.limit = 50 },
        Case("a limit, and another host", nil, hosted) {
            $0.limit = 50
            $0.uri = "other.am"
        },
        Case("the largest limit", .notProven, aes) { $0.limit = 0x300 },
        Case("settings that it hides", .notProven, aes) {
            $0.firstProtectedPage = 0x29
            $0.protectsReading = true
        },
        Case("settings that it hides, and the host of the profile", .proven, hosted) {
            $0.firstProtectedPage = 0x29
            $0.protectsReading = true
        },
        Case("settings that it hides, no codes, and the host of the profile", .weak, hosted) {
            $0.firstProtectedPage = 0x29
            $0.protectsReading = true
            $0.hasCodes = false
        },
        Case("the version before, which VCTID names", .proven, aes, ring: rotated) { $0.version = 1 },
        Case("the version before, which nothing names", .failed, aes, ring: rotated, wrong: 1),
        Case("a key of all zeros", .unknownKey, shared, ring: ring(Site.key(0x00, same: true))) {
            $0.key = [UInt8](repeating: 0, count: 16)
        },
        Case("a master of all zeros", .unknownKey, aes, ring: ring(Site.key(0x00, same: true))),
        Case("no key in the store", .unknownKey, aes, ring: KeyRing()),
        Case("an NTAG215", nil, aes) { $0.product = .ntag215 },
        Case("an NTAG215 with the message of the site", .notProven, hosted) { $0.product = .ntag215 },
        Case("an Ultralight C", nil, aes) { $0.product = .ultralightC },
        Case("an Ultralight C with the message of the site", .notProven, hosted) { $0.product = .ultralightC },
        Case("an Ultralight EV1", nil, aes) { $0.product = .mf0ul11 },

        Case("C: its key", .weak, c),
        Case("C: its key, and protected pages", .weak, c) { $0.protectsReading = true },
        Case("C: a shared key", .weak, sharedC),
        Case("C: another key", .failed, c, wrong: 1) { $0.key = other },
        Case("C: the key of another UID: a copy", .failed, c, wrong: 1) {
            $0.key = Site.key(.tag, c, of: [4, 1, 2, 3, 4, 5, 6], from: Site.door)
        },
        Case("C: the version before", .weak, c, ring: rotated, wrong: 1),
        Case("C: the delivered key", .unknownKey, sharedC, ring: ring(delivered)) { $0.key = Site.bytes(delivered) },
        Case("C: the delivered key with other parity", .unknownKey, sharedC, ring: ring(parity)) {
            $0.key = Site.bytes(delivered)
        },
        Case("C: an Ultralight AES", nil, c) { $0.product = .ultralightAES },
        Case("C: an Ultralight AES that hides its settings", nil, c) {
            $0.product = .ultralightAES
            $0.firstProtectedPage = 0x20
            $0.protectsReading = true
        },
        Case("C: an NTAG215", nil, c) { $0.product = .ntag215 },
        Case("C: an NTAG213", nil, c) { $0.product = .ntag213 },
        Case("C: an Ultralight", nil, c) { $0.product = .ultralight },
        Case("C: an Ultralight EV1", nil, c) { $0.product = .mf0ul11 },
        Case("C: an NTAG203", nil, c) { $0.product = .ntag203 },
    ]

    private static let delivered = TagKey(hexadecimal: "49454D4B41455242214E4143554F5946") ?? .random()
    private static let parity = TagKey(hexadecimal: "48454D4B41455242214E4143554F5947") ?? .random()

    @Test(arguments: cases) func `a tag has the status that it deserves`(_ example: Case) async throws {
        let tag = SharedTag(try UltralightTag(example.profile).with(example.change).tag())
        let site = Site(example.profile, ring: example.ring)
        for reader in [FrameReader.acr122u, .acr1552u] {
            let before = tag.state.wrongAnswers
            let tap = try await site.tap(reader.card(tag), on: reader.profile)
            #expect(tap.status == example.status, "\(reader.name) \(String(describing: tap.attempt?.proof))")
            #expect(tap.attempt?.proof.reason != nil || tap.status == .proven || tap.status == nil)
            #expect(tag.state.wrongAnswers == before + example.attempts, "\(reader.name)")
        }
    }

    @Test func `a tag of someone else that counts wrong keys is never worn out`() async throws {
        let tag = SharedTag(try UltralightTag(key: Self.other).with { $0.limit = 3 }.tag())
        for _ in 0..<20 {
            let tap = try await Site(Self.aes, Self.c).tap(FrameReader.acr122u.card(tag), on: .acr122u)
            #expect(tap.status == .notProven)
        }
        #expect(tag.state.failedAttempts == 0)
    }

    @Test func `one attempt is made with a tag of the host that has another key, until it refuses`() async throws {
        let tag = SharedTag(try UltralightTag(key: Self.other).with { $0.limit = 2 }.tag())
        var statuses: [TapProof.Status?] = []
        for _ in 0..<3 {
            statuses.append(
                try await Site(Self.hosted).tap(FrameReader.acr1252u.card(tag), on: .acr1252u).status)
        }
        #expect(statuses == [.failed, .failed, .delayed] && tag.state.failedAttempts == 2)
    }

    @Test(arguments: [("generic", ReaderProfile.generic), ("omnikey-5422", .omnikey5422)])
    func `a reader that does not pass on commands proves nothing, and says so`(
        name: String, reader: ReaderProfile
    ) async throws {
        for profile in [Self.aes, Self.c] {
            let card = try #require(VirtualReaderModel.named(name)?.card(try UltralightTag(profile).tag()))
            let proof = try #require(try await Site(profile).tap(card, on: reader).attempt?.proof)
            #expect(proof.status == .notProven && proof.reason?.contains(reader.name) == true)
        }
    }

    @Test(arguments: FrameReader.all, [aes, c]) func `a tag that leaves at any exchange is not proven`(
        reader: FrameReader, profile: TagProfile
    ) async throws {
        let card = reader.card(try UltralightTag(profile).tag())
        let whole = try await Site(profile).tap(card, on: reader.profile)
        for exchange in 1...whole.allExchanges {
            for fault in [Fault.removeBefore, .removeDuring] {
                card.reset()
                let torn = FaultInjectingCard(card, plan: FaultPlan(fault, at: exchange))
                guard let tap = try? await Site(profile).tap(torn, on: reader.profile), !torn.isPresent else {
                    continue
                }
                let isRead = exchange > whole.allExchanges - whole.exchanges
                // At the end of a session, the tag has answered already, and it is not known whether its answer counts.
                #expect(tap.status == (isRead ? .incomplete : nil), "\(exchange) \(fault) \(tap)")
            }
        }
    }

    @Test(arguments: ["9000", "6300", "00 9000", "AF 9000", "0A 9000", "", "0000000000000000 9000"])
    func `a wrong answer to any question of the proof is not a proof`(answer: String) async throws {
        let card = FrameReader.acr1252u.card(try UltralightTag(Self.aes).tag())
        let right = try await Site(Self.aes).tap(card, on: .acr1252u)
        #expect(right.status == .proven)
        for exchange in right.allExchanges - right.exchanges + 1...right.allExchanges {
            let changed = FaultInjectingCard(card, plan: FaultPlan(.answer(hex(answer)), at: exchange))
            #expect(try await Site(Self.aes).tap(changed, on: .acr1252u).status != .proven, "\(exchange)")
        }
    }

    @Test func `settings that are changed on their way do not make a weak tag proven`() async throws {
        for keyLocks: UInt8 in [0x00, 0xE0] {
            let tag = UltralightTag(Self.aes).with { ($0.keyLocks, $0.hasCodes) = (keyLocks, keyLocks == 0) }
            let card = FrameReader.acr1252u.card(try tag.tag())
            for byte in 0..<30 {
                let forged = AlteredCard(card) { apdu, card in
                    var answer = card.transmit(apdu)
                    if apdu.starts(with: [0xFF, 0, 0, 0]), byte < answer.count - 2 { answer[byte] |= 0xE2 }
                    return answer
                }
                #expect(try await Site(Self.aes).tap(forged, on: .acr1252u).status != .proven, "\(byte)")
            }
        }
    }

    @Test(arguments: [aes, c]) func `a tag that imitates the answers of another is not proven`(
        profile: TagProfile
    ) async throws {
        let genuine = RecordingCard(FrameReader.acr1252u.card(try UltralightTag(profile).tag()))
        let status = try await Site(profile).tap(genuine, on: .acr1252u).status
        #expect(status == (profile == Self.aes ? .proven : .weak))
        #expect(try await Site(profile).tap(ReplayingCard(genuine), on: .acr1252u).status == .failed)
    }

    @Test(arguments: FrameReader.all) func `a tag can be read by others after its proof`(
        reader: FrameReader
    ) async throws {
        for key in [nil, Self.other] {
            var tag = UltralightTag(Self.aes)
            if let key { tag.key = key }
            let card = reader.card(try tag.tag())
            _ = try await Site(Self.aes).tap(card, on: reader.profile)
            card.reset()
            let again = try await Site(Self.aes).tap(card, on: reader.profile)
            #expect(again.reading.messages.count == 1 && again.status == (key == nil ? .proven : .failed))
        }
    }

    @Test func `of two profiles the one whose product the tag is decides`() async throws {
        for (profile, status) in [(Self.aes, TapProof.Status.proven), (Self.c, .weak)] {
            let tap = try await Site(Self.aes, Self.c).tap(
                FrameReader.acr122u.card(try UltralightTag(profile).tag()), on: .acr122u)
            #expect(tap.status == status)
        }
    }
}
