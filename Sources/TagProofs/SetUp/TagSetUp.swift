package import NFCTags
package import SecureTags

/// Sets up tags of a profile, changes their keys and makes them as delivered again, so that no interruption loses a tag.
///
/// The tag has to rest on the reader: it takes about 30 exchanges. Before the first change, a record is stored; wherever the tag leaves,
/// ``resume(_:_:)`` finishes it, for which the versions of its keys are enough.
package struct TagSetUp: Sendable {
    private let keys: SetUpKeys
    private let layout: NTAG424Layout
    private let options: SetUpOptions
    private let records: any SetUpRecords
    private let report: @Sendable (SetUpProgress) -> Void

    /// - Parameter report: receives each step as it begins.
    /// - Throws: ``SetUpError`` if profile, keys or options do not allow to set up tags.
    package init(
        _ profile: TagProfile, keys: KeyRing, options: SetUpOptions = SetUpOptions(), records: any SetUpRecords,
        report: @escaping @Sendable (SetUpProgress) -> Void = { _ in }
    ) throws(SetUpError) {
        layout = try NTAG424Layout(profile)
        self.keys = try SetUpKeys(profile, keys)
        (self.options, self.records, self.report) = (options, records, report)
    }

    // MARK: Tasks

    /// Does a task with a tag, from the state that it is in.
    ///
    /// - Parameters:
    ///   - channel: the tag, activated.
    ///   - reconnection: turns the field off and on, and activates the tag again.
    /// - Throws: ``SetUpError``.
    package func run(
        _ task: SetUpTask, _ channel: any CardChannel, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        var visit = try await visit(channel)
        if let record = visit.record, !record.isDone, record.task != task, !options.isDryRun {
            throw SetUpError(
                .unsuitable, "the tag is in the middle of another task (\(record.task.rawValue)); resume that first")
        }
        return try await perform(task, &visit, reconnection)
    }

    /// Finishes what was begun with a tag, by its record, or without one by the versions of its keys.
    ///
    /// - Throws: ``SetUpError``; ``SetUpError/Reason/nothingToResume`` for a tag that is not between two states.
    package func resume(
        _ channel: any CardChannel, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        var visit = try await visit(channel)
        guard let task = visit.interruptedTask else {
            throw SetUpError(.nothingToResume, "nothing was interrupted with the tag")
        }
        return try await perform(task, &visit, reconnection)
    }

    /// The steps that a task would take. Nothing on the tag is changed.
    ///
    /// - Throws: ``SetUpError``.
    package func plan(_ task: SetUpTask, _ channel: any CardChannel) async throws(SetUpError) -> [String] {
        try await visit(channel).plan.steps(task).map(\.words)
    }

    /// What a tag is, without an authentication if it shows its UID.
    ///
    /// - Throws: ``SetUpError``.
    package func status(_ channel: any CardChannel) async throws(SetUpError) -> SetUpStatus {
        let visit = try await visit(channel)
        return SetUpStatus(
            uid: visit.uid, versions: visit.plan.state.versions, current: keys.current,
            originality: visit.plan.state.originality, record: visit.record,
            interruptedTask: visit.interruptedTask,
            isOurs: (try? visit.plan.steps(.reset)) != nil)
    }

    /// Checks a tag that was set up: its message, key 0 and all versions. Nothing but the counter of the message changes.
    ///
    /// - Throws: ``SetUpError``.
    package func verify(
        _ channel: any CardChannel, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        let visit = try await visit(channel)
        let steps = try visit.plan.steps(.setUp)
        guard !steps.contains(where: \.changesTag) else {
            throw SetUpError(.wrongResult, "the tag is not as the profile wants it")
        }
        return try await perform(steps, .setUp, visit, reconnection)
    }
}

/// What a tag is, seen by a profile.
package struct SetUpStatus: Sendable, Hashable {
    /// 7 bytes.
    package let uid: [UInt8]
    /// The versions of keys 0 to 4.
    package let versions: [UInt8]
    /// The versions that a tag set up now has.
    package let current: [UInt8]
    /// The signature of the maker.
    package let originality: SetUpOutcome.Originality
    /// What was begun or done with it.
    package let record: SetUpRecord?
    /// What can be resumed; nil if the tag is not between two states.
    package let interruptedTask: SetUpTask?
    /// Whether all versions are known: a tag as delivered, or of the profile.
    package let isOurs: Bool
}

extension TagSetUp {
    /// A tag on the reader that was asked.
    private struct Visit {
        var card: NTAG424Card
        var plan: NTAG424Plan
        var uid: [UInt8]
        var record: SetUpRecord?

        /// What was begun with the tag, by the record or by the tag itself.
        var interruptedTask: SetUpTask? {
            guard let record else { return plan.interruptedTask }
            guard record.isDone else { return record.task }
            return plan.isComplete ? nil : plan.interruptedTask
        }
    }

    private func visit(_ channel: any CardChannel) async throws(SetUpError) -> Visit {
        do {
            var card = NTAG424Card(channel)
            let state = try await NTAG424State.probe(
                &card, messageLength: min(layout.template?.file.count ?? 2, 240), makers: options.makers)
            let plan = NTAG424Plan(keys: keys, layout: layout, options: options, state: state)
            let uid = try await uid(&card, state)
            let record: SetUpRecord?
            do { record = try await records.load(uid) } catch {
                throw SetUpError(.record, "the record of the tag could not be read: \(error)")
            }
            return Visit(card: card, plan: resuming(record, plan), uid: uid, record: record)
        } catch {
            throw Self.failure(error, nil, .unchanged)
        }
    }

    /// What was asked for when it was begun still holds.
    private func resuming(_ record: SetUpRecord?, _ plan: NTAG424Plan) -> NTAG424Plan {
        guard let record, !record.isDone else { return plan }
        var options = plan.options
        options.irreversible.formUnion(record.irreversible)
        options.overwritesMessage = true
        return NTAG424Plan(keys: keys, layout: layout, options: options, state: plan.state)
    }

    private func uid(_ card: inout NTAG424Card, _ state: NTAG424State) async throws -> [UInt8] {
        if let uid = state.uid { return uid }
        if let uid = options.uid, uid.count == 7 { return uid }
        guard state.versions.first == 0 else {
            throw SetUpError(.unsuitable, "the tag hides its UID, from which its keys follow; give the UID")
        }
        return try await NTAG424Run.hiddenUID(&card)
    }

    private func perform(
        _ task: SetUpTask, _ visit: inout Visit, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        let steps = try visit.plan.steps(task)
        guard !options.isDryRun else { return try await perform(steps, task, visit, reconnection) }
        var record = SetUpRecord(
            uid: visit.uid, profile: keys.profile.name, task: task, keys: changes(visit, task),
            irreversible: visit.plan.options.irreversible)
        try await save(record, .unchanged)
        let outcome = try await perform(steps, task, visit, reconnection)
        record.isDone = true
        try await save(record, .finished)
        return outcome
    }

    private func changes(_ visit: Visit, _ task: SetUpTask) -> [SetUpRecord.Key] {
        zip(visit.plan.state.versions, visit.plan.goal(task)).enumerated().map { number, versions in
            SetUpRecord.Key(
                number: UInt8(number), name: keys.name(UInt8(number)), old: versions.0, new: versions.1)
        }
    }

    private func save(_ record: SetUpRecord, _ state: SetUpError.State) async throws(SetUpError) {
        do { try await records.save(record) } catch {
            throw SetUpError(.record, "the record of the tag could not be stored: \(error)", state: state)
        }
    }

    private func perform(
        _ steps: [NTAG424Step], _ task: SetUpTask, _ visit: Visit, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        var run = NTAG424Run(visit.plan, task, uid: visit.uid, card: visit.card, reconnection: reconnection)
        var state = SetUpError.State.unchanged
        for (index, step) in steps.enumerated() {
            report(SetUpProgress(number: index + 1, count: steps.count, words: step.words))
            guard !options.isDryRun else { continue }
            do { try await run.perform(step, beforeChange: { state = .unfinished }) } catch {
                throw Self.failure(error, step, state)
            }
        }
        return SetUpOutcome(
            uid: visit.uid, steps: steps.map(\.words), originality: visit.plan.state.originality,
            versions: options.isDryRun ? visit.plan.state.versions : visit.plan.goal(task), counter: run.counter,
            isDryRun: options.isDryRun)
    }

    private static func failure(
        _ error: any Error, _ step: NTAG424Step?, _ state: SetUpError.State
    ) -> SetUpError {
        var failure = (error as? SetUpError) ?? SetUpError(.interrupted, "\(error)")
        (failure.step, failure.state) = (step?.words, state)
        return failure
    }
}
