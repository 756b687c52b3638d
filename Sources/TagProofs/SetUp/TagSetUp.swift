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

    /// - Parameters:
    ///   - reader: the family of the reader, which decides how frames of a Type 2 tag are sent.
    ///   - report: receives each step as it begins.
    /// - Throws: ``SetUpError`` if profile, keys or options do not allow to set up tags.
    package init(
        _ profile: TagProfile, keys: KeyRing, options: SetUpOptions = SetUpOptions(), records: any SetUpRecords,
        on reader: ReaderProfile = .generic, report: @escaping @Sendable (SetUpProgress) -> Void = { _ in }
    ) throws(SetUpError) {
        product =
            switch profile.product {
            case .ntag424: try NTAG424SetUp(profile, keys)
            case .desfire: try DESFireSetUp(profile, keys, options)
            case .ultralightAES: try UltralightAESSetUp(profile, keys, reader)
            case .ultralightC:
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
        if !options.isDryRun, let record = visit.openRecord {
            try checkProfile(record)
            // What cannot be finished can be reset.
            guard record.task == task || task == .reset else {
                throw SetUpError(
                    .unsuitable, "the tag is in the middle of another task (\(record.task.rawValue))",
                    state: .unfinished)
            }
        }
        var outcome = try await perform(task, visit, reconnection)
        if task == .reset, visit.openRecord == nil, visit.interruptedTask == .reset {
            outcome.remarks += visit.resumeRemarks(task, options, product.keys)
        }
        return outcome
    }

    /// Finishes what was begun with a tag, by its record, or without one by the versions of its keys.
    ///
    /// The keys get the versions of the record, also if the key ring has later ones by now. Without a record, what cannot be undone is not
    /// known: it is set if the options have it again.
    ///
    /// A reset is finished by its record only: another program may have left some keys of a tag as delivered.
    ///
    /// - Throws: ``SetUpError``; ``SetUpError/Reason/nothingToResume`` for a tag that is not between two states.
    package func resume(
        _ channel: any CardChannel, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        var visit = try await visit(channel)
        guard let task = visit.interruptedTask else {
            throw SetUpError(
                .nothingToResume,
                "neither a record nor the keys of the tag show that something was interrupted. If it was, begin again")
        }
        if let record = visit.openRecord {
            try checkProfile(record)
            try visit.takeVersions(of: record, product.keys)
        } else if task == .reset {
            throw SetUpError(
                .nothingToResume,
                "the keys of the tag look as if a reset was interrupted, and no record shows that one was asked for. "
                    + "Reset the tag to finish it, or set it up")
        }
        var outcome = try await perform(task, visit, reconnection)
        outcome.remarks += visit.resumeRemarks(task, options, product.keys)
        return outcome
    }

    private func checkProfile(_ record: SetUpRecord) throws(SetUpError) {
        let name = product.keys.profile.name
        guard record.profile == name else {
            throw SetUpError(
                .unsuitable,
                "the \(record.task.rawValue) of the tag was begun with profile \(record.profile), not \(name)",
                state: .unfinished)
        }
    }

    /// The steps that a task would take. Nothing on the tag is changed.
    ///
    /// - Throws: ``SetUpError``.
    package func plan(_ task: SetUpTask, _ channel: any CardChannel) async throws(SetUpError) -> [String] {
        try Self.words(try await visit(channel).course, task)
    }

    /// What a tag is, without an authentication if it shows its UID. A tag that hides it and whose key 0 has version 0 is authenticated
    /// once, with the key 0 of a tag as delivered: on a tag of someone else, that counts as a failed attempt. To give the UID avoids it.
    ///
    /// - Throws: ``SetUpError``.
    package func status(_ channel: any CardChannel) async throws(SetUpError) -> SetUpStatus {
        let visit = try await visit(channel)
        let course = visit.course
        return SetUpStatus(
            uid: course.uid, versions: course.versions, current: product.keys.current,
            originality: course.originality, record: visit.record, interruptedTask: visit.interruptedTask,
            isOurs: (try? Self.words(course, .reset)) != nil, isComplete: course.isComplete,
            remarks: visit.statusRemarks(product.keys.profile) + course.remarks)
    }

    /// Checks a tag that was set up: its message or file, its keys and all versions. Nothing but the counter of the message changes.
    ///
    /// - Throws: ``SetUpError``.
    package func verify(
        _ channel: any CardChannel, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        var course = try await visit(channel).course
        course.options.irreversible = []
        return try await verify(course, reconnection)
    }

    private func verify(
        _ course: some SetUpCourse, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        let steps = try course.steps(.setUp)
        guard !steps.contains(where: \.changesTag) else {
            let missing = steps.filter(\.changesTag).map(\.words).joined(separator: ", ")
            throw SetUpError(.wrongResult, "the tag is not as the profile wants it; missing: \(missing)")
        }
        return try await perform(steps, .setUp, course, reconnection, .unchanged)
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
    /// Whether it is as a set-up leaves it.
    package let isComplete: Bool
    /// What else there is to know, in sentences: what could not be known.
    package let remarks: [String]
}

extension TagSetUp {
    private func visit(_ channel: any CardChannel) async throws(SetUpError) -> AskedTag {
        do {
            var course = try await probe(product, channel)
            let record: SetUpRecord?
            do { record = try await records.load(course.uid) } catch {
                throw SetUpError(.record, "the record of the tag could not be read: \(error)")
            }
            if let record, !record.isDone { course.options = try resumed(record) }
            return AskedTag(course: course, record: record)
        } catch {
            throw SetUpError(error, at: nil, .unchanged)
        }
    }

    private func probe(
        _ product: some SetUpProduct, _ channel: any CardChannel
    ) async throws -> any SetUpCourse { try await product.probe(channel, options) }

    /// What was asked for when it was begun still holds.
    ///
    /// - Throws: ``SetUpError`` if that is more than is allowed now.
    private func resumed(_ record: SetUpRecord) throws(SetUpError) -> SetUpOptions {
        var options = options
        let more = record.irreversible.subtracting(options.allowedIrreversible).map(\.rawValue).sorted()
        guard more.isEmpty else {
            throw SetUpError(
                .unsuitable,
                "the \(record.task.rawValue) of the tag was begun with what is permanent (\(more.joined(separator: ", "))),"
                    + " for which the grant is missing",
                state: .unfinished)
        }
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
        _ task: SetUpTask, _ visit: AskedTag, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        if let record = visit.record { try check(record, task, visit.course) }
        return try await perform(task, visit.course, visit, reconnection)
    }

    /// A tag that imitates one that was set up, and seems to have a key as delivered, which everyone knows, would be sent the keys of the
    /// other, also by a reset. One that is as delivered gets nothing by that: a reset of it only forgets what it was.
    private func check(
        _ record: SetUpRecord, _ task: SetUpTask, _ course: some SetUpCourse
    ) throws(SetUpError) {
        guard record.isDone, record.task != .reset else { return }
        let lacksKeys = zip(record.keys.map(\.new), course.versions).contains { $0 != 0 && $1 == 0 }
        guard lacksKeys, task != .reset || course.versions.contains(where: { $0 != 0 }) else { return }
        throw SetUpError(
            .foreign,
            "a tag with this UID was set up already, and this one has keys as delivered: it may imitate that tag to get its"
                + " keys. If it is that tag, and was reset elsewhere, reset it here as well")
    }

    private func perform(
        _ task: SetUpTask, _ course: some SetUpCourse, _ visit: AskedTag, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        let steps = try visit.annotating { () throws(SetUpError) in try course.steps(task) }
        var record = SetUpRecord(
            uid: course.uid, profile: product.keys.profile.name, task: task, keys: changes(course, task),
            irreversible: course.options.irreversible, credential: course.options.credential,
            keepsCardKey: course.options.keepsCardKey, spent: visit.record?.spent)
        if task == .setUp { try visit.annotating { () throws(SetUpError) in try checkCounter(course, record) } }
        guard !options.isDryRun else { return try await perform(steps, task, course, reconnection, visit.state) }
        try await checkKeys(course, task, visit.state)
        if let key = course.spentKey { spend(key, course.versions, &record) }
        try await save(record, visit.state)
        let outcome: SetUpOutcome
        var hasBegun = false
        do throws(SetUpError) {
            outcome = try await perform(steps, task, course, reconnection, visit.state) { hasBegun = true }
        } catch {
            if !hasBegun { await restore(visit.record, course.uid) }
            throw error
        }
        if task == .setUp, let key = course.restartedKey { spend(key, course.goal(task), &record) }
        record.isDone = true
        try await save(record, .finished)
        return outcome
    }

    /// Makes the keys that the task needs, before anything is changed: their token may not answer.
    private func checkKeys(
        _ course: some SetUpCourse, _ task: SetUpTask, _ state: SetUpError.State
    ) async throws(SetUpError) {
        for key in changes(course, task) {
            for version in Set([key.old, key.new]) {
                do throws(SetUpError) {
                    _ = try await product.keys.key(key.number, version: version, uid: course.uid)
                } catch {
                    // What else is wrong with a key is the matter of the step that needs it.
                    if error.reason == .keyUnavailable { throw SetUpError(error, at: nil, state) }
                }
            }
        }
    }

    private func spent(_ number: UInt8, _ versions: [UInt8]) -> SetUpRecord.SpentKey {
        SetUpRecord.SpentKey(name: product.keys.name(number), version: versions[Int(number)])
    }

    private func spend(_ number: UInt8, _ versions: [UInt8], _ record: inout SetUpRecord) {
        record.spent = (record.spent ?? []).union([spent(number, versions)])
    }

    /// The counter of a tag begins again with a set-up. Its key must be another one than before: with the same one, earlier messages
    /// would be new again where no counter is stored, and new ones are replayed where one is.
    private func checkCounter(_ course: some SetUpCourse, _ record: SetUpRecord) throws(SetUpError) {
        guard let number = course.restartedKey else { return }
        let key = spent(number, course.goal(.setUp))
        guard record.spent?.contains(key) == true else { return }
        throw SetUpError(
            .unsuitable,
            """
            the tag made messages with version \(key.version) of key \(key.name) before, and its counter begins again. \
            Give the key a new version first, with `nfcctl keys rotate \(key.name)`
            """)
    }

    /// Nothing was begun after all. A record that cannot be removed only has the next task looked at as one to be finished.
    private func restore(_ record: SetUpRecord?, _ uid: [UInt8]) async {
        if let record { try? await records.save(record) } else { try? await records.remove(uid) }
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
        _ steps: [Course.Run.Step], _ task: SetUpTask, _ course: Course, _ reconnection: CardReconnection,
        _ before: SetUpError.State, onChange: () -> Void = {}
    ) async throws(SetUpError) -> SetUpOutcome {
        var run = course.run(task, reconnection)
        var state = before
        for (index, step) in steps.enumerated() {
            report(SetUpProgress(number: index + 1, count: steps.count, words: step.words))
            guard !options.isDryRun else { continue }
            let beforeChange = {
                state = .unfinished
                onChange()
            }
            do { try await run.perform(step, beforeChange: beforeChange) } catch {
                throw SetUpError(error, at: step.words, state)
            }
        }
        return SetUpOutcome(
            uid: course.uid, steps: steps.map(\.words), originality: course.originality,
            versions: options.isDryRun ? course.versions : course.goal(task), counter: run.counter,
            credential: run.credential, isDryRun: options.isDryRun, remarks: course.remarks(task))
    }
}
