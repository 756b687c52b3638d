package import NFCTags
package import SecureTags

/// Sets up tags of a profile, changes their keys and makes them as delivered again, so that no interruption loses a tag.
///
/// The tag has to rest on the reader: it takes some dozens of exchanges. Before the first change, a record is stored; wherever the tag leaves,
/// ``resume(_:_:)`` finishes it, for which the versions of its keys are enough.
package struct TagSetUp: Sendable {
    private let product: any SetUpProduct
    private let options: SetUpOptions
    private let records: any SetUpRecords
    private let report: @Sendable (SetUpProgress) -> Void

    /// - Parameter report: receives each step as it begins.
    /// - Throws: ``SetUpError`` if profile, keys or options do not allow to set up tags.
    package init(
        _ profile: TagProfile, keys: KeyRing, options: SetUpOptions = SetUpOptions(), records: any SetUpRecords,
        report: @escaping @Sendable (SetUpProgress) -> Void = { _ in }
    ) throws(SetUpError) {
        product =
            switch profile.product {
            case .ntag424: try NTAG424Product(profile, keys)
            case .desfire: try DESFireSetUp(profile, keys, options)
            case .ultralightAES, .ultralightC:
                throw SetUpError(.unsuitable, "nfcd does not set up tags of this kind; profile \(profile.name)")
            }
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
        let visit = try await visit(channel)
        if let record = visit.record, !record.isDone, record.task != task, !options.isDryRun {
            throw SetUpError(
                .unsuitable, "the tag is in the middle of another task (\(record.task.rawValue)); resume that first")
        }
        return try await perform(task, visit, reconnection)
    }

    /// Finishes what was begun with a tag, by its record, or without one by the versions of its keys.
    ///
    /// - Throws: ``SetUpError``; ``SetUpError/Reason/nothingToResume`` for a tag that is not between two states.
    package func resume(
        _ channel: any CardChannel, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        let visit = try await visit(channel)
        guard let task = visit.interruptedTask else {
            throw SetUpError(.nothingToResume, "nothing was interrupted with the tag")
        }
        return try await perform(task, visit, reconnection)
    }

    /// The steps that a task would take. Nothing on the tag is changed.
    ///
    /// - Throws: ``SetUpError``.
    package func plan(_ task: SetUpTask, _ channel: any CardChannel) async throws(SetUpError) -> [String] {
        try Self.words(try await visit(channel).course, task)
    }

    /// What a tag is, without an authentication if it shows its UID.
    ///
    /// - Throws: ``SetUpError``.
    package func status(_ channel: any CardChannel) async throws(SetUpError) -> SetUpStatus {
        let visit = try await visit(channel)
        let course = visit.course
        return SetUpStatus(
            uid: course.uid, versions: course.versions, current: product.keys.current,
            originality: course.originality, record: visit.record, interruptedTask: visit.interruptedTask,
            isOurs: (try? Self.words(course, .reset)) != nil)
    }

    /// Checks a tag that was set up: its message or file, its keys and all versions. Nothing but the counter of the message changes.
    ///
    /// - Throws: ``SetUpError``.
    package func verify(
        _ channel: any CardChannel, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        try await verify(try await visit(channel).course, reconnection)
    }

    private func verify(
        _ course: some SetUpCourse, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        let steps = try course.steps(.setUp)
        guard !steps.contains(where: \.changesTag) else {
            throw SetUpError(.wrongResult, "the tag is not as the profile wants it")
        }
        return try await perform(steps, .setUp, course, reconnection)
    }
}

/// What a tag is, seen by a profile.
package struct SetUpStatus: Sendable, Hashable {
    /// 7 bytes.
    package let uid: [UInt8]
    /// The versions of its keys, by number.
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
        var course: any SetUpCourse
        var record: SetUpRecord?

        /// What was begun with the tag, by the record or by the tag itself.
        var interruptedTask: SetUpTask? {
            guard let record else { return course.interruptedTask }
            guard record.isDone else { return record.task }
            return course.isComplete ? nil : course.interruptedTask
        }
    }

    private func visit(_ channel: any CardChannel) async throws(SetUpError) -> Visit {
        do {
            var course = try await probe(product, channel)
            let record: SetUpRecord?
            do { record = try await records.load(course.uid) } catch {
                throw SetUpError(.record, "the record of the tag could not be read: \(error)")
            }
            if let record, !record.isDone { course.options = resumed(record) }
            return Visit(course: course, record: record)
        } catch {
            throw Self.failure(error, nil, .unchanged)
        }
    }

    private func probe(
        _ product: some SetUpProduct, _ channel: any CardChannel
    ) async throws -> any SetUpCourse { try await product.probe(channel, options) }

    /// What was asked for when it was begun still holds.
    private func resumed(_ record: SetUpRecord) -> SetUpOptions {
        var options = options
        options.irreversible.formUnion(record.irreversible)
        options.overwritesMessage = true
        options.credential = options.credential ?? record.credential
        options.keepsCardKey = options.keepsCardKey || record.keepsCardKey
        return options
    }

    private static func words(_ course: some SetUpCourse, _ task: SetUpTask) throws(SetUpError) -> [String] {
        try course.steps(task).map(\.words)
    }

    private func perform(
        _ task: SetUpTask, _ visit: Visit, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        if task == .setUp, let record = visit.record { try check(record, visit.course) }
        return try await perform(task, visit.course, reconnection)
    }

    /// A tag that imitates one that was set up, and seems to have the key 0 of a tag as delivered, which everyone knows, would be sent the
    /// keys of the other.
    private func check(_ record: SetUpRecord, _ course: some SetUpCourse) throws(SetUpError) {
        guard record.isDone, record.task != .reset, record.keys.first?.new != 0, course.versions.first == 0 else {
            return
        }
        throw SetUpError(
            .foreign,
            "a tag with this UID was set up already, and this one is as delivered: it may imitate that tag to get its"
                + " keys. If it is that tag, and was reset elsewhere, reset it here as well")
    }

    private func perform(
        _ task: SetUpTask, _ course: some SetUpCourse, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        let steps = try course.steps(task)
        guard !options.isDryRun else { return try await perform(steps, task, course, reconnection) }
        var record = SetUpRecord(
            uid: course.uid, profile: product.keys.profile.name, task: task, keys: changes(course, task),
            irreversible: course.options.irreversible, credential: course.options.credential,
            keepsCardKey: course.options.keepsCardKey)
        try await save(record, .unchanged)
        let outcome = try await perform(steps, task, course, reconnection)
        record.isDone = true
        try await save(record, .finished)
        return outcome
    }

    private func changes(_ course: some SetUpCourse, _ task: SetUpTask) -> [SetUpRecord.Key] {
        zip(course.versions, course.goal(task)).enumerated().map { number, versions in
            SetUpRecord.Key(
                number: UInt8(number), name: product.keys.name(UInt8(number)), old: versions.0, new: versions.1)
        }
    }

    private func save(_ record: SetUpRecord, _ state: SetUpError.State) async throws(SetUpError) {
        do { try await records.save(record) } catch {
            throw SetUpError(.record, "the record of the tag could not be stored: \(error)", state: state)
        }
    }

    private func perform<Course: SetUpCourse>(
        _ steps: [Course.Run.Step], _ task: SetUpTask, _ course: Course, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        var run = course.run(task, reconnection)
        var state = SetUpError.State.unchanged
        for (index, step) in steps.enumerated() {
            report(SetUpProgress(number: index + 1, count: steps.count, words: step.words))
            guard !options.isDryRun else { continue }
            do { try await run.perform(step, beforeChange: { state = .unfinished }) } catch {
                throw Self.failure(error, step.words, state)
            }
        }
        return SetUpOutcome(
            uid: course.uid, steps: steps.map(\.words), originality: course.originality,
            versions: options.isDryRun ? course.versions : course.goal(task), counter: run.counter,
            credential: run.credential, isDryRun: options.isDryRun)
    }

    private static func failure(
        _ error: any Error, _ step: String?, _ state: SetUpError.State
    ) -> SetUpError {
        var failure = (error as? SetUpError) ?? SetUpError(.interrupted, "\(error)")
        (failure.step, failure.state) = (step, state)
        return failure
    }
}
