/// A mail to write as a URI, such as `mailto:max@example.com?subject=Hello` (RFC 6068).
public struct MailURI: Sendable, Hashable {
    /// The addresses of those whom it is written to.
    public let to: [String]
    /// The addresses of those who get a copy.
    public let cc: [String]
    /// The addresses of those who get a copy unseen.
    public let bcc: [String]
    /// What it is about.
    public let subject: String?
    /// What it says, with LF at line ends.
    public let body: String?
    /// The other header fields.
    public let otherHeaders: [URIField]

    /// A mail. Empty addresses are left out, and line ends of the body become LF.
    public init(
        to: [String], cc: [String] = [], bcc: [String] = [], subject: String? = nil, body: String? = nil,
        otherHeaders: [URIField] = []
    ) {
        self.to = to.filter { !$0.isEmpty }
        self.cc = cc.filter { !$0.isEmpty }
        self.bcc = bcc.filter { !$0.isEmpty }
        self.subject = subject
        self.body = body?.withLineFeeds
        self.otherHeaders = otherHeaders
    }

    /// The URI, such as `mailto:max@example.com?subject=Hello`. Lines of the body end with CRLF, as RFC 6068 asks (§5).
    public var uri: String {
        let lines = body.map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let addresses = [("cc", cc), ("bcc", bcc)].filter { !$0.1.isEmpty }.map { "\($0)=\(Self.list($1))" }
        let fields = [
            subject.map { URIField(name: "subject", value: $0) },
            lines.map { URIField(name: "body", value: $0.joined(separator: "\r\n")) },
        ]
        let query = addresses + (fields.compactMap { $0 } + otherHeaders).map { $0.encoded() }
        return "mailto:" + Self.list(to) + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The mail in what follows `mailto:`.
    init(parsing rest: ArraySlice<UInt8>) {
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        let query = rest.dropFirst(path.count + 1).split(separator: UInt8(ascii: "&"))
        var to = Self.addresses(path)
        var cc: [String] = []
        var bcc: [String] = []
        var others: [URIField] = []
        for field in query {
            let header = URIField(field)
            // Addresses are cut at commas before they are decoded: an encoded comma belongs to an address.
            let addresses = Self.addresses(field.drop { $0 != UInt8(ascii: "=") }.dropFirst())
            switch header.name.lowercased() {
            case "to": to += addresses
            case "cc": cc += addresses
            case "bcc": bcc += addresses
            default: others.append(header)
            }
        }
        let subject = others.take("subject")
        let body = others.take("body")
        self.init(to: to, cc: cc, bcc: bcc, subject: subject, body: body, otherHeaders: others)
    }

    private static func list(_ addresses: [String]) -> String {
        addresses.map { PercentEncoding.encode($0, keeping: "@+") }.joined(separator: ",")
    }

    private static func addresses(_ list: ArraySlice<UInt8>) -> [String] {
        list.split(separator: UInt8(ascii: ",")).map(PercentEncoding.decode)
    }
}

extension MailURI: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case to, cc, bcc, subject, body, otherHeaders
    }

    /// Writes `to`, and `cc`, `bcc`, `subject`, `body` and `otherHeaders` if there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(to, forKey: .to)
        try container.encodeIfNotEmpty(cc, forKey: .cc)
        try container.encodeIfNotEmpty(bcc, forKey: .bcc)
        try container.encodeIfPresent(subject, forKey: .subject)
        try container.encodeIfPresent(body, forKey: .body)
        try container.encodeIfNotEmpty(otherHeaders, forKey: .otherHeaders)
    }

    /// Reads `to`, `cc`, `bcc`, `subject`, `body` and `otherHeaders`, each where it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            to: try container.decodeIfPresent([String].self, forKey: .to) ?? [],
            cc: try container.decodeIfPresent([String].self, forKey: .cc) ?? [],
            bcc: try container.decodeIfPresent([String].self, forKey: .bcc) ?? [],
            subject: try container.decodeIfPresent(String.self, forKey: .subject),
            body: try container.decodeIfPresent(String.self, forKey: .body),
            otherHeaders: try container.decodeIfPresent([URIField].self, forKey: .otherHeaders) ?? [])
    }
}

extension MailURI: JSONDescribed {
    package static var jsonSummary: String { "A mail." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .to:
                .written(.list(.text), usual: .emptyList, "The addresses of the recipients.")
            case .cc:
                .optional(.list(.text), "The addresses of the recipients of a copy.")
            case .bcc:
                .optional(.list(.text), "The addresses of the recipients of a blind copy.")
            case .subject:
                .optional(.text, "The subject.")
            case .body:
                .optional(.text, "The text, with LF at line ends.")
            case .otherHeaders:
                .optional(.list(.object(URIField.self)), "The other header fields.")
            }
        }
    }
}
