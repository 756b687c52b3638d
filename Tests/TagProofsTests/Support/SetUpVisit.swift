import NFCTags
import SecureTags
import TagProofs
import TestSupport
import VirtualTags

/// A tag on a reader, which is set up.
protocol SettingUp {
    var reader: any VirtualCard { get }
    /// The family of the reader.
    var family: ReaderProfile { get }
    var records: MemoryRecords { get }
    var profile: TagProfile { get }
    var ring: KeyRing { get set }
    var options: SetUpOptions { get }
}

/// What came of a visit at the reader.
struct SetUpVisit {
    let result: Result<SetUpOutcome, SetUpError>
    let exchanges: Int
    var error: SetUpError? { if case .failure(let error) = result { error } else { nil } }
    var outcome: SetUpOutcome? { try? result.get() }
}

extension SettingUp {
    var family: ReaderProfile { .generic }

    /// Puts the tag on the reader.
    private func present<Value>(
        _ plan: FaultPlan,
        _ body: (TagSetUp, CountingChannel, CardReconnection) async throws(SetUpError) -> Value
    ) async -> (result: Result<Value, SetUpError>, exchanges: Int) {
        let card = FaultInjectingCard(reader, plan: plan)
        let channel = CountingChannel(card)
        let reconnection = CardReconnection(identifier: []) { () async throws(CardChannelError) in
            card.reset()
            if !card.isPresent { throw .tagLost }
        }
        defer { reader.powerOff() }
        do throws(SetUpError) {
            let setUp = try TagSetUp(profile, keys: ring, options: options, records: records, on: family)
            return (.success(try await body(setUp, channel, reconnection)), channel.exchanges)
        } catch {
            return (.failure(error), channel.exchanges)
        }
    }

    /// Has something done with the tag.
    func visit(
        _ plan: FaultPlan = .none,
        _ body: (TagSetUp, CountingChannel, CardReconnection) async throws(SetUpError) -> SetUpOutcome
    ) async -> SetUpVisit {
        let (result, exchanges) = await present(plan, body)
        return SetUpVisit(result: result, exchanges: exchanges)
    }

    /// Asks the tag.
    func ask<Value>(
        _ body: (TagSetUp, CountingChannel) async throws(SetUpError) -> Value
    ) async -> Result<Value, SetUpError> {
        await present(.none) { (setUp, channel, _) async throws(SetUpError) in try await body(setUp, channel) }.result
    }

    func run(_ task: SetUpTask, _ plan: FaultPlan = .none) async -> SetUpVisit {
        await visit(plan) { (setUp, channel, reconnection) async throws(SetUpError) in
            try await setUp.run(task, channel, reconnection)
        }
    }

    func verify() async -> SetUpVisit {
        await visit { (setUp, channel, reconnection) async throws(SetUpError) in
            try await setUp.verify(channel, reconnection)
        }
    }

    func resume(_ plan: FaultPlan = .none) async -> SetUpVisit {
        await visit(plan) { (setUp, channel, reconnection) async throws(SetUpError) in
            try await setUp.resume(channel, reconnection)
        }
    }

    /// Resumes, or begins again where nothing was begun.
    func finish(_ task: SetUpTask, _ plan: FaultPlan = .none) async -> SetUpVisit {
        let visit = await resume(plan)
        let goal = task == .reset ? 0 : ring.versions(of: "master").first?.version
        let isOther = visit.outcome.map { $0.versions.contains { $0 != goal } } ?? false
        return visit.error?.reason == .nothingToResume || isOther ? await run(task, plan) : visit
    }

    /// Whether every record is that of a finished task.
    var hasOnlyDoneRecords: Bool { !records.all.contains { !$0.isDone } }
}
