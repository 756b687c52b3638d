import ArgumentParser
import NDEF
import NFCClient
import NFCTypes
import SpoolTags

/// A change of a spool, by the format of its tag. Each throws `ExitCode` 65, after printing the reason, if nothing is to be changed.
protocol SpoolTask: Sendable {
    /// What is changed on an OpenPrintTag.
    func update(_ spool: OpenPrintTagRecord) throws -> OpenPrintTagUpdate
    /// What is changed on a TigerTag.
    func edit(_ spool: TigerTag) throws -> SpoolPageEdit
    /// What an OpenTag3D is afterwards.
    func changed(_ spool: OpenTag3DRecord) throws -> OpenTag3DRecord
    /// What can be done with a format for which nothing else is said here.
    var advice: String { get }
}

extension SpoolTask {
    /// The refusal for a format that has nothing to be changed.
    func refusal(of format: String) -> ExitCode {
        spoolRefusal("the spool is \(format), which nfcctl reads and does not change. \(advice)")
    }
}

/// Prints why nothing was written.
func spoolRefusal(_ reason: String) -> ExitCode {
    let end = [".", "?"].contains { reason.hasSuffix($0) } ? "" : "."
    Terminal.error("nfcctl: \(reason)\(end) Nothing was written.")
    return .badData
}

/// Changes the spool on a tag: reads it, writes the blocks that differ, and reads those back.
struct SpoolChange: Sendable {
    let options: TagOptions
    /// What is done with an aux section of other machines.
    var workgroup = SpoolWorkgroup()
    /// Whether the aux section is emptied first.
    var emptiesAux = false

    /// Waits for a tag, and carries out a task on it.
    func run(_ task: some SpoolTask) async throws {
        let json = options.json
        let operation = options.spoolOperation(
            changes: true, requires: TagReadNDEF.requirement, TagDumpMemory.requirement, TagUpdateRecord.requirement)
        try await operation.run { tag in
            let changed = try await change(try await SpoolOnTag.read(tag), on: tag, task)
            try SpoolReport(changed, identifier: tag.identifier).show("spoolChanged", tag, json: json)
        }
    }

    private func change(_ spool: SpoolOnTag, on tag: RemoteTag, _ task: some SpoolTask) async throws -> SpoolOnTag {
        switch spool {
        case .record(let index, let message):
            switch message.records[index].decoded {
            case .openPrintTag(let old):
                let new = try await changed(old, on: tag, task)
                try await tag.write(try old.differences(to: new), in: index)
                return .replacing(index, of: message, with: new)
            case .openTag3D(let old):
                let new = SpoolOnTag.replacing(index, of: message, with: try task.changed(old))
                try await tag.replace(message, with: new)
                return new
            default: throw task.refusal(of: "\(message.records[index])")
            }
        case .content(.tigerTag(let old)):
            let edit = try task.edit(old)
            try await tag.write(edit)
            return .content(.tigerTag(old.applying(edit)))
        case .content(let content): throw task.refusal(of: content.name)
        }
    }

    private func changed(
        _ old: OpenPrintTagRecord, on tag: RemoteTag, _ task: some SpoolTask
    ) async throws -> OpenPrintTagRecord {
        var base = old
        if emptiesAux { base = try base.emptyingAux() }
        base = try await workgroup.applied(to: base)
        let new = try base.applied(task.update(base))
        try new.check(since: old, identifier: tag.identifier)
        return new
    }
}

extension OpenPrintTagRecord {
    /// The record with other fields.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, if the record does not take them.
    func applied(_ update: OpenPrintTagUpdate, numbers: OpenPrintTagNumberForm = .shortest) throws -> Self {
        do { return try applying(update, numbers: numbers) } catch {
            var reason = error.message.escaped
            if error.code == .openPrintTagSectionCorrupt {
                reason +=
                    update.changes[.main] == nil
                    ? ", with nfcctl spool set --empty-aux"
                    : ". Make it the tag of a new spool with nfcctl spool new --force"
            }
            throw spoolRefusal("the spool does not take this: \(reason)")
        }
    }

    /// The record with nothing in its aux section.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, if it has none.
    func emptyingAux() throws -> Self {
        do { return try emptying(.aux) } catch {
            throw spoolRefusal("the spool does not take this: \(error.message.escaped)")
        }
    }

    /// Refuses a record with errors that another one does not have, and prints what else is new.
    ///
    /// - Parameters:
    ///   - old: the record before; nil for a new one.
    ///   - identifier: the UID of the tag.
    ///   - warns: whether warnings are printed.
    /// - Throws: `ExitCode` 65, after printing the errors.
    func check(since old: OpenPrintTagRecord?, identifier: [UInt8], warns: Bool = true) throws {
        var found = findings(identifier: identifier)
        if let old { found = found.without(old.findings(identifier: identifier)) }
        if warns { for warning in warnings(found, since: old) { Terminal.error("nfcctl: warning: \(warning)") } }
        guard !found.errors.isEmpty else { return }
        throw spoolRefusal("a spool cannot be like this: \(found.errors.joined(separator: "; "))")
    }

    /// What is wrong or unusual, and how much of what a tag should have is missing.
    private func warnings(_ found: OpenPrintTagFindings, since old: OpenPrintTagRecord?) -> [String] {
        let known = old?.doubts ?? []
        let missing = found.missingFields
        let omission =
            missing.count < 4
            ? "recommended and missing: \(missing.joined(separator: ", "))"
            : "\(missing.count) recommended fields are missing; nfcctl spool show lists them"
        return doubts.filter { !known.contains($0) } + found.warnings.filter { !found.omissions.contains($0) }
            + (missing.isEmpty ? [] : [omission])
    }
}

extension RemoteTag {
    /// Writes one section after the other. An error names what was done before it, and what was not begun.
    fileprivate func write(_ differences: [OpenPrintTagDifference], in record: Int) async throws {
        for (index, difference) in differences.enumerated() {
            do {
                try await updateRecord(
                    record: record, offset: difference.offset, old: difference.old, new: difference.new,
                    stop: .init(offset: difference.offset, byte: HexBytes([difference.ending])), verify: true)
            } catch {
                if differences.count > 1 {
                    Terminal.error(
                        "nfcctl: the change has \(differences.count) parts: \(index) done, part \(index + 1) failed as follows, "
                            + "\(differences.count - index - 1) not begun. Read the tag again with nfcctl spool show.")
                }
                throw error
            }
        }
    }

    /// Writes a page that was read within this connection, and that nothing else can have changed since.
    fileprivate func write(_ edit: SpoolPageEdit) async throws {
        guard edit.new != edit.old else { return }
        _ = try await writeMemory([.init(number: edit.page, bytes: HexBytes(edit.new))])
    }

    /// Writes the record that differs. A byte alone is in one block; several may not be, and numbers of two bytes must not be torn, which a
    /// whole message never is.
    fileprivate func replace(_ old: NDEFMessage, with spool: SpoolOnTag) async throws {
        guard case .record(let index, let new) = spool else { return }
        let (before, after) = (old.records[index].payload, new.records[index].payload)
        let places = zip(before, after).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
        guard let place = places.first else { return }
        if places.count == 1 {
            try await updateRecord(
                record: index, offset: place, old: [before[place]], new: [after[place]], verify: true)
        } else {
            try await writeNDEF(new, verify: true)
        }
    }
}
