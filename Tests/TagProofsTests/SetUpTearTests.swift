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

/// An NTAG 424 DNA that leaves at any moment of any task can be finished, and no key on it is unknown at any time.
@Suite struct SetUpTearTests {
    static let faults: [Fault] = [.removeBefore, .removeAmid(frames: 1), .removeDuring, .removeAfter]
    /// With NFCD_SETUPS, tags leave at every exchange and not only at some.
    private static let step = getenv("NFCD_SETUPS") == nil ? 8 : 1

    private static func bench(_ task: SetUpTask, _ variant: SetUpVariant = .plain) async throws -> SetUpBench {
        var bench = try variant.bench()
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

    private static func expectFinished(_ bench: SetUpBench, _ task: SetUpTask, _ comment: Comment) async throws {
        #expect(bench.hasKeys(version: version(task)) && bench.isUncounted, comment)
        if task == .reset {
            #expect(bench.hasDeliveredContent, comment)
        } else {
            #expect(try await bench.status().status == .proven, comment)
        }
    }

    @Test(arguments: SetUpTask.allCases, SetUpVariant.allCases)
    func `a tag that leaves at any exchange is finished by resume`(
        task: SetUpTask, variant: SetUpVariant
    ) async throws {
        let count = await (try Self.bench(task, variant)).run(task).exchanges
        for (number, fault) in Self.faults.enumerated() {
            for exchange in stride(from: 1 + number * Self.step / 4, through: count, by: Self.step) {
                for losesRecord in [false, true] {
                    let bench = try await Self.bench(task, variant)
                    let torn = await bench.run(task, FaultPlan(fault, at: exchange))
                    #expect(bench.hasKnownKeys && bench.isUncounted, "\(fault) \(exchange)")
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

    @Test(arguments: SetUpTask.allCases) func `an error says what the tag is, and what to do`(
        task: SetUpTask
    ) async throws {
        let count = await (try Self.bench(task)).run(task).exchanges
        for exchange in 1...count {
            let bench = try await Self.bench(task)
            let (writes, records) = (bench.tag.state.eepromWrites, bench.records.all)
            guard let error = await bench.run(task, FaultPlan(.removeDuring, at: exchange)).error else { continue }
            switch error.state {
            case .unchanged:
                #expect(bench.tag.state.eepromWrites == writes && bench.records.all == records, "\(exchange)")
                #expect(error.advice.contains("try again") && bench.hasOnlyDoneRecords)
            case .unfinished:
                #expect(!bench.hasOnlyDoneRecords && error.advice.contains("secure resume"), "\(exchange)")
                let again = await bench.resume(FaultPlan(.removeBefore, at: 18)).error
                #expect(again?.state == .unfinished, "\(exchange)")
                #expect(await bench.resume().error == nil, "\(exchange)")
            case .finished: Issue.record("nothing is finished at \(exchange)")
            }
        }
    }

    @Test(arguments: SetUpTask.allCases)
    func `a tag that leaves again while it is finished is finished by the next resume`(
        task: SetUpTask
    ) async throws {
        let count = await (try Self.bench(task)).run(task).exchanges
        for first in stride(from: 1, through: count, by: 2 * Self.step) {
            for second in stride(from: 1 + first % 4, through: count, by: 4 * Self.step) {
                let bench = try await Self.bench(task)
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

    @Test(arguments: ["91AE", "911E", "917E", "9100", "6700", "00000000000000009100"])
    func `a forged answer to any exchange leaves a tag that can be finished`(answer: String) async throws {
        for task in SetUpTask.allCases {
            let count = await (try Self.bench(task)).run(task).exchanges
            for exchange in stride(from: 1 + answer.count % Self.step, through: count, by: Self.step) {
                let bench = try await Self.bench(task)
                let forged = await bench.run(task, FaultPlan(.answer(hex(answer)), at: exchange))
                #expect(bench.hasKnownKeys, "\(task) \(exchange)")
                guard forged.error != nil else { continue }
                let visit = await bench.finish(task)
                #expect(visit.error == nil, "\(task) \(exchange) \(visit.result)")
                #expect(bench.hasKeys(version: Self.version(task)) && bench.isUncounted, "\(task) \(exchange)")
            }
        }
    }
}
