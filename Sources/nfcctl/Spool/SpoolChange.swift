import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol

/// Changes fields of an OpenPrintTag on a tag: reads it, writes the blocks that differ, and reads those back.
struct SpoolChange: Sendable {
    let options: TagOptions

    /// Waits for a tag, and changes the fields that `decide` returns for what is on it.
    ///
    /// - Parameter decide: throws `ExitCode`, after printing the reason, if nothing is to be changed.
    func run(_ decide: @Sendable (OpenPrintTagRecord) throws -> OpenPrintTagUpdate) async throws {
        try await options.reportReaders()
        let json = options.json
        try await TagOperation(options: options, requires: TagReadNDEF.requirement, TagUpdateRecord.requirement).run {
            tag in
            let (index, old) = try await SpoolOnTag.read(tag).openPrintTag()
            let new = try Self.record(old, with: decide(old))
            for difference in try old.differences(to: new) {
                try await tag.write(difference, in: index)
            }
            try SpoolReport(.record(index, NDEFRecord(new))).show("spoolChanged", tag, json: json)
        }
    }

    /// The record with other fields.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, if the record does not take them.
    static func record(
        _ old: OpenPrintTagRecord, with update: OpenPrintTagUpdate
    ) throws -> OpenPrintTagRecord {
        do { return try old.applying(update) } catch {
            Terminal.error("nfcctl: the spool does not take this: \(error.message.escaped). Nothing was written.")
            throw ExitCode.badData
        }
    }
}

extension RemoteTag {
    fileprivate func write(_ difference: OpenPrintTagDifference, in record: Int) async throws {
        try await updateRecord(
            record: record, offset: difference.offset, old: difference.old, new: difference.new,
            stop: .init(offset: difference.offset, byte: HexBytes([difference.ending])), verify: true)
    }
}
