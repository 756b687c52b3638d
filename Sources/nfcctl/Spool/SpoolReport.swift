import NDEF
import NFCClient
import NFCProtocol
import SpoolTags

/// What a spool says: as lines, or as JSON.
struct SpoolReport: Encodable {
    /// In the JSON form of nfcd, or of the format.
    private let spool: JSONValue
    private let source: SpoolOnTag

    private enum CodingKeys: String, CodingKey {
        case spool
    }

    init(_ source: SpoolOnTag) throws {
        self.source = source
        switch source {
        case .record(_, let record): spool = try Self.json(record)["decoded"] ?? .null
        case .content(let content):
            var members: [String: JSONValue] = [:]
            if case .object(let fields) = try Self.json(content) { members = fields }
            members["kind"] = .string(content.format)
            spool = .object(members)
        }
    }

    private static func json(_ value: some Encodable) throws -> JSONValue {
        try JSONLine.decode(JSONValue.self, from: JSONLine.encode(value))
    }

    /// Prints a line of JSON with the event, or the tag with its fields.
    func show(_ event: String, _ tag: RemoteTag, json: Bool) {
        guard !json else { return Terminal.print(json: TagEvent(event: event, tag: tag.facts, extra: self)) }
        Terminal.print("Tag: \(tag.summary)")
        let width = OutputStyle.output.width.map { $0 - 4 }
        switch source {
        case .record(_, let record):
            Terminal.print("  \(record)")
            for line in TextTable(rows: rows(of: record)).lines(width: width) { Terminal.print("    \(line)") }
        case .content(let content):
            Terminal.print("  \(content.name)")
            let rows = content.facts.rows.map { [$0.name, $0.value] }
            for line in TextTable(rows: rows).lines(width: width) { Terminal.print("    \(line)") }
            for doubt in content.doubts { Terminal.print("    doubtful: \(doubt)") }
        }
    }

    private func rows(of record: NDEFRecord) -> [[String]] {
        guard case .openPrintTag(let content) = record.decoded else { return otherRows }
        let sections = [OpenPrintTagSection.main, .aux].flatMap { section in
            (content.region(section)?.fields ?? []).compactMap { field, result -> [String]? in
                guard let value = spool["data"]?[section.rawValue]?[field.name] else {
                    return [field.name, "not valid"]
                }
                return [field.name, value.text + (field.unit.map { " \($0)" } ?? "")]
            }
        }
        return sections + [
            ["remaining_weight", content.remainingWeight.map { "\(JSONValue.number($0).text) g" } ?? "unknown"]
        ]
    }

    /// The fields of other formats, by name; the bytes and the text of the whole record are left out.
    private var otherRows: [[String]] {
        guard case .object(let members) = spool else { return [] }
        return members.filter { !["kind", "payload", "text"].contains($0.key) }.sorted { $0.key < $1.key }
            .map { [$0.key, $0.value.text] }
    }
}

extension JSONValue {
    /// The value for people, on one line.
    fileprivate var text: String {
        switch self {
        case .null: "none"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let text): text.escaped
        case .array(let elements): elements.map(\.text).joined(separator: ", ")
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)" }.joined(separator: ", ")
        }
    }
}
