import ArgumentParser
import NDEF
import NFCClient
import NFCProtocol
import NFCTypes
import SpoolTags

/// What a tag says about a spool.
enum SpoolOnTag {
    /// A record of its message, by index.
    case record(Int, NDEFRecord)
    /// Memory in the format of a maker that is not NDEF.
    case content(SpoolContent)

    /// The spool of a tag: the first record of a known format, else what its memory holds.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, if it has none.
    static func read(_ tag: RemoteTag) async throws -> SpoolOnTag {
        let records = try await records(tag)
        if let index = records.firstIndex(where: \.isSpool) { return .record(index, records[index]) }
        let dump = try await tag.showingProgress("Reading") { try await tag.dump(progress: $0) }
        let memory = SpoolMemory(dump, identifier: tag.facts.identifier.bytes)
        if let content = memory.flatMap(SpoolContent.recognised) { return .content(content) }
        let found = records.map { "\($0)" }.joined(separator: "; ")
        Terminal.error(
            "nfcctl: \(tag.summary) is not the tag of a spool that nfcctl knows: it holds "
                + (found.isEmpty ? "no records" : found))
        throw ExitCode.badData
    }

    /// The records of the message; none without NDEF.
    private static func records(_ tag: RemoteTag) async throws -> [NDEFRecord] {
        do { return try await tag.readNDEF().message.records } catch let error as NFCClientError
            where error.nfcCode == .zeroLengthMessage || error.nfcCode == .unsupportedFeature
        {
            return []
        }
    }

    /// The record and its index, where it can be changed.
    ///
    /// - Throws: `ExitCode` 65, after printing the reason, for the other formats.
    func openPrintTag() throws -> (index: Int, record: OpenPrintTagRecord) {
        let format: String
        switch self {
        case .record(let index, let record):
            if case .openPrintTag(let found) = record.decoded { return (index, found) }
            format = "\(record)"
        case .content(let content): format = content.name
        }
        Terminal.error(
            "nfcctl: the spool is \(format), and only OpenPrintTag can be changed here. Nothing was written.")
        throw ExitCode.badData
    }
}

extension NDEFRecord {
    fileprivate var isSpool: Bool {
        switch decoded {
        case .openPrintTag, .openSpool, .openTag3D: true
        default: false
        }
    }
}

extension TagOptions {
    /// Warns if no reader can read the tags of OpenPrintTag. Without a reader or nfcd, the operation itself fails.
    func reportReaders() async throws {
        let chosen = session.reader
        let readers = try await session.connection.withClient { client in
            try await client.call(ReadersList.self)
        }.filter { reader in chosen.isEmpty || chosen.contains(reader.reader) || chosen.contains(reader.name) }
        guard !readers.isEmpty, !readers.contains(where: { $0.technologies.contains("iso15693") }) else { return }
        let names = readers.map(\.name.escaped).joined(separator: ", ")
        Terminal.error(
            "nfcctl: warning: \(names) cannot read ISO/IEC 15693 tags, which most spools with OpenPrintTag have; "
                + "Docs/readers.md lists readers that can")
    }
}
