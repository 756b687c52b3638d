import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

/// What a record decides when something is finished, and what is reported without one.
@Suite struct SetUpRecordTests {
    /// The exchange of a set-up at which a key has been changed, and not key 0.
    private static let middle = 35

    private static func torn(at exchange: Int = middle) async throws -> SetUpBench {
        let bench = try SetUpBench()
        let error = try #require(await bench.run(.setUp, FaultPlan(.removeAfter, at: exchange)).error)
        #expect(error.state == .unfinished)
        #expect(Set(bench.tag.state.keyVersions) == [0, 1])
        return bench
    }

    private static func ring(versions: [UInt8], current: UInt8) -> KeyRing {
        KeyRing(
            SetUpBench.rotated.entries.filter { versions.contains($0.version) }.map {
                .init(
                    name: $0.name, version: $0.version, state: $0.version == current ? .current : .previous,
                    master: $0.master)
            })
    }

    // MARK: Finishing with the record

    @Test func `what was begun with another profile is not finished, and its name is given`() async throws {
        var bench = try await Self.torn()
        let writes = bench.tag.state.eepromWrites
        bench.profile.name = "other"
        for visit in [await bench.resume(), await bench.run(.setUp), await bench.run(.reset)] {
            let error = try #require(visit.error)
            #expect(error.reason == .unsuitable && error.state == .unfinished && error.detail.contains("web"))
        }
        #expect(bench.tag.state.eepromWrites == writes)
        bench.profile.name = "web"
        #expect(await bench.resume().error == nil)
        #expect(bench.hasKeys(version: 1))
    }

    @Test func `a set-up is finished with the versions of its record, and the later ones are mentioned`() async throws {
        var bench = try await Self.torn()
        bench.ring = SetUpBench.rotated
        let visit = await bench.resume()
        #expect(visit.outcome?.versions == [1, 1, 1, 1, 1], "\(visit.result)")
        #expect(visit.outcome?.remarks.contains { $0.contains("secure rotate") } == true)
        #expect(bench.hasKeys(version: 1) && bench.hasOnlyDoneRecords)
        #expect(await bench.run(.rotate).error == nil)
        #expect(bench.hasKeys(version: 2) && bench.isUncounted)
    }

    @Test func `versions of the record that are not in the key file any more are named`() async throws {
        var bench = try await Self.torn()
        bench.ring = KeyRing(
            SetUpBench.rotated.entries.filter { $0.name != "master" || $0.version == 2 })
        let error = try #require(await bench.resume().error)
        #expect(error.reason == .unsuitable && error.state == .unfinished)
        #expect(error.detail.contains("version 1 of master"), "\(error)")
    }

    @Test func `a rotation is finished with the versions of its record`() async throws {
        var bench = try SetUpBench()
        _ = await bench.run(.setUp)
        bench.ring = SetUpBench.rotated
        _ = await bench.run(.rotate, FaultPlan(.removeAfter, at: 25))
        #expect(Set(bench.tag.state.keyVersions) == [1, 2])
        let third = Site.ring.entries.enumerated().map { index, entry in
            KeyRing.Entry(
                name: entry.name, version: 3, state: .current, master: Site.key(0x90 + UInt8(index)))
        }
        bench.ring = KeyRing(
            third
                + SetUpBench.rotated.entries.map {
                    .init(name: $0.name, version: $0.version, state: .previous, master: $0.master)
                })
        #expect(await bench.resume().outcome?.versions == [2, 2, 2, 2, 2])
        #expect(bench.hasKeys(version: 2) && bench.isUncounted)
    }

    // MARK: Without the record

    @Test func `without a record, permanent options are not known, and that is said`() async throws {
        var bench = try SetUpBench()
        bench.options.irreversible = [.randomUID]
        _ = await bench.run(.setUp, FaultPlan(.removeAfter, at: Self.middle))
        bench.records.lose()
        bench.options.irreversible = []
        let status = try await bench.ask { (setUp, channel) async throws(SetUpError) in
            try await setUp.status(channel)
        }.get()
        #expect(status.interruptedTask == .setUp && status.remarks.contains { $0.contains("permanent options") })
        let outcome = try #require(await bench.resume().outcome)
        #expect(outcome.remarks.contains { $0.contains("permanent options") && $0.contains("given: none") })
        #expect(!bench.tag.state.hasRandomIdentifier && bench.hasKeys(version: 1))
        // Given again, it is done even though key 0 is changed already.
        bench.options.irreversible = [.randomUID]
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.tag.state.hasRandomIdentifier && bench.hasKeys(version: 1) && bench.isUncounted)
    }

    @Test func `a reset that no record shows is not resumed`() async throws {
        let bench = try SetUpBench()
        _ = await bench.run(.setUp)
        for exchange in 1...70 where !bench.tag.state.keyVersions.contains(0) {
            _ = await bench.finish(.reset, FaultPlan(.removeAfter, at: exchange))
        }
        let versions = bench.tag.state.keyVersions
        #expect(versions.contains(0) && versions[0] != 0)
        bench.records.lose()
        let error = try #require(await bench.resume().error)
        #expect(error.reason == .nothingToResume && error.detail.contains("reset"), "\(error)")
        #expect(bench.tag.state.keyVersions == versions && bench.isUncounted)
        #expect(await bench.run(.reset).error == nil)
    }

    @Test func `with a record, permanent options are set, and nothing is missing`() async throws {
        var bench = try SetUpBench()
        bench.options.irreversible = [.randomUID]
        _ = await bench.run(.setUp, FaultPlan(.removeAfter, at: Self.middle))
        bench.options.irreversible = []
        let outcome = try #require(await bench.resume().outcome)
        #expect(outcome.remarks.isEmpty && bench.tag.state.hasRandomIdentifier)
    }

    @Test(arguments: [40, 200, 220]) func `a message that was written is known without a record`(
        length: Int
    ) async throws {
        var profile = SetUpBench.profile
        profile.url = "https://ex.am/" + String(repeating: "x", count: length - 40) + "?p={picc}&c={mac}"
        let template = try SUNTemplate(profile.url ?? "")
        var bench = try SetUpBench(profile)
        bench.options.makers = []
        let count = await bench.run(.setUp).exchanges
        var isWritten = false
        for exchange in 1...count {
            let bench = try SetUpBench(profile)
            _ = await bench.run(.setUp, FaultPlan(.removeAfter, at: exchange))
            bench.records.lose()
            guard Set(bench.tag.state.keyVersions) == [0] else { break }
            isWritten = bench.tag.state.messageFile.starts(with: template.file)
            #expect(await bench.run(.setUp).error == nil, "\(exchange)")
            #expect(bench.hasKeys(version: 1))
        }
        #expect(isWritten)
    }

    @Test func `what was not begun after all has no record`() async throws {
        var bench = try SetUpBench { $0.keys[0] = .init([UInt8](repeating: 0x5C, count: 16)) }
        #expect(await bench.run(.setUp).error?.reason == .keyRefused)
        #expect(bench.records.all.isEmpty)
        bench = try SetUpBench()
        _ = await bench.run(.setUp)
        let before = bench.records.all
        #expect(await bench.run(.reset, FaultPlan(.removeBefore, at: 20)).error?.state == .unchanged)
        #expect(bench.records.all == before)
    }

    // MARK: Counters

    @Test func `a tag does not get the key of its earlier messages again`() async throws {
        var bench = try SetUpBench()
        _ = await bench.run(.setUp)
        _ = await bench.run(.reset)
        let writes = bench.tag.state.eepromWrites
        let error = try #require(await bench.run(.setUp).error)
        #expect(error.reason == .unsuitable && error.state == .unchanged && error.detail.contains("keys rotate file"))
        #expect(bench.tag.state.eepromWrites == writes)
        bench.options.isDryRun = true
        #expect(await bench.run(.setUp).error?.reason == .unsuitable)
        bench.options.isDryRun = false
        bench.ring = SetUpBench.rotated
        #expect(await bench.run(.setUp).error == nil)
        _ = await bench.run(.reset)
        // Neither the last version nor one before.
        #expect(await bench.run(.setUp).error?.reason == .unsuitable)
        bench.ring = Self.ring(versions: [1, 2], current: 1)
        #expect(await bench.run(.setUp).error?.reason == .unsuitable)
    }

    @Test func `rotation and interrupted resets are remembered too`() async throws {
        for exchange in stride(from: 1, through: 60, by: 3) {
            var bench = try SetUpBench()
            _ = await bench.run(.setUp)
            bench.ring = SetUpBench.rotated
            _ = await bench.run(.rotate)
            _ = await bench.run(.reset, FaultPlan(.removeDuring, at: exchange))
            #expect(await bench.finish(.reset).error == nil)
            for current: UInt8 in [1, 2] {
                bench.ring = Self.ring(versions: [1, 2], current: current)
                #expect(await bench.run(.setUp).error?.detail.contains("keys rotate file") == true, "\(exchange)")
            }
        }
    }

    @Test func `a key with which no message was made can be given again`() async throws {
        // Interrupted before messages are switched on.
        let bench = try await Self.torn(at: 26)
        #expect(await bench.run(.reset).error == nil)
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.hasKeys(version: 1))
    }

    @Test func `a set-up that is resumed does not begin to count again`() async throws {
        for lost in [true, false] {
            for exchange in 35...60 {
                let bench = try SetUpBench()
                let torn = await bench.run(.setUp, FaultPlan(.removeAfter, at: exchange))
                if lost { bench.records.lose() }
                guard torn.error != nil, bench.tag.state.readCounter > 0 else { continue }
                let before = bench.tag.state.readCounter
                _ = await bench.finish(.setUp)
                #expect(bench.tag.state.readCounter > before, "\(exchange)")
            }
        }
    }

    @Test func `a reset without a record says what is not known`() async throws {
        let bench = try SetUpBench()
        _ = await bench.run(.setUp)
        for exchange in 1...70 {
            guard Set(bench.tag.state.keyVersions) != [0, 1] else { break }
            _ = await bench.finish(.reset, FaultPlan(.removeAfter, at: exchange))
        }
        #expect(bench.tag.state.keyVersions[0] == 1)
        bench.records.lose()
        let visit = await bench.run(.reset)
        let isKnown = visit.outcome?.remarks.isEmpty ?? false
        #expect(visit.error == nil && bench.hasKeys(version: 0))
        #expect(isKnown || visit.outcome?.remarks.contains { $0.contains("new version") } == true)
    }
}
