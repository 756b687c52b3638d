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
            try checkKeys(of: record)
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
            try checkKeys(of: record)
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

    /// A profile finishes what was begun with the same keys, by whatever name.
    private func checkKeys(of record: SetUpRecord) throws(SetUpError) {
        let profile = product.keys.profile
        guard profile.makesKeys(of: record) else {
            throw SetUpError(
                .unsuitable, record.mismatch("profile \(profile.name) has other keys"), state: .unfinished)
        }
    }

    /// The steps that a task would take. Nothing on the tag is changed.
    ///
    /// - Throws: ``SetUpError``.
    package func plan(_ task: SetUpTask, _ channel: any CardChannel) async throws(SetUpError) -> [String] {
        try Self.words(try await visit(channel).course, task)
    }

    /// What a tag is, without an authentication if it shows its UID. A tag that hides it and whose key 0 has version 0 is authenticated
    /// once, with the key 0 of a tag as delivered: on a tag of someone else, that counts as a failed attempt. To give the UID avoids it; then
    /// nothing shows that the tag has this UID.
    ///
    /// - Throws: ``SetUpError``.
    package func status(_ channel: any CardChannel) async throws(SetUpError) -> SetUpStatus {
        let visit = try await visit(channel)
        let course = visit.course
        return SetUpStatus(
            uid: course.uid, versions: course.versions, current: product.keys.current,
            isUIDGiven: course.isUIDGiven, originality: course.originality, record: visit.record,
            interruptedTask: visit.interruptedTask,
            isOurs: !visit.lacksKeys && (try? Self.words(course, .reset)) != nil, isComplete: course.isComplete,
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
        var log: SetUpLog?
        return try await perform(steps, .setUp, course, reconnection, .unchanged, &log)
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
    /// Whether the tag hides its UID, so that this is the one that was given, which nothing proves.
    package let isUIDGiven: Bool
    /// The signature of the maker.
    package let originality: SetUpOutcome.Originality
    /// What was begun or done with it.
    package let record: SetUpRecord?
    /// What can be resumed; nil if the tag is not between two states.
    package let interruptedTask: SetUpTask?
    /// Whether all versions are known: a tag as delivered, or of the profile. A tag with keys as delivered whose UID is that of one with other
    /// keys is not.
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
            if let record, !record.isDone { course.options = try resumed(record, course) }
            return AskedTag(course, record)
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
    private func resumed(
        _ record: SetUpRecord, _ course: some SetUpCourse
    ) throws(SetUpError) -> SetUpOptions {
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
        if !course.showsKeys, !options.forgetsRecord { options.written = record.sureVersions }
        return options
    }

    private static func words(_ course: some SetUpCourse, _ task: SetUpTask) throws(SetUpError) -> [String] {
        try course.steps(task).map(\.words)
    }

    private func perform(
        _ task: SetUpTask, _ visit: AskedTag, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        try check(visit, task)
        return try await perform(task, visit.course, visit, reconnection)
    }

    /// A tag that imitates one which was set up, and seems to have keys as delivered, would be sent the keys of the other under a key that
    /// everyone knows. So a key that surely was changed is not sent to a tag that shows it as delivered; and no record is given up unasked,
    /// since the next set-up would send these keys as well.
    ///
    /// An interruption leaves honest tags in states that an imitation can show too. It then gets the keys that are still to be changed, like
    /// everyone who listens to a set-up: key 0 as delivered hides nothing. Once a key is surely changed, though, the tag has to show it and,
    /// before it gets more, to prove it.
    private func check(_ visit: AskedTag, _ task: SetUpTask) throws(SetUpError) {
        guard task == .reset || !options.forgetsRecord else {
            throw SetUpError(.unsuitable, "only a reset forgets what was done with a tag")
        }
        guard visit.lacksKeys, !options.forgetsRecord else { return }
        throw SetUpError(.foreign, AskedTag.imitation)
    }

    private func perform(
        _ task: SetUpTask, _ course: some SetUpCourse, _ visit: AskedTag, _ reconnection: CardReconnection
    ) async throws(SetUpError) -> SetUpOutcome {
        let steps = try visit.annotating { () throws(SetUpError) in try course.steps(task) }
        var record = record(task, course, visit)
        if task == .setUp { try visit.annotating { () throws(SetUpError) in try checkCounter(course, record) } }
        var log: SetUpLog?
        guard !options.isDryRun else { return try await perform(steps, task, course, reconnection, visit.state, &log) }
        try await makeKeys(course, task, visit.state)
        if let key = course.spentKey { record.spend(spent(key, course.versions)) }
        var begun = SetUpLog(record, after: visit.record, in: records)
        try await begun.begin(visit.state)
        log = begun
        let outcome: SetUpOutcome
        var hasBegun = false
        do throws(SetUpError) {
            outcome = try await perform(steps, task, course, reconnection, visit.state, &log) { hasBegun = true }
        } catch {
            if !hasBegun { await log?.restore() }
            throw error
        }
        let restarted = task == .setUp ? course.restartedKey.map { spent($0, course.goal(task)) } : nil
        try await log?.finish(spending: restarted)
        return outcome
    }

    /// Makes the keys that the task needs, before anything is changed: their token may not answer.
    private func makeKeys(
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

    private func record(_ task: SetUpTask, _ course: some SetUpCourse, _ visit: AskedTag) -> SetUpRecord {
        var record = SetUpRecord(
            uid: course.uid, profile: product.keys.profile.name, task: task, keys: changes(course, task),
            derivation: KeyDerivation(product.keys.profile), irreversible: course.options.irreversible,
            credential: course.options.credential, keepsCardKey: course.options.keepsCardKey,
            spent: visit.record?.spent)
        if !visit.lacksKeys {
            for index in record.keys.indices {
                record.keys[index].possible = visit.record?.possible(record.keys[index].number)
            }
        } else if let key = course.restartedKey,
            let forgotten = visit.openRecord?.keys.first(where: { $0.number == key })
        {
            // The tag that was interrupted may have made messages.
            record.spend(SetUpRecord.SpentKey(name: forgotten.name, version: forgotten.new))
        }
        return record
    }

    private func changes(_ course: some SetUpCourse, _ task: SetUpTask) -> [SetUpRecord.Key] {
        zip(course.versions, course.goal(task)).enumerated().map { number, versions in
            SetUpRecord.Key(
                number: UInt8(number), name: product.keys.name(UInt8(number)), old: versions.0, new: versions.1)
        }
    }

    private func spent(_ number: UInt8, _ versions: [UInt8]) -> SetUpRecord.SpentKey {
        SetUpRecord.SpentKey(name: product.keys.name(number), version: versions[Int(number)])
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

    private func perform<Course: SetUpCourse>(
        _ steps: [Course.Run.Step], _ task: SetUpTask, _ course: Course, _ reconnection: CardReconnection,
        _ before: SetUpError.State, _ log: inout SetUpLog?, onChange: () -> Void = {}
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
            do {
                try await log?.begin(step, state)
                try await run.perform(step, beforeChange: beforeChange)
                log?.end(step)
            } catch {
                throw SetUpError(error, at: step.words, state)
            }
        }
        let unproven = options.isDryRun && course.isUIDGiven ? [AskedTag.givenUID] : []
        return SetUpOutcome(
            uid: course.uid, steps: steps.map(\.words), originality: course.originality,
            versions: options.isDryRun ? course.versions : course.goal(task), counter: run.counter,
            credential: run.credential, isDryRun: options.isDryRun, remarks: course.remarks(task) + unproven)
    }
}
