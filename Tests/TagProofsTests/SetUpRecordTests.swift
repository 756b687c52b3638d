import FoundationEssentials
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

    @Test(arguments: SetUpTask.allCases, [true, false])
    func `what was begun is finished with a profile of the same keys, whatever its name is`(
        task: SetUpTask, isRecent: Bool
    ) async throws {
        var bench = try SetUpBench()
        if task != .setUp { _ = await bench.run(.setUp) }
        if task == .rotate { bench.ring = SetUpBench.rotated }
        #expect(await bench.run(task, FaultPlan(.removeAfter, at: 35)).error != nil)
        if !isRecent { for record in bench.records.all { try await bench.records.save(record.withoutDerivation) } }
        bench.profile.name = "other"
        let status = try await bench.ask { (setUp, channel) async throws(SetUpError) in
            try await setUp.status(channel)
        }.get()
        #expect(status.interruptedTask == task && status.remarks.isEmpty)
        let visit = await bench.resume()
        #expect(visit.error == nil && bench.hasOnlyDoneRecords && bench.isUncounted, "\(visit.result)")
        #expect(bench.records.all.map(\.profile) == ["other"])
    }

    private static func changed(_ change: (inout TagProfile) -> Void) -> TagProfile {
        var profile = SetUpBench.profile
        change(&profile)
        return profile
    }

    static let otherProfiles = [
        changed { $0.keys[.file] = "door" }, changed { $0.keys[.tag] = nil },
        changed { ($0.name, $0.keys[.file]) = ("other", "door") }, changed { $0.derivation = .cmac },
        changed { $0.systemIdentifier = [1] },
    ]

    @Test(arguments: otherProfiles) func `a profile of other keys does not finish it, and what it needs is listed`(
        profile: TagProfile
    ) async throws {
        var bench = try await Self.torn()
        let writes = bench.tag.state.eepromWrites
        bench.profile = profile
        for visit in [await bench.resume(), await bench.run(.setUp), await bench.run(.reset)] {
            let error = try #require(visit.error)
            #expect(error.reason == .unsuitable && error.state == .unfinished)
            for words in [
                "begun with profile web", "master-key master, version 1", "file-key file, version 1",
                "key 4 master, version 1", "tag = \"ntag424\"", "derivation = \"an10922\"", "its name does not matter",
            ] {
                #expect(error.detail.contains(words), "\(words): \(error)")
            }
        }
        let status = try await bench.ask { (setUp, channel) async throws(SetUpError) in
            try await setUp.status(channel)
        }.get()
        #expect(status.remarks.contains { $0.contains("begun with profile web") })
        #expect(bench.tag.state.eepromWrites == writes && bench.isUncounted)
        bench.profile = SetUpBench.profile
        #expect(await bench.resume().error == nil)
        #expect(bench.hasKeys(version: 1))
    }

    @Test(arguments: ProductKind.all) func `a set-up ends with the versions that it began with, by every product`(
        kind: ProductKind
    ) async throws {
        let count = await (try await kind.bench(.setUp)).run(.setUp).exchanges
        var resumed = 0
        for exchange in stride(from: 1, through: count, by: 6) {
            for task in [SetUpTask.setUp, .rotate] {
                guard task == .setUp || kind.canRotate else { continue }
                var bench = try await kind.bench(task)
                _ = await bench.run(task, FaultPlan(.removeAfter, at: exchange))
                guard !bench.hasOnlyDoneRecords else { continue }
                bench.ring = task == .setUp ? SetUpBench.rotated : SetUpBench.third
                let (visit, version) = (await bench.resume(), UInt8(task == .setUp ? 1 : 2))
                #expect(visit.outcome.map { Set($0.versions) } == [version], "\(task) \(exchange) \(visit.result)")
                #expect(bench.isFinished(with: version), "\(task) \(exchange)")
                let mentionsRotation = visit.outcome?.remarks.contains { $0.contains("secure rotate") }
                #expect(!kind.canRotate || mentionsRotation == true, "\(exchange)")
                resumed += 1
            }
        }
        #expect(resumed > 3)
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

    // MARK: Its form

    private static let earlier =
        #"{"irreversible":["tamper"],"isDone":false,"keepsCardKey":false,"keys":[{"name":"master","new":2,"number":0,"old":1}],"#
        + #""profile":"web","task":"rotate","uid":[4,149,140,170,92,94,128]}"#

    @Test func `a record of an earlier nfcd is read, and knows nothing of the keys between`() throws {
        let record = try JSONDecoder().decode(SetUpRecord.self, from: Data(Self.earlier.utf8))
        #expect(record.keys.map(\.possible) == [nil] && record.derivation == nil)
    }

    @Test func `a record is what was stored, with the keys that the tag may have`() async throws {
        let record = try #require(try await Self.torn().records.all.first)
        #expect(record.keys.contains { $0.possible == [1] } && record.derivation != nil)
        #expect(try JSONDecoder().decode(SetUpRecord.self, from: JSONEncoder().encode(record)) == record)
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

extension SetUpRecord {
    /// The record as a program wrote it that did not note how keys are derived.
    fileprivate var withoutDerivation: SetUpRecord {
        var record = self
        record.derivation = nil
        return record
    }
}
