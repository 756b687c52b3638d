import NDEF
import NFCClient

/// How the message of a row follows from the tag that gets it. Without a layout, it is the same on every tag.
protocol BatchLayout: Sendable {
    /// What a message has in common with that of its row on every tag, and what ``BatchRow/bytes`` is; nil for a message of no row.
    func key(of message: [UInt8]) -> [UInt8]?
    /// The message of a row for a tag.
    func message(of row: BatchRow, on tag: RemoteTag) async throws -> BatchMessage
}

/// The message of a row for a tag, if the tag can hold it.
enum BatchMessage {
    case message(NDEFMessage)
    /// Why this tag cannot.
    case refused(String)
    /// What has to be done with this tag first.
    case notFormatted(String)
}

extension BatchRun.Settings {
    /// What of a message on a tag is compared with rows.
    func key(of content: [UInt8]?) -> [UInt8]? {
        guard let content, let layout else { return content }
        return layout.key(of: content)
    }

    /// The message of a row for a tag.
    ///
    /// - Parameters:
    ///   - content: what the tag holds, which is left as it is where it is the row's.
    ///   - key: what of it is compared with rows.
    func message(
        of row: BatchRow, on tag: RemoteTag, holding content: [UInt8]?, key: [UInt8]?
    ) async throws -> BatchMessage {
        if let content, key == row.bytes, layout != nil {
            return .message(try NDEFMessage(decoding: content))
        }
        if let layout { return try await layout.message(of: row, on: tag) }
        return .message(row.bytes.isEmpty ? NDEFMessage() : try NDEFMessage(decoding: row.bytes))
    }
}
