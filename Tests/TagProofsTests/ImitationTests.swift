import NFCTags
import SecureTags
import TagProofs
import TestSupport
import Testing
import VirtualTags

#if canImport(Glibc)
    import Glibc
#endif

/// A tag with the UID of one whose task was interrupted gets no key that the other surely has.
@Suite struct ImitationTests {
    /// With NFCD_SETUPS, tags leave at every exchange and not only at some.
    private static let step = getenv("NFCD_SETUPS") == nil ? 9 : 1
    /// Carried out or not, and answered or not.
    private static let faults: [Fault] = [.removeBefore, .removeDuring, .removeAfter]

    /// A tag whose task was interrupted.
    private struct Victim {
        let bench: any ProductBench
        let exchange: String
    }

    private static func forEachTear(
        _ kind: ProductKind, _ task: SetUpTask, _ body: (Victim) async throws -> Void
    ) async throws {
        let count = await (try await kind.bench(task)).run(task).exchanges
        #expect(count > 10)
        for (number, fault) in faults.enumerated() {
            for exchange in stride(from: 1 + number * step / 3, through: count, by: step) {
                let bench = try await kind.bench(task)
                guard await bench.run(task, FaultPlan(fault, at: exchange)).error != nil else { continue }
                try await body(Victim(bench: bench, exchange: "\(task) \(fault) \(exchange)"))
            }
        }
    }

    /// Everything that a client may ask for unasked.
    private static func attempts(_ bench: any ProductBench) async -> [SetUpVisit] {
        [await bench.resume(), await bench.run(.setUp), await bench.run(.rotate), await bench.run(.reset)]
    }

    private static func finish(_ victim: Victim, _ task: SetUpTask) async {
        let visit = await victim.bench.finish(task)
        #expect(visit.error == nil && victim.bench.isFinished(task), "\(victim.exchange) \(visit.result)")
    }

    @Test(arguments: ProductKind.all, SetUpTask.allCases)
    func `a blank tag gets no key that another with its UID surely has`(
        kind: ProductKind, task: SetUpTask
    ) async throws {
        var count = 0
        try await Self.forEachTear(kind, task) { victim in
            let bench = victim.bench
            guard bench.hasSecrets(task) else { return }
            count += 1
            let (genuine, records) = (bench.takeAway(), Set(bench.records.all))
            bench.presentBlank()
            for visit in await Self.attempts(bench) {
                #expect(visit.outcome == nil, "\(victim.exchange) \(visit.result)")
            }
            #expect(bench.isBlank && Set(bench.records.all) == records, "\(victim.exchange)")
            if bench.showsKeys {
                let status = try await bench.status()
                #expect(!status.isOurs && status.remarks.contains { $0.contains("--forget") }, "\(victim.exchange)")
            }
            bench.put(genuine)
            await Self.finish(victim, task)
        }
        #expect(count > 0)
    }

    /// The keys under the versions are not the tag's, since an imitation does not have them.
    @Test(
        arguments: [ProductKind.ntag424(.plain), .ntag424(.challenge), .ntag424(.lrp)]
            + DESFireBench.kinds.map { .desfire($0) })
    func `a tag that shows what an interruption left, and does not have these keys, gets no more`(
        kind: ProductKind
    ) async throws {
        for losesRecord in [false, true] {
            var count = 0
            try await Self.forEachTear(kind, .setUp) { victim in
                let (bench, genuine) = (victim.bench, victim.bench.takeAway())
                guard try bench.presentImitation() else { return }
                count += 1
                if losesRecord { bench.records.lose() }
                let records = Set(bench.records.all)
                for visit in await Self.attempts(bench) {
                    #expect(visit.outcome == nil, "\(victim.exchange) \(visit.result)")
                }
                #expect(bench.hasOnlyImitatedKeys && Set(bench.records.all) == records, "\(victim.exchange)")
                bench.put(genuine)
                await Self.finish(victim, .setUp)
            }
            #expect(count > 0)
        }
    }

    @Test(arguments: ProductKind.all, [SetUpTask.setUp, .rotate])
    func `a reset that is to forget the other tag makes it a new one`(
        kind: ProductKind, task: SetUpTask
    ) async throws {
        try await Self.forEachTear(kind, task) { victim in
            var bench = victim.bench
            guard bench.hasSecrets(task) else { return }
            bench.presentBlank()
            bench.options.forgetsRecord = true
            let before = Set(bench.records.all)
            for visit in [await bench.resume(), await bench.run(.setUp), await bench.run(.rotate)] {
                #expect(visit.outcome == nil, "\(victim.exchange) \(visit.result)")
            }
            #expect(bench.isBlank && Set(bench.records.all) == before, "\(victim.exchange)")
            let visit = await bench.run(.reset)
            #expect(visit.error == nil && bench.hasOnlyDoneRecords, "\(victim.exchange) \(visit.result)")
            bench.options.forgetsRecord = false
            // A message key that the other may have used is not given again.
            bench.ring = SetUpBench.third
            #expect(await bench.run(.setUp).error == nil, "\(victim.exchange)")
        }
    }

    @Test func `the message key of a tag that is forgotten is not given again`() async throws {
        for exchange in 30...60 {
            var bench = try SetUpBench()
            guard await bench.run(.setUp, FaultPlan(.removeAfter, at: exchange)).error != nil,
                bench.tag.state.readCounter > 0
            else { continue }
            bench.presentBlank()
            bench.options.forgetsRecord = true
            #expect(await bench.run(.reset).error == nil)
            bench.options.forgetsRecord = false
            #expect(await bench.run(.setUp).error?.detail.contains("keys rotate file") == true, "\(exchange)")
        }
    }

    @Test(arguments: ProductKind.products, SetUpTask.allCases)
    func `a record of an earlier nfcd is finished as before`(kind: ProductKind, task: SetUpTask) async throws {
        try await Self.forEachTear(kind, task) { victim in
            for record in victim.bench.records.all { try await victim.bench.records.save(record.ofEarlierProgram()) }
            await Self.finish(victim, task)
        }
    }

    @Test(arguments: ProductKind.all, SetUpTask.allCases)
    func `a record that cannot be stored at any time leaves a tag that can be finished`(
        kind: ProductKind, task: SetUpTask
    ) async throws {
        var states: [SetUpError.State] = []
        for save in 1...20 {
            let bench = try await kind.bench(task)
            bench.records.fail(at: save)
            let error = await bench.run(task).error
            bench.records.fail(at: nil)
            if let error {
                #expect(error.reason == .record, "\(save) \(error)")
                states.append(error.state)
            }
            if error != nil { #expect(await bench.finish(task).error == nil, "\(save)") }
            #expect(bench.isFinished(task), "\(save)")
        }
        #expect(states.first == .unchanged && states.last == .finished && states.count < 12, "\(states)")
    }
}

extension SetUpRecord {
    /// The record as a program wrote it that did not note which keys the tag may have.
    fileprivate func ofEarlierProgram() -> SetUpRecord {
        var record = self
        record.derivation = nil
        for index in record.keys.indices { record.keys[index].possible = nil }
        return record
    }
}
