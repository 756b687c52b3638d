import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import SpoolTags

/// What a tag says about a spool.
enum SpoolOnTag {
    /// A record of its message, by index.
    case record(Int, of: NDEFMessage)
    /// Memory in the format of a maker that is not NDEF.
    case content(SpoolContent)

    /// The spool of a tag: the first record of a known format, else what its memory holds.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, if it has none.
    static func read(_ tag: RemoteTag) async throws -> SpoolOnTag {
        let message = try await message(tag)
        if let index = message.records.firstIndex(where: \.isSpool) { return .record(index, of: message) }
        let dump = try await tag.showingProgress("Reading") { try await tag.dump(progress: $0) }
        let memory = SpoolMemory(dump, identifier: tag.facts.identifier.bytes)
        if let content = memory.flatMap(SpoolContent.recognised) { return .content(content) }
        let found = message.records.map { "\($0)" }.joined(separator: "; ")
        Terminal.error(
            "nfcctl: \(tag.summary) is not the tag of a spool that nfcctl knows: it holds "
                + (found.isEmpty ? "no records" : found))
        throw ExitCode.badData
    }

    /// The message; one without records if there is no NDEF.
    private static func message(_ tag: RemoteTag) async throws -> NDEFMessage {
        do { return try await tag.readNDEF().message } catch let error as NFCClientError
            where error.nfcCode == .zeroLengthMessage || error.nfcCode == .unsupportedFeature
        {
            return NDEFMessage()
        }
    }

    /// What is on the tag when a record has another content.
    static func replacing(
        _ index: Int, of message: NDEFMessage, with content: some NDEFContent
    ) -> SpoolOnTag {
        var records = message.records
        records[index] = NDEFRecord(content, identifier: records[index].identifier)
        return .record(index, of: NDEFMessage(records: records))
    }
}

extension NDEFRecord {
    fileprivate var isSpool: Bool { spoolWords != nil }
}

/// What the readers say before the tap: whether they can read the tags of OpenPrintTag, and whether it is clear which tag is meant.
/// Without a reader or nfcd, the operation itself fails.
struct SpoolReaders: Sendable {
    let chosen: [String]
    /// Whether the tag is changed.
    let changes: Bool

    /// Warns if no reader supports ISO/IEC 15693, and refuses to choose one of several tags to be changed.
    ///
    /// - Throws: `ExitCode` 65, after printing the readers with tags.
    func report(_ client: NFCClient) async throws {
        let readers = try await client.call(ReadersList.self).filter { reader in
            chosen.isEmpty || chosen.contains(reader.reader) || chosen.contains(reader.name)
        }
        let occupied = readers.filter { $0.state == .present }.map(\.name.escaped)
        if changes, occupied.count > 1 {
            throw spoolRefusal(
                "there are tags on \(occupied.joined(separator: " and ")). Name the reader of the one that is meant with "
                    + "--reader, or take the other away")
        }
        guard !readers.isEmpty, !readers.contains(where: { $0.technologies.contains("iso15693") }) else { return }
        let names = readers.map(\.name.escaped).joined(separator: ", ")
        Terminal.error(
            "nfcctl: warning: \(names) cannot read ISO/IEC 15693 tags, which most spools with OpenPrintTag have; "
                + "Docs/readers.md lists readers that can")
    }
}

extension TagOptions {
    /// An operation on the tag of a spool, with a warning first if no reader can read it.
    ///
    /// - Parameter changes: whether the tag is changed, so that several on the readers are refused.
    func spoolOperation(changes: Bool, requires requirements: Requirement...) -> TagOperation {
        TagOperation(
            options: self, requires: requirements,
            beforeTag: SpoolReaders(chosen: session.reader, changes: changes).report)
    }
}
