import NFCReaders
import NFCTags
import Synchronization

/// The log of what the client of a session changes on a tag: who, which tag, what, and with which result.
final class TagAudit: Sendable {
    /// A change that a command makes, or may make.
    struct Change: Sendable {
        let effect: CommandEffect
        /// What is done, without any data.
        let words: String

        init(effect: CommandEffect, words: String) { (self.effect, self.words) = (effect, words) }

        /// Nil for a raw command that changes nothing.
        init?(_ command: RawCommand, by screen: CommandScreen) {
            let judgement = screen.judge(command)
            guard judgement.effect != .read else { return nil }
            self.init(effect: judgement.effect, words: judgement.words.trimmingSuffix(","))
        }
    }

    private let client: String
    private let reader: String
    private let metadata: EventLog.Metadata
    private let logger: EventLog
    /// Whether a command that nfcd does not know was logged for this tag. A card may take hundreds.
    private let hasUnknown = Atomic(false)

    /// Logs nothing.
    static let none = TagAudit(client: "", reader: "", metadata: [:], .silent)

    /// The log of a session's changes on the tags of a reader.
    convenience init(_ session: SessionID, of client: any SessionClient, on reader: ReaderID, _ logger: EventLog) {
        self.init(
            client: client.label, reader: "\(reader)",
            metadata: ["session": "\(session)", "client": client.label, "reader": "\(reader)"], logger)
    }

    private init(client: String, reader: String, metadata: EventLog.Metadata, _ logger: EventLog) {
        (self.client, self.reader, self.metadata, self.logger) = (client, reader, metadata, logger)
    }

    /// Logs a change; nothing if there was none. Of the commands that nfcd does not know, only the first is of interest.
    func log(_ change: Change?, on tag: TagIdentity, _ error: TagError?) {
        guard let change else { return }
        let uid = tag.identifier.isEmpty ? "without a UID" : Hexadecimal.string(tag.identifier)
        // Not the detail: it may quote the bytes of a command, such as a password.
        let result = error.map { "failed with \($0.code.rawValue) \($0.code.name)" } ?? "done"
        let verb = change.effect == .unknown ? "may change" : "changes"
        let line = "\(client) \(verb) tag \(uid) on reader \(reader): \(change.words): \(result)"
        if change.effect != .unknown {
            logger.notice(line, metadata: metadata)
        } else if hasUnknown.exchange(true, ordering: .relaxed) {
            logger.debug(line, metadata: metadata)
        } else {
            logger.info(line, metadata: metadata)
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
