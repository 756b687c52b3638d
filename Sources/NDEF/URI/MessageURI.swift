/// A text message to send as a URI, such as `sms:+491701234567?body=Hello` (RFC 5724).
public struct MessageURI: Sendable, Hashable {
    /// The telephone numbers of those who are to get it; none where the sender is to choose.
    public let recipients: [String]
    /// What it says.
    public let body: String?
    /// The other fields.
    public let otherFields: [URIField]

    /// A message. Empty recipients are left out.
    public init(recipients: [String], body: String? = nil, otherFields: [URIField] = []) {
        self.recipients = recipients.filter { !$0.isEmpty }
        self.body = body
        self.otherFields = otherFields
    }

    /// The URI, such as `sms:+491701234567?body=Hello`.
    public var uri: String {
        let recipients = self.recipients.map { PercentEncoding.encode($0, keeping: "+*();=") }
        let fields = (body.map { [URIField(name: "body", value: $0)] } ?? []) + otherFields
        let query = fields.map { $0.encoded() }.joined(separator: "&")
        return "sms:" + recipients.joined(separator: ",") + (query.isEmpty ? "" : "?" + query)
    }

    /// The message in what follows `sms:`, or the older `smsto:`, which also has the form `smsto:number:text`. Two slashes
    /// after the colon are passed over.
    init(parsing text: ArraySlice<UInt8>, isOlderForm: Bool) {
        let rest = text.starts(with: "//".utf8) ? text.dropFirst(2) : text
        var path = rest.prefix { $0 != UInt8(ascii: "?") }
        var fields = URIField.list(rest.dropFirst(path.count + 1), separator: UInt8(ascii: "&"))
        var body = fields.take("body")
        if isOlderForm, body == nil, let colon = path.firstIndex(of: UInt8(ascii: ":")) {
            body = PercentEncoding.decode(rest[(colon + 1)...])
            path = path[..<colon]
            fields = []
        }
        let recipients = path.split(separator: UInt8(ascii: ",")).map(PercentEncoding.decode)
        self.init(recipients: recipients, body: body, otherFields: fields)
    }
}

extension MessageURI: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case recipients, body, otherFields
    }

    /// Writes `recipients`, and `body` and `otherFields` if there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(recipients, forKey: .recipients)
        try container.encodeIfPresent(body, forKey: .body)
        try container.encodeIfNotEmpty(otherFields, forKey: .otherFields)
    }

    /// Reads `recipients`, `body` and `otherFields`, each where it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            recipients: try container.decodeIfPresent([String].self, forKey: .recipients) ?? [],
            body: try container.decodeIfPresent(String.self, forKey: .body),
            otherFields: try container.decodeIfPresent([URIField].self, forKey: .otherFields) ?? [])
    }
}

extension MessageURI: JSONDescribed {
    package static var jsonSummary: String { "A short message." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .recipients:
                .written(.list(.text), usual: .emptyList, "The numbers of the recipients.")
            case .body:
                .optional(.text, "The text.")
            case .otherFields:
                .optional(.list(.object(URIField.self)), "The other fields.")
            }
        }
    }
}
