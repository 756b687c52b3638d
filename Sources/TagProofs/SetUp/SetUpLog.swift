/// The record of a task in progress: it is stored whenever it changed, before the step that depends on it.
struct SetUpLog {
    private let records: any SetUpRecords
    /// The record of the tag before the task.
    private let previous: SetUpRecord?
    private(set) var record: SetUpRecord
    private var stored: SetUpRecord?

    /// The log of a task that is about to begin.
    init(_ record: SetUpRecord, after previous: SetUpRecord?, in records: any SetUpRecords) {
        (self.record, self.previous, self.records) = (record, previous, records)
    }

    /// Stores the record before the task changes anything.
    mutating func begin(_ state: SetUpError.State) async throws(SetUpError) { try await store(state) }

    /// Stores which keys the step may change. That a key may have been changed has to survive a loss of power before the key leaves nfcd.
    mutating func begin(_ step: some SetUpStep, _ state: SetUpError.State) async throws(SetUpError) {
        record.begin(step.newVersions)
        try await store(state)
    }

    /// Notes what is sure after a step. It is stored with the next one.
    mutating func end(_ step: some SetUpStep) { record.prove(step.provenVersions) }

    /// Stores that the task is done.
    mutating func finish(spending key: SetUpRecord.SpentKey?) async throws(SetUpError) {
        if let key { record.spend(key) }
        record.isDone = true
        try await store(.finished)
    }

    /// Restores the record before: nothing was begun after all. A record that cannot be removed only has the next task looked at as one to
    /// be finished.
    func restore() async {
        if let previous { try? await records.save(previous) } else { try? await records.remove(record.uid) }
    }

    private mutating func store(_ state: SetUpError.State) async throws(SetUpError) {
        guard record != stored else { return }
        do { try await records.save(record) } catch {
            throw SetUpError(.record, "the record of the tag could not be stored: \(error)", state: state)
        }
        stored = record
    }
}
