import Cryptography
import NDEF
import NFCClient
import NFCProtocol
import SpoolTags

/// What a spool says: as lines, or as JSON.
struct SpoolReport: Encodable {
    /// In the JSON form of nfcd, or of the format.
    private let spool: JSONValue
    /// What an OpenPrintTag is about.
    private let uuids: [String: String]?
    /// What the specification of OpenPrintTag finds.
    private let check: OpenPrintTagFindings?
    private let source: SpoolOnTag
    private let names: [(name: String, uuid: [UInt8]?)]

    private enum CodingKeys: String, CodingKey {
        case spool, uuids, check
    }

    /// - Parameter identifier: the UID of the tag.
    init(_ source: SpoolOnTag, identifier: [UInt8]) throws {
        self.source = source
        switch source {
        case .record(let index, let message):
            spool = try Self.json(message.records[index])["decoded"] ?? .null
        case .content(let content):
            var members: [String: JSONValue] = [:]
            if case .object(let fields) = try Self.json(content) { members = fields }
            members["kind"] = .string(content.format)
            spool = .object(members)
        }
        let record = source.openPrintTag
        check = record?.findings(identifier: identifier)
        let names = record?.uuids(identifier: identifier).byName ?? []
        self.names = names
        uuids = record.map { _ in
            Dictionary(
                names.compactMap { name, uuid in uuid.map { (name, OpenPrintTagUUIDs.text($0)) } },
                uniquingKeysWith: { first, _ in first })
        }
    }

    private static func json(_ value: some Encodable) throws -> JSONValue {
        try JSONLine.decode(JSONValue.self, from: JSONLine.encode(value))
    }

    /// Prints a line of JSON with the event, or the tag with its fields, and where nothing was written, what is doubtful.
    func show(_ event: String, _ tag: RemoteTag, json: Bool) {
        guard !json else { return Terminal.print(json: TagEvent(event: event, tag: tag.facts, extra: self)) }
        Terminal.print("Tag: \(tag.summary)")
        let width = OutputStyle.output.width.map { $0 - 4 }
        Terminal.print("  \(title)")
        for line in TextTable(rows: rows).lines(width: width) { Terminal.print("    \(line)") }
        for (kind, text) in doubts where event == "spool" { Terminal.print("    \(kind): \(text)") }
    }

    private var title: String {
        switch source {
        case .record(let index, let message): "\(message.records[index])"
        case .content(let content): content.name
        }
    }

    private var rows: [[String]] {
        switch source {
        case .content(let content): content.facts.rows.map { [$0.name, $0.value] }
        case .record: source.openPrintTag.map(rows(of:)) ?? otherRows
        }
    }

    /// What is doubtful, with a word for how much.
    private var doubts: [(kind: String, text: String)] {
        if case .content(let content) = source { return content.doubts.map { ("doubtful", "\($0)") } }
        guard let check else { return [] }
        return check.errors.map { ("error", $0) } + check.warnings.map { ("warning", $0) }
            + check.notes.map { ("note", $0) }
    }

    private func rows(of content: OpenPrintTagRecord) -> [[String]] {
        let sections = [OpenPrintTagSection.main, .aux].flatMap { section in
            (content.region(section)?.fields ?? []).compactMap { field, result -> [String]? in
                guard let value = spool["data"]?[section.rawValue]?[field.name] else {
                    return [field.name, "not valid"]
                }
                if case .timestamp = field.form, case .integer(let seconds)? = result.value {
                    return [field.name, SpoolTime.text(seconds)]
                }
                return [field.name, value.text + (field.unit.map { " \($0)" } ?? "")]
            }
        }
        let derived = names.compactMap { name, uuid -> [String]? in
            guard let uuid, content.main?[name]?.value == nil else { return nil }
            return [name, "\(OpenPrintTagUUIDs.text(uuid)) (follows from other fields)"]
        }
        return sections + derived + [
            ["remaining_weight", content.remainingWeight.map { "\($0.shortText) g" } ?? "unknown"]
        ]
    }

    /// The fields of other formats, by name; the bytes and the text of the whole record are left out.
    private var otherRows: [[String]] {
        guard case .object(let members) = spool else { return [] }
        return members.filter { !["kind", "payload", "text"].contains($0.key) }.sorted { $0.key < $1.key }
            .map { [$0.key, $0.value.text] }
    }
}

extension SpoolOnTag {
    /// The record, if it is one of OpenPrintTag.
    fileprivate var openPrintTag: OpenPrintTagRecord? {
        if case .record(let index, let message) = self, case .openPrintTag(let record) = message.records[index].decoded
        {
            record
        } else {
            nil
        }
    }
}

extension OpenPrintTagRecord {
    /// - Parameter identifier: the UID of the tag; only those of ISO/IEC 15693 have a part in UUIDs.
    fileprivate func uuids(identifier: [UInt8]) -> OpenPrintTagUUIDs {
        let isVicinity = identifier.count == 8 && identifier.first == 0xE0
        return OpenPrintTagUUIDs(of: self, tagIdentifier: isVicinity ? identifier : nil, sha1: SHA1.hash)
    }

    /// What the specification finds about the record on that tag.
    func findings(identifier: [UInt8]) -> OpenPrintTagFindings {
        OpenPrintTagFindings(self, uuids: uuids(identifier: identifier))
    }
}

extension JSONValue {
    /// The value for people, on one line.
    fileprivate var text: String {
        switch self {
        case .null: "none"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .number(let number): number.shortText
        case .string(let text): text.escaped
        case .array(let elements): elements.map(\.text).joined(separator: ", ")
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)" }.joined(separator: ", ")
        }
    }
}
