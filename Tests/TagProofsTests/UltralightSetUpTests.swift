import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

/// Setting up a MIFARE Ultralight AES, without interruption.
@Suite struct UltralightSetUpTests {
    @Test(arguments: FrameReader.all, [false, true])
    func `a tag as delivered becomes one of the profile, and is proven only with locked keys`(
        reader: FrameReader, locks: Bool
    ) async throws {
        let bench = try UltralightBench(on: reader, locks: locks)
        let visit = await bench.run(.setUp)
        let outcome = try #require(visit.outcome, "\(visit.result)")
        #expect(outcome.uid == Site.uid && outcome.versions == [1, 1] && outcome.counter == nil)
        #expect(outcome.remarks.isEmpty == locks)
        #expect(bench.isFinished(.setUp) && bench.records.all.count == 1)
        #expect(visit.exchanges <= 50, "\(visit.exchanges)")
        let tap = try await bench.tap()
        #expect(tap.status == (locks ? .proven : .weak) && tap.reading.messages.count == 1)
        let status = try await bench.status()
        #expect(status.versions == [1, 1] && status.remarks.isEmpty == locks && status.interruptedTask == nil)
        #expect(await bench.verify().error == nil)
    }

    @Test func `keys are rotated while they are not locked`() async throws {
        var bench = try UltralightBench()
        _ = await bench.run(.setUp)
        bench.ring = SetUpBench.rotated
        #expect(await bench.verify().error?.reason == .foreign)
        #expect(await bench.run(.setUp).error?.reason == .foreign)
        let visit = await bench.run(.rotate)
        #expect(visit.error == nil && visit.outcome?.versions == [2, 2], "\(visit.result)")
        #expect(bench.isFinished(.rotate))
        let tap = try await bench.tap()
        #expect(tap.status == .weak && tap.attempt?.proof.keyVersion == 2)
    }

    @Test func `locked keys cannot be rotated, and the tag stays what it is`() async throws {
        var bench = try UltralightBench(locks: true)
        _ = await bench.run(.setUp)
        bench.ring = SetUpBench.rotated
        let before = bench.tag.state.memory
        let error = try #require(await bench.run(.rotate).error)
        #expect(error.reason == .unsuitable && error.state == .unchanged && error.detail.contains("LOCK_KEYS"))
        #expect(bench.tag.state.memory == before && bench.isUncounted)
        // The version before is still a good one.
        #expect(await bench.verify().error == nil)
        #expect(try await bench.tap().status == .proven)
    }

    @Test func `a reset tag is as delivered`() async throws {
        let bench = try UltralightBench()
        let delivered = bench.tag.state.memory
        _ = await bench.run(.setUp)
        let visit = await bench.run(.reset)
        #expect(visit.error == nil && visit.outcome?.remarks == [], "\(visit.result)")
        #expect(bench.isFinished(.reset) && bench.tag.state.memory == delivered)
        #expect(await bench.run(.setUp).error == nil && bench.isFinished(.setUp))
    }

    @Test func `a tag with locked keys loses its protection with a reset, and can be set up again`() async throws {
        var bench = try UltralightBench(locks: true)
        _ = await bench.run(.setUp)
        let visit = await bench.run(.reset)
        #expect(visit.error == nil && visit.outcome?.versions == [1, 1], "\(visit.result)")
        #expect(!bench.isProtected && bench.hasKeys(version: 1) && bench.hasLockedKeys)
        #expect(visit.outcome?.remarks.count == 1)
        #expect(try await bench.tap().status == .weak)
        bench.ring = SetUpBench.rotated
        #expect(await bench.run(.setUp).error == nil)
        #expect(bench.isProtected && bench.hasKeys(version: 1) && bench.isUncounted)
        #expect(try await bench.tap().status == .proven)
    }

    @Test func `keys can be locked later`() async throws {
        var bench = try UltralightBench()
        _ = await bench.run(.setUp)
        bench.options.irreversible = [.lockKeys]
        #expect(await bench.run(.setUp).outcome?.steps.contains("lock the keys permanently") == true)
        #expect(bench.isFinished(.setUp))
        #expect(try await bench.tap().status == .proven)
    }

    @Test(arguments: [SetUpTask.setUp, .rotate], [false, true])
    func `a task that is done already changes nothing`(task: SetUpTask, locks: Bool) async throws {
        let bench = try UltralightBench(locks: locks)
        _ = await bench.run(.setUp)
        let before = bench.tag.state.memory
        let visit = await bench.run(task)
        #expect(visit.error == nil && visit.outcome?.steps == ["compare UID, settings and locks"], "\(visit.result)")
        #expect(bench.tag.state.memory == before && bench.isUncounted)
    }

    @Test(arguments: [SetUpTask.setUp, .reset]) func `a dry run writes nothing on the tag and no record`(
        task: SetUpTask
    ) async throws {
        var bench = try UltralightBench(locks: true)
        if task == .reset { _ = await bench.run(.setUp) }
        let (before, records) = (bench.tag.state.memory, bench.records.all)
        bench.options.isDryRun = true
        let outcome = try #require(await bench.run(task).outcome)
        #expect(
            outcome.isDryRun && outcome.steps.contains(task == .reset ? "remove the protection" : "prove both keys"))
        #expect(bench.tag.state.memory == before && bench.records.all == records)
    }

    @Test func `a task that was begun ends with the versions that it began with`() async throws {
        var bench = try UltralightBench(locks: true)
        _ = await bench.run(.setUp, FaultPlan(.removeBefore, at: 9))
        #expect(!bench.isProtected && !bench.hasOnlyDoneRecords)
        bench.ring = SetUpBench.rotated
        let visit = await bench.resume()
        #expect(visit.outcome?.versions == [1, 1], "\(visit.result)")
        #expect(bench.hasKeys(version: 1) && bench.hasLockedKeys && bench.isUncounted)
    }

    @Test func `a tag that imitates one that was set up does not get its keys`() async throws {
        let bench = try UltralightBench()
        _ = await bench.run(.setUp)
        bench.tag.replace(with: try UltralightBench.delivered())
        let before = bench.tag.state.memory
        #expect(await bench.run(.setUp).error?.reason == .foreign)
        #expect(await bench.run(.rotate).error?.reason == .foreign)
        #expect(bench.tag.state.memory == before)
    }

    // MARK: Refusals

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: SetUpError.Reason
        var failures = 0
        /// What is written into pages of a tag as delivered.
        let pages: [Int: String]
    }

    static let cases = [
        Case(testDescription: "protected with a key that nfcd has not set", reason: .foreign, pages: [41: "00000004"]),
        Case(testDescription: "codes, and no protection", reason: .foreign, pages: [41: "0200003C"]),
        Case(
            testDescription: "a version that is not known", reason: .foreign, pages: [41: "02000004", 42: "0C090000"]),
        Case(testDescription: "version 0", reason: .foreign, pages: [41: "02000004", 42: "0C000000"]),
        Case(
            testDescription: "another key with our version", reason: .keyRefused, failures: 1,
            pages: [41: "02000004", 42: "0C010000"]),
        Case(testDescription: "hidden settings", reason: .foreign, pages: [41: "02000004", 42: "8C010000"]),
        Case(testDescription: "a limit", reason: .foreign, pages: [42: "0C052000"]),
        Case(testDescription: "locked settings", reason: .foreign, pages: [42: "4C050000"]),
        Case(testDescription: "a locked key", reason: .foreign, pages: [45: "40000000"]),
        Case(testDescription: "locked keys", reason: .foreign, pages: [45: "C0000000"]),
        Case(testDescription: "frozen locks", reason: .unsuitable, pages: [45: "20000000"]),
        Case(testDescription: "a random UID", reason: .foreign, pages: [41: "0100003C"]),
        Case(testDescription: "a hidden UID", reason: .unsuitable, pages: [0: "00000000"]),
    ]

    @Test(arguments: cases) func `a tag that is not ours is left alone`(_ example: Case) async throws {
        var memory = try UltralightBench.delivered().memory
        for (page, bytes) in example.pages { memory.replaceSubrange(4 * page..<4 * page + 4, with: hex(bytes)) }
        let bench = try UltralightBench(VirtualType2Tag(product: .ultralightAES, memory: memory), locks: true)
        let error = try #require(await bench.run(.setUp).error)
        #expect(error.reason == example.reason && error.state == .unchanged, "\(error)")
        #expect(bench.tag.state.memory == memory && bench.tag.state.wrongAnswers == example.failures)
    }

    @Test(arguments: [VirtualType2Product.ntag215, .mf0ul11, .ultralightC, .ultralight])
    func `another product is refused`(product: VirtualType2Product) async throws {
        let bench = try UltralightBench(VirtualType2Tag(product: product))
        let before = bench.tag.state.memory
        #expect(await bench.run(.setUp).error?.reason == .wrongTag && bench.tag.state.memory == before)
    }

    @Test func `what cannot be done is refused before anything is written`() async throws {
        var bench = try UltralightBench()
        let before = bench.tag.state.memory
        for option in [SetUpOptions.Irreversible.randomUID, .tamper] {
            bench.options.irreversible = [option]
            #expect(await bench.run(.setUp).error?.reason == .unsuitable)
        }
        bench.options.irreversible = []
        bench.options.originality = .required
        #expect(await bench.run(.setUp).error?.reason == .wrongTag)
        bench.options.originality = .reported
        #expect(await bench.run(.rotate).error?.reason == .foreign)
        #expect(await bench.verify().error?.reason == .wrongResult)
        let plain = try UltralightBench(on: FrameReader(name: "generic", profile: .generic))
        #expect(await plain.run(.setUp).error?.reason == .unsuitable)
        #expect(bench.tag.state.memory == before && bench.records.all.isEmpty)
    }

    @Test func `a profile without what a set-up needs is refused`() throws {
        var shared = UltralightBench.profile
        shared.derivation = .none
        var absent = UltralightBench.profile
        absent.keys[.tag] = "absent"
        var nameless = UltralightBench.profile
        nameless.keys = [:]
        for profile in [shared, absent, nameless] {
            #expect(throws: SetUpError.self) {
                _ = try TagSetUp(profile, keys: Site.ring, records: MemoryRecords())
            }
        }
    }
}
