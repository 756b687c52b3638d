import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import TapJournal
import TestSupport
import Testing
import VirtualTags

/// Setting up a DESFire, without interruption.
@Suite struct DESFireSetUpTests {
    private static let door = VirtualDESFireSetup(
        application: [1, 2, 3], keys: [.init([UInt8](repeating: 0x77, count: 16), version: 7)],
        content: [0xAA, 0xBB], rights: [0x00, 0x00])

    @Test(arguments: DESFireBench.kinds) func `a card as delivered becomes one of the profile, and proves itself`(
        kind: DESFireBench.Kind
    ) async throws {
        let bench = try DESFireBench(kind)
        let visit = await bench.run(.setUp)
        let outcome = try #require(visit.outcome, "\(visit.result)")
        #expect(outcome.uid == Site.uid && outcome.versions == [1, 1, 1, 1] && outcome.credential == Site.uid)
        #expect(bench.hasKeys(version: 1) && bench.isUncounted && bench.hasOnlyDoneRecords)
        #expect(visit.exchanges <= 80, "\(visit.exchanges)")
        let tap = try await bench.tap()
        #expect(tap.status == .proven && tap.exchanges <= 8)
        #expect(tap.attempt?.proof.credential?.bytes == Site.uid)
    }

    @Test(arguments: ["desfire-ev1-blank", "desfire-ev2-blank", "desfire-ev3-blank"])
    func `a blank card of the catalogue becomes one that proves itself`(name: String) async throws {
        let model = try #require(VirtualTagModel.all.first { $0.name == name })
        let reader = try model.makeTag().inReader()
        let messaging: TagProfile.Messaging = name == "desfire-ev1-blank" ? .ev1 : .ev2
        let profile = DESFireBench.profile(messaging)
        let setUp = try TagSetUp(profile, keys: Site.ring, records: MemoryRecords())
        let outcome = try await setUp.run(
            .setUp, CountingChannel(reader), CardReconnection(identifier: []) { reader.reset() })
        reader.powerOff()
        #expect(outcome.versions == [1, 1, 1, 1])
        #expect(try await Site(profile).tap(reader).status == .proven)
    }

    @Test(arguments: DESFireBench.kinds) func `keys are rotated, and the card still proves itself`(
        kind: DESFireBench.Kind
    ) async throws {
        var bench = try DESFireBench(kind)
        _ = await bench.run(.setUp)
        bench.ring = SetUpBench.rotated
        let visit = await bench.run(.rotate)
        #expect(visit.error == nil, "\(visit.result)")
        #expect(bench.hasKeys(version: 2) && bench.isUncounted)
        let tap = try await bench.tap()
        #expect(tap.status == .proven && tap.attempt?.proof.keyVersion == 2)
    }

    @Test(arguments: DESFireBench.kinds) func `a reset card is as delivered, and can be set up again`(
        kind: DESFireBench.Kind
    ) async throws {
        let bench = try DESFireBench(kind)
        _ = await bench.run(.setUp)
        let visit = await bench.run(.reset)
        #expect(visit.error == nil && visit.outcome?.versions == [0, 0, 0, 0], "\(visit.result)")
        #expect(bench.tag.state.applications.isEmpty && bench.hasKeys(version: 0) && bench.isUncounted)
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.hasKeys(version: 1))
    }

    @Test(arguments: SetUpTask.allCases) func `a task that is done already changes nothing`(task: SetUpTask)
        async throws
    {
        let bench = try DESFireBench()
        if task != .reset { _ = await bench.run(.setUp) }
        let writes = bench.tag.state.memoryWrites
        let visit = await bench.run(task)
        #expect(visit.error == nil && bench.tag.state.memoryWrites == writes, "\(visit.result)")
    }

    @Test(arguments: SetUpTask.allCases) func `a dry run writes nothing on the card and no record`(
        task: SetUpTask
    ) async throws {
        var bench = try DESFireBench()
        if task != .setUp { _ = await bench.run(.setUp) }
        if task == .rotate { bench.ring = SetUpBench.rotated }
        let (writes, records) = (bench.tag.state.memoryWrites, bench.records.all)
        bench.options.isDryRun = true
        let outcome = try #require(await bench.run(task).outcome)
        let last = ["set-up": "1", "rotate": "2"][task.rawValue]
        let step = last.map { "change the card master key to version \($0)" }
        #expect(outcome.steps.contains(step ?? "change the card master key to that of a card as delivered"))
        #expect(outcome.isDryRun && bench.tag.state.memoryWrites == writes && bench.records.all == records)
    }

    @Test(arguments: DESFireBench.kinds) func `status and verify show what a card is`(kind: DESFireBench.Kind)
        async throws
    {
        let bench = try DESFireBench(kind)
        func status() async throws -> SetUpStatus {
            defer { bench.reader.powerOff() }
            return try await TagSetUp(bench.profile, keys: bench.ring, records: bench.records)
                .status(CountingChannel(bench.reader))
        }
        func verify() async -> SetUpVisit {
            await bench.visit { (setUp, channel, reconnection) async throws(SetUpError) in
                try await setUp.verify(channel, reconnection)
            }
        }
        let blank = try await status()
        #expect(blank.versions == [0, 0, 0, 0] && blank.current == [1, 1, 1, 1] && blank.isOurs)
        #expect(blank.interruptedTask == nil)
        #expect(await verify().error?.reason == .wrongResult)
        _ = await bench.run(.setUp)
        let writes = bench.tag.state.memoryWrites
        #expect(try await status().interruptedTask == nil)
        #expect(await verify().outcome?.credential == Site.uid)
        #expect(bench.tag.state.memoryWrites == writes && bench.isUncounted)
    }

    // MARK: Options

    @Test func `a credential is stored, kept and proven`() async throws {
        var bench = try DESFireBench()
        bench.options.credential = Array("member 0815".utf8)
        #expect(await bench.run(.setUp).outcome?.credential == Array("member 0815".utf8))
        #expect(try await bench.tap().attempt?.proof.credential?.bytes == Array("member 0815".utf8))
        bench.options.credential = nil
        #expect(await bench.run(.setUp).outcome?.credential == Array("member 0815".utf8))
        bench.options.credential = [1]
        #expect(await bench.run(.setUp).error?.reason == .wrongResult)
        bench.options.credential = [UInt8](repeating: 1, count: 24)
        #expect(await bench.run(.setUp).error?.reason == .unsuitable)
    }

    @Test(arguments: 1...80) func `an interrupted set-up keeps the credential that it began with`(exchange: Int)
        async throws
    {
        var bench = try DESFireBench()
        bench.options.credential = [8, 1, 5]
        let torn = await bench.run(.setUp, FaultPlan(.removeDuring, at: exchange))
        bench.options.credential = nil
        guard torn.error != nil, !bench.records.all.isEmpty else { return }
        #expect(await bench.resume().outcome?.credential == [8, 1, 5])
    }

    @Test func `the card master key is left alone on request, and nothing else is`() async throws {
        var bench = try DESFireBench()
        bench.options.keepsCardKey = true
        #expect(await bench.run(.setUp).outcome?.versions == [1, 1, 1, 0])
        #expect(bench.hasApplication(version: 1) && bench.hasKnownKeys)
        #expect(try await bench.tap().status == .proven)
        #expect(await bench.run(.reset).error == nil)
        #expect(bench.hasKeys(version: 0) && bench.isUncounted)
    }

    // MARK: Cards of several applications

    @Test(arguments: DESFireBench.kinds)
    func `an application of others, and the card master key beside it, stay as they are`(
        kind: DESFireBench.Kind
    ) async throws {
        var bench = try DESFireBench(kind, setups: [Self.door])
        func expectDoor(_ comment: Comment) {
            let card = bench.tag.state
            #expect(card.hasKey(application: [1, 2, 3], number: 0, value: Self.door.keys[0].value), comment)
            #expect(card.fileContent(application: [1, 2, 3], number: 1) == [0xAA, 0xBB], comment)
            #expect(bench.hasKnownKeys && bench.isUncounted, comment)
        }
        #expect(await bench.run(.setUp).outcome?.versions == [1, 1, 1, 0])
        expectDoor("set up")
        #expect(try await bench.tap().status == .proven)
        bench.ring = SetUpBench.rotated
        #expect(await bench.run(.rotate).outcome?.versions == [2, 2, 2, 0])
        expectDoor("rotated")
        #expect(await bench.run(.reset).error == nil)
        expectDoor("reset")
        #expect(!bench.hasApplication && bench.tag.state.applications == [[1, 2, 3]])
    }

    static let foreignLevels: [VirtualDESFireLevel] = [
        level(.des, .init([UInt8](repeating: 0x5D, count: 16))), level(.tripleDES, .init([UInt8](0..<24))),
        level(.aes, .init([UInt8](repeating: 0x5C, count: 16), version: 9)),
        level(.aes, .init([UInt8](repeating: 0, count: 16))),
    ]

    private static func level(
        _ cipher: VirtualDESFireLevel.Cipher, _ key: VirtualDESFireSetup.Key
    ) -> VirtualDESFireLevel {
        var level = VirtualDESFireLevel()
        (level.cipher, level.key) = (cipher, key)
        return level
    }

    @Test(arguments: foreignLevels) func `a card of someone else that lets everyone create applications gets one`(
        level: VirtualDESFireLevel
    ) async throws {
        let bench = try DESFireBench(level: level)
        let visit = await bench.run(.setUp)
        #expect(visit.outcome?.versions.prefix(3) == [1, 1, 1], "\(visit.result)")
        #expect(bench.hasApplication(version: 1) && bench.isUncounted)
        #expect(try await bench.tap().status == .proven)
        #expect(await bench.run(.reset).error == nil)
        #expect(!bench.hasApplication && bench.isUncounted)
        #expect(
            bench.tag.state.hasKey(application: DESFireBench.cardLevel, number: 0, value: level.key.value))
    }
}
