import SecureTags

/// A tag on the reader that was asked.
struct AskedTag {
    private(set) var course: any SetUpCourse
    let record: SetUpRecord?
    /// What was begun with the tag, by the record or by the tag itself.
    let interruptedTask: SetUpTask?

    init(_ course: any SetUpCourse, _ record: SetUpRecord?) {
        (self.course, self.record) = (course, record)
        if let record, !record.isDone {
            interruptedTask = record.task
        } else {
            interruptedTask = record != nil && course.isComplete ? nil : course.interruptedTask
        }
    }

    /// What was begun and not finished, by the record.
    var openRecord: SetUpRecord? { record.flatMap { $0.isDone ? nil : $0 } }

    /// Whether the tag shows keys as delivered that the tag of the record surely does not have any more.
    var lacksKeys: Bool {
        guard let record, record.isDone || course.showsKeys else { return false }
        return record.excludes(course.versions)
    }

    /// Why a tag that does not have the keys of its record gets none, and what to do if it is the right one.
    static let imitation =
        "a tag with this UID has other keys, and this one has keys as delivered: it may imitate that tag to get its keys. If it is "
        + "that tag, and was reset elsewhere, run `nfcctl secure reset --forget`"

    /// Has an error state what the tag is.
    func annotating<Value>(_ body: () throws(SetUpError) -> Value) throws(SetUpError) -> Value {
        do throws(SetUpError) { return try body() } catch {
            throw SetUpError(error, at: nil, state)
        }
    }

    /// What the tag is before a step is taken. Without a record, what it shows is not proven.
    var state: SetUpError.State { openRecord == nil ? .unchanged : .unfinished }
}

extension AskedTag {
    /// Has the course lead to the versions that were to be when the task was begun.
    ///
    /// - Throws: ``SetUpError`` if the key ring does not have them any more.
    mutating func takeVersions(of record: SetUpRecord, _ keys: SetUpKeys) throws(SetUpError) {
        // It may have been finished elsewhere.
        guard record.task != .reset, !course.isComplete else { return }
        guard record.keys.first?.new != 0 else {
            throw SetUpError(.unsuitable, "the record does not have the keys of such a tag", state: .unfinished)
        }
        for key in record.keys {
            guard key.new == key.old || keys.knows(key.number, version: key.new) else {
                throw SetUpError(
                    .unsuitable,
                    "key \(key.number) was to have version \(key.new) of \(key.name), which is not in the key file any more",
                    state: .unfinished)
            }
        }
        course.options.versions = record.keys.map(\.new)
    }

    /// What to say about something that was finished.
    func resumeRemarks(_ task: SetUpTask, _ options: SetUpOptions, _ keys: SetUpKeys) -> [String] {
        guard openRecord != nil else { return unknown(task, keys.profile, options.irreversible) }
        guard let versions = course.options.versions, versions != keys.current, versions == course.goal(task) else {
            return []
        }
        return [
            "the tag has the versions with which its \(task.rawValue) was begun, and the key file has later ones: "
                + "`nfcctl secure rotate` changes them"
        ]
    }

    /// What to say about what is to be finished.
    func statusRemarks(_ profile: TagProfile) -> [String] {
        var remarks = course.isUIDGiven ? [Self.givenUID] : []
        if lacksKeys { remarks.append(Self.imitation) }
        guard let openRecord else { return remarks + (interruptedTask.map { unknown($0, profile, []) } ?? []) }
        guard !profile.makesKeys(of: openRecord) else { return remarks }
        return remarks + [openRecord.mismatch("profile \(profile.name) has other keys")]
    }

    /// What nothing shows of a tag that hides its UID.
    static let givenUID =
        "the tag hides its UID: the UID is the one that was given, and nothing proves that it is the tag's. `nfcctl secure verify` does"

    /// What a record would have shown.
    private func unknown(
        _ task: SetUpTask, _ profile: TagProfile, _ given: Set<SetUpOptions.Irreversible>
    ) -> [String] {
        switch task {
        case .setUp where profile.product == .ntag424:
            let words = given.map(\.rawValue).sorted().joined(separator: ", ")
            return [
                "there is no record of what was begun: permanent options are not known, and have to be given again "
                    + "(given: \(words.isEmpty ? "none" : words))"
            ]
        case .reset where course.spentKey == nil && profile.url != nil:
            return [
                "there is no record of what was begun: the version of the key of the tag's messages is not known. "
                    + "Give that key a new version before the tag is set up again"
            ]
        case .setUp, .reset, .rotate: return []
        }
    }
}
