import NFCSessions
import NFCTags
import SecureTags
import TagProofs
import TapJournal
import TestSupport
import Testing
import VirtualTags

#if canImport(Glibc)
    import Glibc
#endif

/// A DESFire that leaves at any moment of any task can be finished, and no key on it is unknown at any time.
@Suite struct DESFireSetUpTearTests {
    static let faults = SetUpTearTests.faults
    /// The number of random set-ups, by NFCD_SETUPS; with it, cards leave at every exchange and not only at some.
    private static let wanted = getenv("NFCD_SETUPS").flatMap { Int(String(cString: $0)) }
    private static let setUps = wanted ?? 24
    private static let step = wanted == nil ? 12 : 1

    private static func bench(_ task: SetUpTask, _ kind: DESFireBench.Kind) async throws -> DESFireBench {
        var bench = try DESFireBench(kind)
        bench.options.makers = []
        if task != .setUp { #expect(await bench.run(.setUp).error == nil) }
        if task == .rotate { bench.ring = SetUpBench.rotated }
        return bench
    }

    private static func version(_ task: SetUpTask) -> UInt8 {
        switch task {
        case .setUp: 1
        case .rotate: 2
        case .reset: 0
        }
    }

    private static func expectFinished(
        _ bench: DESFireBench, _ task: SetUpTask, _ comment: Comment
    ) async throws {
        #expect(bench.hasKeys(version: version(task)) && bench.isUncounted, comment)
        if task != .reset { #expect(try await bench.tap().status == .proven, comment) }
    }

    @Test(arguments: DESFireBench.kinds, SetUpTask.allCases)
    func `a card that leaves at any exchange is finished by resume`(
        kind: DESFireBench.Kind, task: SetUpTask
    ) async throws {
        let count = await (try Self.bench(task, kind)).run(task).exchanges
        for losesRecord in [false, true] {
            for (number, fault) in Self.faults.enumerated() {
                for exchange in stride(from: 1 + number * Self.step / 4, through: count, by: Self.step) {
                    let bench = try await Self.bench(task, kind)
                    let torn = await bench.run(task, FaultPlan(fault, at: exchange))
                    #expect(bench.hasKnownKeys, "\(fault) \(exchange)")
                    if losesRecord { bench.records.lose() }
                    if torn.error != nil || losesRecord {
                        let visit = await bench.finish(task)
                        #expect(visit.error == nil, "\(fault) \(exchange) \(visit.result)")
                    }
                    try await Self.expectFinished(bench, task, "\(fault) \(exchange)")
                }
            }
        }
    }

    @Test(arguments: [DESFireBench.kinds[0], DESFireBench.ev2], SetUpTask.allCases)
    func `a card that leaves again while it is finished is finished by the next resume`(
        kind: DESFireBench.Kind, task: SetUpTask
    ) async throws {
        let count = await (try Self.bench(task, kind)).run(task).exchanges
        for first in stride(from: 1, through: count, by: 2 * Self.step) {
            for second in stride(from: 1 + first % 4, through: count, by: 4 * Self.step) {
                let bench = try await Self.bench(task, kind)
                _ = await bench.run(task, FaultPlan(Self.faults[first % 4], at: first))
                _ = await bench.finish(task, FaultPlan(Self.faults[(first + second) % 4], at: second))
                #expect(bench.hasKnownKeys)
                if !bench.hasKeys(version: Self.version(task)) || !bench.hasOnlyDoneRecords {
                    let visit = await bench.finish(task)
                    #expect(visit.error == nil, "\(first) \(second) \(visit.result)")
                }
                try await Self.expectFinished(bench, task, "\(first) \(second)")
            }
        }
    }

    @Test(arguments: ["91AE", "91A0", "917E", "9100", "6700", "00000000000000009100", "91AF"])
    func `a forged answer to any exchange leaves a card that can be finished`(answer: String) async throws {
        for task in SetUpTask.allCases {
            let count = await (try Self.bench(task, DESFireBench.ev2)).run(task).exchanges
            for exchange in stride(from: 1 + answer.count % Self.step, through: count, by: Self.step) {
                let bench = try await Self.bench(task, DESFireBench.ev2)
                let forged = await bench.run(task, FaultPlan(.answer(hex(answer)), at: exchange))
                #expect(bench.hasKnownKeys, "\(task) \(exchange)")
                if forged.error != nil {
                    let visit = await bench.finish(task)
                    #expect(visit.error == nil, "\(task) \(exchange) \(visit.result)")
                }
                // A card that seemed to hide its master key, or to have applications of others, keeps that key at first.
                if !bench.hasKeys(version: Self.version(task)) { #expect(await bench.run(task).error == nil) }
                try await Self.expectFinished(bench, task, "\(task) \(exchange)")
            }
        }
    }

    @Test func `random tears, lost records and failing stores lose no card`() async throws {
        var random = SplitMix(seed: 424)
        for number in 0..<Self.setUps {
            let task = SetUpTask.allCases[number % 3]
            let bench = try await Self.bench(task, DESFireBench.kinds[number / 3 % 4])
            for visit in 0..<4 {
                let plan = FaultPlan(
                    Self.faults.randomElement(using: &random) ?? .removeAfter, at: .random(in: 1...90, using: &random))
                bench.records.fail(
                    at: Int.random(in: 0...5, using: &random) == 0 ? .random(in: 1...7, using: &random) : nil)
                _ = visit == 0 ? await bench.run(task, plan) : await bench.finish(task, plan)
                if Int.random(in: 0...5, using: &random) == 0 { bench.records.lose() }
                #expect(bench.hasKnownKeys && bench.isUncounted, "\(number)")
            }
            bench.records.fail(at: nil)
            if !bench.hasKeys(version: Self.version(task)) || !bench.hasOnlyDoneRecords {
                let visit = await bench.finish(task)
                #expect(visit.error == nil, "\(number) \(visit.result)")
            }
            try await Self.expectFinished(bench, task, "\(number)")
        }
    }
}
