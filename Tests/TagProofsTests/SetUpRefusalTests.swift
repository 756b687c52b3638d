import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

/// Tags, profiles and keys with which nothing is begun.
@Suite struct SetUpRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: SetUpError.Reason
        var failures = 0
        let change: @Sendable (inout VirtualNTAG424Setup) -> Void
    }

    private static let other = [UInt8](repeating: 0x5C, count: 16)

    static let cases = [
        Case(testDescription: "a version that is not known", reason: .foreign) {
            $0.keys[3] = .init(other, version: 9)
        },
        Case(testDescription: "another key 0 with version 0", reason: .keyRefused, failures: 1) {
            $0.keys[0] = .init(other)
        },
        Case(testDescription: "another key 0 with our version", reason: .foreign) {
            $0.keys[0] = .init(other, version: 1)
        },
        Case(testDescription: "settings of someone else", reason: .foreign) { $0.settings[2] = hex("000000") },
        Case(testDescription: "LRP", reason: .foreign) { $0.configuration = [VirtualNTAG424Setup.lrp] },
        Case(testDescription: "another key 0, and a hidden UID", reason: .keyRefused, failures: 1) {
            $0.keys[0] = .init(other)
            $0.configuration = [VirtualNTAG424Setup.randomIdentifier]
        },
    ]

    @Test(arguments: cases) func `a tag that is not ours is left alone`(_ example: Case) async throws {
        let bench = try SetUpBench(setup: example.change)
        let error = try #require(await bench.run(.setUp).error)
        #expect(error.reason == example.reason && error.state == .unchanged, "\(error)")
        #expect(bench.tag.state.failures(of: 0) == example.failures)
        #expect(bench.tag.state.eepromWrites == example.failures)
    }

    @Test func `another product is refused without a key`() async throws {
        let bench = try SetUpBench()
        for answer in ["6A82", "6D00"] {
            let error = await bench.run(.setUp, FaultPlan(.answer(hex(answer)), at: 1)).error
            #expect(error?.reason == .wrongTag && error?.state == .unchanged)
        }
        let version = FaultPlan(.answer(hex("0401013300160591AF")), at: 2)
        #expect(await bench.run(.setUp, version).error?.reason == .wrongTag)
        #expect(bench.tag.state.eepromWrites == 0)
    }

    static let profiles: [TagProfile] = [
        Site.sun(), SetUpBench.profile.with { $0.derivation = .none },
        SetUpBench.profile.with { $0.expectsTamper = true },
        SetUpBench.profile.with { $0.keys[.tag] = "absent" }, SetUpBench.profile.with { $0.product = .desfire },
        SetUpBench.profile.with { $0.url = nil },
    ]

    @Test(arguments: profiles) func `a profile without what a set-up needs is refused`(profile: TagProfile) throws {
        #expect(throws: SetUpError.self) {
            _ = try TagSetUp(profile, keys: Site.ring, records: MemoryRecords())
        }
    }

    @Test func `published keys are refused`() throws {
        let entries = Site.ring.entries.filter { $0.name != "meta" }
        let published = KeyRing.Entry(
            name: "meta", version: 1, state: .current, master: Site.key(0xFF, same: true))
        #expect(throws: SetUpError.self) {
            _ = try TagSetUp(SetUpBench.profile, keys: KeyRing(entries + [published]), records: MemoryRecords())
        }
    }

    @Test func `an earlier task is finished before another is begun, or reset`() async throws {
        var bench = try SetUpBench()
        _ = await bench.run(.setUp)
        bench.ring = SetUpBench.rotated
        _ = await bench.run(.rotate, FaultPlan(.removeAfter, at: 30))
        let error = await bench.run(.setUp).error
        #expect(error?.reason == .unsuitable && error?.state == .unfinished)
        #expect(await bench.run(.reset).error == nil)
        #expect(bench.hasKeys(version: 0) && bench.isUncounted)
    }

    // MARK: Hidden UIDs

    @Test(arguments: [true, false]) func `a hidden UID costs one attempt, with the key 0 of a tag as delivered`(
        isForeign: Bool
    ) async throws {
        let bench = try SetUpBench {
            $0.configuration = [VirtualNTAG424Setup.randomIdentifier]
            if isForeign { $0.keys[0] = .init(Self.other) }
        }
        for number in 1...3 {
            let status = await bench.ask { (setUp, channel) async throws(SetUpError) in
                try await setUp.status(channel)
            }
            if isForeign {
                #expect(throws: SetUpError.self) { try status.get() }
            } else {
                #expect(try status.get().uid == Site.uid)
            }
            #expect(bench.tag.state.failures(of: 0) == (isForeign ? number : 0))
        }
        #expect((await bench.run(.setUp).error == nil) == !isForeign)
        #expect(bench.tag.state.failures(of: 0) == (isForeign ? 4 : 0))
    }

    @Test(arguments: [0, 3]) func `a hidden UID of a tag with other keys costs no attempt`(number: UInt8) async throws {
        var bench = try SetUpBench {
            $0.configuration = [VirtualNTAG424Setup.randomIdentifier]
            $0.keys[number] = .init(Self.other, version: 9)
        }
        #expect(await bench.run(.setUp).error?.reason == .foreign)
        bench.options.uid = Site.uid
        #expect(await bench.run(.setUp).error?.reason == .foreign)
        #expect(bench.tag.state.eepromWrites == 0)
    }

    @Test func `a UID that is given costs no attempt before it is needed`() async throws {
        var bench = try SetUpBench {
            $0.configuration = [VirtualNTAG424Setup.randomIdentifier]
            $0.keys[0] = .init(Self.other)
        }
        bench.options.uid = Site.uid
        bench.options.isDryRun = true
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.tag.state.eepromWrites == 0)
    }
}

extension TagProfile {
    fileprivate func with(_ change: (inout TagProfile) -> Void) -> TagProfile {
        var profile = self
        change(&profile)
        return profile
    }
}
