import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import TapJournal
import TestSupport
import Testing
import VirtualTags

/// Cards, profiles and keys with which nothing is begun.
@Suite struct DESFireSetUpRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: SetUpError.Reason
        var failures = 0
        var level = VirtualDESFireLevel()
        var setups: [VirtualDESFireSetup] = []
    }

    private static let other = [UInt8](repeating: 0x5C, count: 16)

    private static func level(
        _ cipher: VirtualDESFireLevel.Cipher = .des, _ key: [UInt8] = [UInt8](repeating: 0, count: 16),
        version: UInt8 = 0, settings: UInt8 = 0x0B, flags: UInt8 = 0
    ) -> VirtualDESFireLevel {
        var level = VirtualDESFireLevel()
        (level.cipher, level.key) = (cipher, .init(key, version: version))
        (level.settings, level.flags) = (settings, flags)
        return level
    }

    /// An application with the number of the profile's.
    private static func application(
        _ keys: [VirtualDESFireSetup.Key], settings: UInt8 = 0x0B, size: Int = 32
    ) -> VirtualDESFireSetup {
        var setup = VirtualDESFireSetup(
            application: DESFireBench.application, keys: keys, content: [UInt8](repeating: 0xEE, count: size))
        setup.settings = settings
        return setup
    }

    private static let (zero, foreign) = (
        VirtualDESFireSetup.Key([UInt8](repeating: 0, count: 16)), VirtualDESFireSetup.Key(other, version: 1)
    )

    static let cases = [
        Case(testDescription: "a DES key with version 0", reason: .keyRefused, failures: 1, level: level(.des, other)),
        Case(
            testDescription: "a DES key with a version, and no free creation", reason: .foreign,
            level: level(.des, [UInt8](repeating: 0x5D, count: 16))),
        Case(
            testDescription: "triple DES, and no free creation", reason: .foreign,
            level: level(.tripleDES, [UInt8](repeating: 0, count: 24))),
        Case(
            testDescription: "an AES key of zeros, and no free creation", reason: .foreign,
            level: level(.aes, [UInt8](repeating: 0, count: 16))),
        Case(
            testDescription: "an AES key with a version that is not known, and no free creation", reason: .foreign,
            level: level(.aes, other, version: 9)),
        Case(
            testDescription: "another AES key with our version", reason: .keyRefused, failures: 1,
            level: level(.aes, other, version: 1)),
        Case(
            testDescription: "a card that lists nothing", reason: .foreign, level: level(settings: 0x09)),
        Case(testDescription: "a hidden UID", reason: .unsuitable, level: level(settings: 0x0F, flags: 0x02)),
        Case(
            testDescription: "a full memory", reason: .unsuitable,
            setups: [
                VirtualDESFireSetup(
                    application: [1, 2, 3], keys: [zero], content: [UInt8](repeating: 0, count: 4_864))
            ]),
        Case(
            testDescription: "an application as created by someone else", reason: .foreign,
            setups: [application([zero, zero, zero], settings: 0x0F)]),
        Case(
            testDescription: "an application with a file of someone else", reason: .foreign,
            setups: [application([zero, zero, zero], size: 16)]),
        Case(
            testDescription: "an application with a version that is not known", reason: .foreign,
            setups: [application([.init(other, version: 9), zero, zero])]),
        Case(
            testDescription: "an application that hides its keys", reason: .foreign,
            setups: [application([foreign, foreign, foreign], settings: 0x09)]),
        Case(
            testDescription: "an application with fewer keys", reason: .foreign, setups: [application([zero, zero])]),
        Case(
            testDescription: "other keys with our versions", reason: .keyRefused, failures: 1,
            setups: [application([foreign, foreign, foreign])]),
    ]

    @Test(arguments: cases) func `a card that is not ours is left alone`(_ example: Case) async throws {
        let bench = try DESFireBench(level: example.level, setups: example.setups)
        let before = bench.tag.state
        let error = try #require(await bench.run(.setUp).error)
        #expect(error.reason == example.reason && error.state == .unchanged, "\(error)")
        #expect(bench.tag.state.failedAuthentications == example.failures)
        #expect(bench.tag.state.memoryWrites == before.memoryWrites)
    }

    @Test(arguments: cases.filter { !$0.setups.isEmpty && $0.testDescription != "a full memory" })
    func `an application of someone else is not deleted by a reset`(_ example: Case) async throws {
        let bench = try DESFireBench(level: example.level, setups: example.setups)
        let writes = bench.tag.state.memoryWrites
        let error = try #require(await bench.run(.reset).error)
        #expect(error.reason == example.reason && error.state == .unchanged, "\(error)")
        #expect(bench.hasApplication && bench.tag.state.memoryWrites == writes)
        #expect(bench.tag.state.failedAuthentications == example.failures)
    }

    static let versions: [(String, SetUpError.Reason)] = [
        ("04010100021805", .wrongTag), ("04010101001805", .wrongTag), ("04043000301105", .wrongTag),
        ("04080130001305", .wrongTag), ("05010133001805", .wrongTag),
    ]

    @Test(arguments: versions) func `another product is refused without a key`(
        hardware: String, reason: SetUpError.Reason
    ) async throws {
        let bench = try DESFireBench()
        let error = await bench.run(.setUp, FaultPlan(.answer(hex(hardware + "91AF")), at: 2)).error
        #expect(error?.reason == reason && error?.state == .unchanged, "\(String(describing: error))")
        for answer in ["6A82", "6D00", "911C"] {
            #expect(await bench.run(.setUp, FaultPlan(.answer(hex(answer)), at: 1)).error?.reason == .wrongTag)
        }
        #expect(bench.tag.state.memoryWrites == 0 && bench.isUncounted)
    }

    @Test func `a card of EV1 is refused for a profile of EV2 messages`() async throws {
        var bench = try DESFireBench(DESFireBench.kinds[0])
        bench.profile.messaging = .ev2
        #expect(await bench.run(.setUp).error?.reason == .wrongTag)
        #expect(bench.tag.state.memoryWrites == 0)
    }

    @Test func `an NTAG 424 DNA is refused for a profile of DESFire, and the other way round`() async throws {
        var ntag = try SetUpBench()
        ntag.profile = DESFireBench.profile()
        #expect(await ntag.run(.setUp).error?.reason == .wrongTag)
        var bench = try DESFireBench()
        bench.profile = SetUpBench.profile
        #expect(await bench.run(.setUp).error?.reason == .wrongTag)
        #expect(ntag.tag.state.eepromWrites == 0 && bench.tag.state.memoryWrites == 0)
    }

    private static func changed(_ change: (inout TagProfile) -> Void) -> TagProfile {
        var profile = DESFireBench.profile()
        change(&profile)
        return profile
    }

    static let profiles = [
        changed { $0.derivation = .none }, changed { $0.application = [0, 0, 0] }, changed { $0.application = [] },
        changed { $0.fileNumber = 32 }, changed { $0.keys[.tag] = nil }, changed { $0.keys[.master] = nil },
        changed { $0.keys[.write] = "absent" }, changed { $0.method = .sun },
    ]

    @Test(arguments: profiles) func `a profile without what a set-up needs is refused`(profile: TagProfile) throws {
        #expect(throws: SetUpError.self) {
            _ = try TagSetUp(profile, keys: Site.ring, records: MemoryRecords())
        }
    }

    @Test(arguments: SetUpOptions.Irreversible.allCases) func `nothing permanent is done to a card`(
        setting: SetUpOptions.Irreversible
    ) async throws {
        var bench = try DESFireBench()
        bench.options.irreversible = [setting]
        #expect(await bench.run(.setUp).error?.reason == .unsuitable)
        #expect(bench.tag.state.memoryWrites == 0)
    }

    @Test func `the signature of the maker is refused where it is required and wrong`() async throws {
        var bench = try DESFireBench()
        bench.options.originality = .required
        #expect(await bench.run(.setUp).error?.reason == .wrongTag)
        bench.options.originality = .reported
        #expect(await bench.run(.setUp).outcome?.originality == .wrong)
    }

    @Test func `the key of the card differs from that of the application`() async throws {
        let profile = DESFireBench.profile()
        let card = Site.bytes(try await profile.cardKey(of: Site.uid, from: Site.master))
        #expect(card != Site.key(.master, profile, from: Site.master))
        var other = profile
        other.application = [1, 2, 3]
        #expect(try await Site.bytes(other.cardKey(of: Site.uid, from: Site.master)) == card)
    }

    @Test func `a card of the site without the application is set up again`() async throws {
        let bench = try DESFireBench()
        var level = VirtualDESFireLevel()
        (level.cipher, level.key) = (.aes, .init(bench.key(3, version: 1), version: 1))
        level.settings = 0x0B
        let card = try DESFireBench(level: level)
        #expect(await card.run(.setUp).error == nil)
        #expect(card.hasKeys(version: 1) && card.isUncounted)
    }

    // MARK: Imitations

    @Test func `a blank card with the UID of one that was set up gets no keys`() async throws {
        let bench = try DESFireBench()
        #expect(await bench.run(.setUp).error == nil)
        var fake = try DESFireBench()
        for record in bench.records.all { try await fake.records.save(record) }
        for visit in [await fake.run(.setUp), await fake.run(.reset)] { #expect(visit.error?.reason == .foreign) }
        #expect(fake.tag.state.memoryWrites == 0)
        #expect(await fake.resume().error != nil)
        #expect(fake.tag.state.memoryWrites == 0)
        fake.options.forgetsRecord = true
        #expect(await fake.run(.reset).error == nil)
        fake.options.forgetsRecord = false
        #expect(await fake.run(.setUp).error == nil)
    }

    @Test func `a card key as delivered under a UID whose card key was changed gets no keys`() async throws {
        var kept = try DESFireBench()
        kept.options.keepsCardKey = true
        #expect(await kept.run(.setUp).error == nil)
        var record = try #require(kept.records.all.first)
        record.keys[3].new = 1
        try await kept.records.save(record)
        kept.options.keepsCardKey = false
        let writes = kept.tag.state.memoryWrites
        for visit in [await kept.resume(), await kept.run(.setUp), await kept.run(.rotate), await kept.run(.reset)] {
            #expect(visit.error?.reason == .foreign, "\(visit)")
        }
        #expect(kept.tag.state.memoryWrites == writes)
    }

    @Test(arguments: SetUpTask.allCases)
    func `a tag that shows only some keys of one that was set up gets no keys`(task: SetUpTask) async throws {
        let bench = try SetUpBench()
        #expect(await bench.run(.setUp).error == nil)
        // Key 0 as delivered, and others with any value: a tag that shows what it likes.
        let fake = try SetUpBench(setup: { setup in
            for number in UInt8(3)...4 { setup.keys[number] = .init([UInt8](repeating: 7, count: 16), version: 1) }
        })
        for record in bench.records.all { try await fake.records.save(record) }
        let before = fake.tag.state.keyVersions
        #expect(await fake.run(task).error?.reason == .foreign)
        #expect(fake.tag.state.keyVersions == before && fake.isUncounted)
        #expect(Set(fake.records.all) == Set(bench.records.all))
    }

    @Test func `a blank NTAG 424 with the UID of one that was set up gets no keys`() async throws {
        let bench = try SetUpBench()
        #expect(await bench.run(.setUp).error == nil)
        let fake = try SetUpBench()
        for record in bench.records.all { try await fake.records.save(record) }
        #expect(await fake.run(.setUp).error?.reason == .foreign)
        #expect(fake.tag.state.eepromWrites == 0)
    }
}
