import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

/// Setting up an NTAG 424 DNA in LRP mode.
@Suite struct SetUpLRPTests {
    private static let profile: TagProfile = {
        var profile = SetUpBench.profile
        profile.usesLRP = true
        return profile
    }()

    private static func bench(isLRP: Bool = false, allows: Bool = false) throws -> SetUpBench {
        var bench = try SetUpBench(profile) { if isLRP { $0.configuration = [VirtualNTAG424Setup.lrp] } }
        if allows { bench.options.irreversible = [.lrp] }
        return bench
    }

    @Test(arguments: [true, false]) func `a tag is switched to LRP where that is allowed, and proves itself`(
        isLRP: Bool
    ) async throws {
        var bench = try Self.bench(isLRP: isLRP, allows: true)
        let visit = await bench.run(.setUp)
        #expect(visit.error == nil && visit.outcome?.counter == 1, "\(visit.result)")
        #expect(bench.tag.state.isLRP && bench.hasKeys(version: 1) && bench.isUncounted)
        #expect(try await bench.status().status == .proven)
        #expect(try await bench.status(.mutual).status == .proven)
        bench.options.irreversible = []
        #expect(await bench.verify().error == nil)
    }

    @Test func `without that permission, nothing is changed, and the advice names it`() async throws {
        let bench = try Self.bench()
        let error = try #require(await bench.run(.setUp).error)
        #expect(error.reason == .unsuitable && error.state == .unchanged && error.detail.contains("option lrp"))
        #expect(bench.tag.state.eepromWrites == 0 && bench.records.all.isEmpty && bench.isUncounted)
    }

    @Test func `a tag in LRP mode as delivered needs no permission`() async throws {
        let bench = try Self.bench(isLRP: true)
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.hasKeys(version: 1) && bench.isUncounted)
        #expect(try await bench.status().status == .proven)
    }

    @Test func `a tag in LRP mode is not tried with AES`() async throws {
        let bench = try SetUpBench { $0.configuration = [VirtualNTAG424Setup.lrp] }
        let error = try #require(await bench.run(.setUp).error)
        #expect(error.reason == .foreign && error.detail.contains("lrp = true"))
        #expect(bench.tag.state.eepromWrites == 0 && bench.isUncounted)
    }

    @Test func `a profile of AES does not switch a tag to LRP`() async throws {
        var bench = try SetUpBench()
        bench.options.irreversible = [.lrp]
        #expect(await bench.run(.setUp).error?.reason == .unsuitable)
        #expect(bench.tag.state.eepromWrites == 0)
    }

    @Test func `a tag that was set up without LRP has to be reset first`() async throws {
        var bench = try SetUpBench()
        _ = await bench.run(.setUp)
        bench.profile = Self.profile
        bench.options.irreversible = [.lrp]
        let writes = bench.tag.state.eepromWrites
        let error = try #require(await bench.run(.setUp).error)
        #expect(error.state == .unchanged && error.detail.contains("reset it first"), "\(error)")
        #expect(bench.tag.state.eepromWrites == writes && !bench.tag.state.isLRP)
        #expect(await bench.run(.reset).error == nil)
        bench.ring = SetUpBench.rotated
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.tag.state.isLRP && bench.hasKeys(version: 2) && bench.isUncounted)
    }

    @Test func `a tag in LRP mode is rotated and reset, and stays in LRP mode`() async throws {
        var bench = try Self.bench(allows: true)
        _ = await bench.run(.setUp)
        bench.options.irreversible = []
        bench.ring = SetUpBench.rotated
        #expect(await bench.run(.rotate).error == nil)
        #expect(bench.hasKeys(version: 2))
        #expect(try await bench.status().attempt?.proof.keyVersion == 2)
        let visit = await bench.run(.reset)
        #expect(visit.outcome?.remarks.contains { $0.contains("LRP") } == true, "\(visit.result)")
        #expect(bench.hasKeys(version: 0) && bench.tag.state.isLRP && bench.isUncounted)
    }

    @Test func `a hidden UID is asked for in the mode that the tag has`() async throws {
        for isLRP in [true, false] {
            var bench = try SetUpBench(Self.profile) {
                $0.configuration = [VirtualNTAG424Setup.randomIdentifier] + (isLRP ? [VirtualNTAG424Setup.lrp] : [])
            }
            bench.options.irreversible = [.lrp]
            #expect(await bench.run(.setUp).error == nil)
            #expect(bench.hasKeys(version: 1) && bench.isUncounted && bench.tag.state.isLRP)
        }
    }
}
