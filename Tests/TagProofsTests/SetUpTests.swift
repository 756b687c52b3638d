import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import TapJournal
import TestSupport
import Testing
import VirtualTags

/// Setting up an NTAG 424 DNA, without interruption.
@Suite struct SetUpTests {
    @Test func `a tag as delivered becomes one of the profile, and proves itself by message and challenge`()
        async throws
    {
        let bench = try SetUpBench()
        let visit = await bench.run(.setUp)
        let outcome = try #require(visit.outcome, "\(visit.result)")
        #expect(outcome.uid == Site.uid && outcome.versions == [1, 1, 1, 1, 1] && outcome.counter == 1)
        #expect(bench.hasKeys(version: 1) && bench.isUncounted)
        #expect(visit.exchanges == 45, "\(visit.exchanges)")
        let tap = try await bench.status()
        #expect(tap.status == .proven && tap.attempt?.proof.counter == 2)
        #expect(try await bench.status(.mutual).status == .proven)
        #expect(bench.hasOnlyDoneRecords && bench.records.all.count == 1)
    }

    @Test(arguments: SetUpVariant.allCases) func `a task takes few exchanges`(variant: SetUpVariant) async throws {
        // Without the signature of the maker, which is one more.
        let counts: [SetUpVariant: [Int]] = [
            .plain: [44, 39, 42], .long: [49, 40, 42], .challenge: [38, 34, 42], .lrp: [47, 39, 42],
            .everything: [49, 39, 42],
        ]
        var bench = try variant.bench()
        let setUp = await bench.run(.setUp).exchanges
        bench.ring = SetUpBench.rotated
        let rotation = await bench.run(.rotate).exchanges
        let reset = await bench.run(.reset).exchanges
        #expect([setUp, rotation, reset] == counts[variant])
    }

    @Test func `a tag that is asked by a challenge only keeps its message`() async throws {
        let bench = try SetUpBench(SetUpBench.challenge) { $0.files[2] = hex("0008D1010455046162632F") }
        let before = bench.tag.state.messageFile
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.hasKeys(version: 1) && bench.tag.state.messageFile == before)
        #expect(try await bench.status(.mutual).status == .proven)
    }

    @Test func `a long message is written with its length last`() async throws {
        let profile = Site.sun {
            $0.keys[.master] = "master"
            $0.url = "https://ex.am/" + String(repeating: "x", count: 120) + "?p={picc}&c={mac}"
        }
        let bench = try SetUpBench(profile)
        #expect(await bench.run(.setUp).error == nil)
        #expect(try await bench.status().status == .proven)
    }

    @Test func `keys are rotated, the message still proves the tag, and earlier ones stay spent`() async throws {
        var bench = try SetUpBench()
        _ = await bench.run(.setUp)
        bench.ring = SetUpBench.rotated
        let visit = await bench.run(.rotate)
        #expect(visit.error == nil, "\(visit.result)")
        #expect(bench.hasKeys(version: 2) && bench.isUncounted)
        let tap = try await bench.status()
        #expect(tap.status == .proven && tap.attempt?.proof.keyVersion == 2 && tap.attempt?.proof.counter == 3)
    }

    @Test func `a reset tag is as delivered`() async throws {
        var bench = try SetUpBench()
        let delivered = bench.tag.state
        _ = await bench.run(.setUp)
        #expect(bench.tag.state.contents != delivered.contents)
        let visit = await bench.run(.reset)
        #expect(visit.error == nil, "\(visit.result)")
        #expect(bench.hasKeys(version: 0) && bench.isUncounted)
        #expect(bench.tag.state.contents == delivered.contents)
        bench.ring = SetUpBench.rotated
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.hasKeys(version: 2))
    }

    @Test(arguments: [SetUpBench.profile, SetUpBench.challenge])
    func `a reset tag has the content of one as delivered, whatever it had`(profile: TagProfile) async throws {
        let bench = try SetUpBench(profile) {
            $0.files[3] = [UInt8](repeating: 0xA5, count: 128)
            if profile.url == nil { $0.files[2] = hex("0008D1010455046162632F") }
        }
        _ = await bench.run(.setUp)
        #expect(bench.tag.state.contents[0xE105] == [UInt8](repeating: 0xA5, count: 128))
        let visit = await bench.run(.reset)
        #expect(visit.outcome?.steps.contains("restore the content of file 3") == true, "\(visit.result)")
        #expect(bench.hasDeliveredContent)
        #expect(bench.hasKeys(version: 0))
    }

    @Test(arguments: SetUpTask.allCases) func `a task that is done already changes nothing but the counter`(
        task: SetUpTask
    ) async throws {
        let bench = try SetUpBench()
        if task != .reset { _ = await bench.run(.setUp) }
        let visit = await bench.run(task)
        #expect(visit.error == nil && visit.outcome?.steps.contains { $0.hasPrefix("change") } == false)
    }

    @Test func `a dry run writes nothing on the tag and no record`() async throws {
        var bench = try SetUpBench()
        bench.options.isDryRun = true
        let outcome = try #require(await bench.run(.setUp).outcome)
        #expect(outcome.isDryRun && outcome.steps.contains("change key 0 to version 1"))
        #expect(bench.tag.state.eepromWrites == 0 && bench.records.all.isEmpty)
    }

    // MARK: Options

    @Test func `the signature of the maker is checked, and refused where it is required`() async throws {
        var bench = try SetUpBench()
        bench.options.originality = .required
        #expect(await bench.run(.setUp).error?.reason == .wrongTag)
        #expect(bench.tag.state.eepromWrites == 0)
        let point = VirtualNTAG424Card.originalityPublicKey
        let key = try #require(UIDSignature.PublicKey(products: "virtual", point: point))
        bench.options.makers = [key]
        #expect(await bench.run(.setUp).outcome?.originality == .genuine(products: "virtual"))
    }

    @Test func `a message that is on the tag is lost only where that is allowed`() async throws {
        var bench = try SetUpBench { $0.files[2] = hex("0008D1010455046162632F") }
        #expect(await bench.run(.setUp).error?.reason == .unsuitable)
        #expect(bench.tag.state.eepromWrites == 0)
        bench.options.overwritesMessage = true
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.hasKeys(version: 1))
    }

    @Test func `a UID is hidden only where that is asked for, and can then be given`() async throws {
        var bench = try SetUpBench()
        bench.options.irreversible = [.randomUID]
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.tag.state.hasRandomIdentifier && bench.hasKeys(version: 1))
        bench.options.irreversible = []
        #expect(await bench.run(.reset).error?.reason == .unsuitable)
        bench.options.uid = Site.uid
        #expect(await bench.run(.reset).error == nil)
        #expect(bench.hasKeys(version: 0) && bench.isUncounted)
    }

    @Test func `the tamper loop is measured only where that is asked for`() async throws {
        let loop = VirtualTamperLoop()
        var profile = SetUpBench.profile
        profile.expectsTamper = true
        profile.url = "https://ex.am/?p={picc}&t={tt}&c={mac}"
        var bench = try SetUpBench(profile) {
            $0 = VirtualNTAG424Setup(tamperLoop: loop)
            $0.identifier = Site.uid
        }
        bench.options.irreversible = [.tamper]
        #expect(await bench.run(.setUp).error == nil)
        #expect(try await bench.status(.mutual).status == .proven)
    }
}
