import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

#if canImport(Glibc)
    import Glibc
#endif

/// A MIFARE Ultralight AES that leaves at any moment of any task can be finished, and no key on it is unknown at any time.
@Suite struct UltralightTearTests {
    static let faults: [Fault] = [.removeBefore, .removeDuring, .removeAfter]
    /// The number of random set-ups, by NFCD_SETUPS; with it, tags leave at every exchange and not only at some.
    private static let wanted = getenv("NFCD_SETUPS").flatMap { Int(String(cString: $0)) }
    private static let setUps = wanted ?? 20
    private static let step = wanted == nil ? 4 : 1

    private static func bench(
        _ task: SetUpTask, locks: Bool = false, on reader: FrameReader = .acr1252u
    ) async throws -> UltralightBench {
        var bench = try UltralightBench(on: reader)
        if task != .setUp { #expect(await bench.run(.setUp).error == nil) }
        if task == .rotate { bench.ring = SetUpBench.rotated }
        if locks { bench.options.irreversible = [.lockKeys] }
        return bench
    }

    private static func expectFinished(
        _ bench: UltralightBench, _ task: SetUpTask, _ comment: Comment
    ) async throws {
        #expect(bench.isFinished(task), comment)
        guard task != .reset else { return }
        let locks = bench.options.irreversible.contains(.lockKeys)
        #expect(try await bench.tap().status == (locks ? .proven : .weak), comment)
    }

    struct Course: Sendable, CustomTestStringConvertible {
        let task: SetUpTask
        var locks = false
        let losesRecord: Bool
        var testDescription: String {
            task.rawValue + (locks ? ", locks" : "") + (losesRecord ? ", without its record" : "")
        }
    }

    static let courses = [false, true].flatMap { losesRecord in
        SetUpTask.allCases.map { Course(task: $0, losesRecord: losesRecord) }
            + [SetUpTask.setUp, .rotate].map { Course(task: $0, locks: true, losesRecord: losesRecord) }
    }

    @Test(arguments: courses, [FrameReader.acr122u, .acr1252u, .acr1552u])
    func `a tag that leaves at any exchange is finished by resume`(
        course: Course, reader: FrameReader
    ) async throws {
        let (task, locks) = (course.task, course.locks)
        let count = await (try Self.bench(task, locks: locks, on: reader)).run(task).exchanges
        #expect(count > 10)
        for (number, fault) in Self.faults.enumerated() {
            for exchange in stride(from: 1 + number * Self.step / 3, through: count, by: Self.step) {
                let bench = try await Self.bench(task, locks: locks, on: reader)
                let torn = await bench.run(task, FaultPlan(fault, at: exchange))
                #expect(bench.hasNoUnknownKey && bench.isUncounted, "\(fault) \(exchange)")
                if course.losesRecord { bench.records.lose() }
                if torn.error != nil || course.losesRecord {
                    let visit = await bench.finish(task)
                    #expect(visit.error == nil, "\(fault) \(exchange) \(visit.result)")
                }
                try await Self.expectFinished(bench, task, "\(fault) \(exchange)")
            }
        }
    }

    @Test(arguments: SetUpTask.allCases)
    func `a tag that leaves again while it is finished is finished by the next resume`(
        task: SetUpTask
    ) async throws {
        let count = await (try Self.bench(task)).run(task).exchanges
        for first in stride(from: 1, through: count, by: Self.step) {
            for second in stride(from: 1 + first % 4, through: count, by: 2 * Self.step) {
                let bench = try await Self.bench(task)
                _ = await bench.run(task, FaultPlan(Self.faults[first % 3], at: first))
                _ = await bench.finish(task, FaultPlan(Self.faults[(first + second) % 3], at: second))
                #expect(bench.hasNoUnknownKey && bench.isUncounted)
                if !bench.isFinished(task) {
                    let visit = await bench.finish(task)
                    #expect(visit.error == nil, "\(first) \(second) \(visit.result)")
                }
                try await Self.expectFinished(bench, task, "\(first) \(second)")
            }
        }
    }

    @Test(arguments: ["9000", "6300", "00 9000", "AF 9000", "0A 9000", "", "0000000000000000 9000"])
    func `a forged answer to any exchange leaves a tag that can be finished`(answer: String) async throws {
        for task in SetUpTask.allCases {
            let count = await (try Self.bench(task)).run(task).exchanges
            for exchange in stride(from: 1 + answer.count % Self.step, through: count, by: Self.step) {
                let bench = try await Self.bench(task)
                let forged = await bench.run(task, FaultPlan(.answer(hex(answer)), at: exchange))
                #expect(bench.hasNoUnknownKey && bench.isUncounted, "\(task) \(exchange)")
                guard forged.error != nil else { continue }
                let visit = await bench.finish(task)
                #expect(visit.error == nil, "\(task) \(exchange) \(visit.result)")
                #expect(bench.isFinished(task), "\(task) \(exchange)")
            }
        }
    }

    @Test func `a page that a reader reports as written, and that is not, protects no tag`() async throws {
        let count = await (try Self.bench(.setUp)).run(.setUp).exchanges
        for exchange in 1...count {
            let bench = try await Self.bench(.setUp)
            let card = DroppingCard(bench.reader, at: exchange)
            let channel = CountingChannel(card)
            let reconnection = CardReconnection(identifier: []) { () async throws(CardChannelError) in card.reset() }
            let setUp = try TagSetUp(
                bench.profile, keys: bench.ring, records: bench.records, on: bench.family)
            let error = await #expect(throws: SetUpError.self, "\(exchange)") {
                _ = try await setUp.run(.setUp, channel, reconnection)
            }
            #expect(error != nil && bench.hasNoUnknownKey, "\(exchange)")
            #expect(await bench.finish(.setUp).error == nil, "\(exchange)")
            #expect(bench.isProtected && bench.hasKeys(version: 1), "\(exchange)")
        }
    }

    @Test func `random tears, lost records and failing stores lose no tag`() async throws {
        var random = SplitMix(seed: 38)
        for number in 0..<Self.setUps {
            let task = SetUpTask.allCases[number % 3]
            let reader = [FrameReader.acr122u, .acr1252u, .acr1552u][number / 3 % 3]
            let bench = try await Self.bench(task, locks: number % 2 == 0 && task != .reset, on: reader)
            for visit in 0..<4 {
                let plan = FaultPlan(
                    Self.faults.randomElement(using: &random) ?? .removeAfter, at: .random(in: 1...60, using: &random))
                bench.records.fail(
                    at: Int.random(in: 0...5, using: &random) == 0 ? .random(in: 1...7, using: &random) : nil)
                _ = visit == 0 ? await bench.run(task, plan) : await bench.finish(task, plan)
                if Int.random(in: 0...5, using: &random) == 0 { bench.records.lose() }
                #expect(bench.hasNoUnknownKey && bench.isUncounted, "\(number)")
            }
            bench.records.fail(at: nil)
            if !bench.isFinished(task) {
                let visit = await bench.finish(task)
                #expect(visit.error == nil, "\(number) \(visit.result)")
            }
            try await Self.expectFinished(bench, task, "\(number)")
        }
    }
}
