import NDEF
import NFCProtocol

/// What is shown of a tap, and what a click on it may do.
struct TapNotice: Sendable, Hashable {
    /// The most records in the details.
    private static let mostRecords = 20

    /// The kind of tag and, for a link, its host: no text of a tag but a host in ASCII.
    let summary: String
    /// What is on the tag, without markup.
    let body: String
    /// Every record and the tag itself, without markup.
    let details: String
    /// The link that a click opens; nil if there is none, or it may not be opened.
    let link: TagLink?
    /// What a click copies: the text or URI as it is on the tag; nil if it has neither.
    let copied: String?

    /// - Parameter tap: with the record that a filter matched, only that record is shown and opened.
    init(_ tap: BackgroundDidReadTag, _ policy: OpenPolicy) {
        let records = tap.messages.flatMap(\.records)
        let content = ShownRecord.chosen(of: records, at: tap.record)
        details = Self.details(tap, tap.record.map { records.indices.contains($0) ? [records[$0]] : [] } ?? records)
        guard let content else {
            summary = tap.error == nil ? "Empty NFC tag" : "NFC tag without a message"
            body = Self.tagLine(tap)
            (link, copied) = (nil, nil)
            return
        }
        copied = content.copied
        guard let uri = content.uri else {
            (summary, link) = (content.kind, nil)
            body = content.lines.joined(separator: "\n")
            return
        }
        let known = try? TagLink(uri)
        do throws(OpenPolicy.Refusal) {
            link = try policy.link(uri)
            body = ([known?.uri ?? uri].map { ShownText($0).plain } + content.lines).joined(separator: "\n")
        } catch {
            link = nil
            body = ([ShownText(known?.uri ?? uri).plain] + content.lines + ["\(error)"]).joined(separator: "\n")
        }
        summary = known?.host.map { "\($0): \(content.kind.lowercasedFirst)" } ?? content.kind
    }

    private static func tagLine(_ tap: BackgroundDidReadTag) -> String {
        let name = tap.tag.product ?? tap.tag.technology ?? "tag"
        let identifier = tap.tag.identifier.description
        return ShownText(identifier.isEmpty ? name : "\(name), UID \(identifier)").plain
    }

    private static func details(_ tap: BackgroundDidReadTag, _ records: [NDEFRecord]) -> String {
        var lines = records.prefix(mostRecords).enumerated().map { index, record in
            "\(index + 1). \(ShownText(record.description, limit: 200).plain)"
        }
        if records.count > mostRecords { lines.append("… \(records.count - mostRecords) more records") }
        lines.append("Tag: \(tagLine(tap))")
        lines.append("Reader: \(ShownText(tap.readerName).plain)")
        if let proof = tap.proof { lines.append("Proof: \(proof.status.rawValue) (\(ShownText(proof.profile).plain))") }
        return lines.joined(separator: "\n")
    }
}

/// What one record says to a person.
struct ShownRecord: Sendable, Hashable {
    /// Such as `Link`.
    let kind: String
    /// The URI; nil where the record has none.
    var uri: String?
    /// Further lines, ready to be shown.
    var lines: [String] = []
    /// The text or URI as it is on the tag.
    var copied: String?

    /// The record that the filter matched; without one the first URI, or else the first text, or else the first record.
    static func chosen(of records: [NDEFRecord], at index: Int?) -> ShownRecord? {
        if let index { return records.indices.contains(index) ? ShownRecord(records[index]) : nil }
        let contents = records.map(ShownRecord.init)
        return contents.first { $0.uri != nil } ?? contents.first { $0.copied != nil } ?? contents.first
    }

    init(_ record: NDEFRecord) {
        switch record.decoded {
        case .uri(let record): self.init(uri: record.uri)
        case .absoluteURI(let record): self.init(uri: record.uri)
        case .smartPoster(let poster):
            self.init(uri: poster.uri.uri)
            lines = poster.titles.prefix(1).map { "Title: \(ShownText($0.text).plain)" }
        case .text(let record):
            self.init("Text", line: record.text)
            copied = record.text
        case .wifi: self.init("Wi-Fi network", line: record.description)
        case .vCard: self.init("Business card", line: record.description)
        case .openPrintTag, .openSpool, .openTag3D: self.init("Spool", line: record.description)
        default: self.init("NFC tag", line: record.description)
        }
    }

    private init(_ kind: String, line: String) {
        self.kind = kind
        lines = [ShownText(line).plain]
    }

    private init(uri: String) {
        kind = Self.kinds[uri.prefix { $0 != ":" }.lowercased()] ?? "Link"
        self.uri = uri
        copied = uri
    }

    private static let kinds = [
        "tel": "Telephone number", "sms": "Text message", "smsto": "Text message", "mailto": "Mail", "geo": "Place",
    ]
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
