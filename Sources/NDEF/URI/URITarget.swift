/// What a URI of one of four schemes leads to, in fields.
public enum URITarget: Sendable, Hashable {
    /// A telephone number to call (`tel:`).
    case telephone(TelephoneURI)
    /// A text message to send (`sms:`).
    case message(MessageURI)
    /// A mail to write (`mailto:`).
    case mail(MailURI)
    /// A place on Earth (`geo:`).
    case location(LocationURI)

    /// What this URI leads to; nil where its scheme is another or it is not of its scheme's form.
    init?(_ uri: String) {
        guard let parts = URIParts(uri) else { return nil }
        let target: URITarget? =
            switch parts.scheme {
            case "tel": TelephoneURI(parsing: parts.rest).map(URITarget.telephone)
            case "sms": .message(MessageURI(parsing: parts.rest, isOlderForm: false))
            case "smsto": .message(MessageURI(parsing: parts.rest, isOlderForm: true))
            case "mailto": .mail(MailURI(parsing: parts.rest))
            case "geo": LocationURI(parsing: parts.rest).map(URITarget.location)
            default: nil
            }
        guard let target else { return nil }
        self = target
    }

    /// The URI that leads there, in its canonical form.
    public var uri: String {
        switch self {
        case .telephone(let telephone): telephone.uri
        case .message(let message): message.uri
        case .mail(let mail): mail.uri
        case .location(let location): location.uri
        }
    }
}

extension URIRecord {
    /// What the URI leads to, where its scheme is `tel`, `sms`, `mailto` or `geo`; nil for other schemes, and where it is not
    /// of its scheme's form.
    public var target: URITarget? { URITarget(uri) }

    /// A record that leads there.
    public init(_ target: URITarget) {
        self.init(printable: target.uri)
    }

    /// The URI, or the message with what it says where that is encoded.
    var line: String {
        guard case .message(let message)? = target, let body = message.body, message.otherFields.isEmpty else {
            return uri.escaped
        }
        return "sms:\(message.recipients.joined(separator: ",").escaped) \"\(body.escaped)\""
    }
}

// MARK: - Records in one call

extension NDEFRecord {
    /// A record to call a telephone number, such as `+49 170 1234567` (RFC 3966).
    ///
    /// - Throws: ``NDEFPayloadError`` where it is not a telephone number.
    public static func telephone(_ number: String, identifier: [UInt8] = []) throws(NDEFPayloadError) -> NDEFRecord {
        NDEFRecord(URIRecord(.telephone(try TelephoneURI(number))), identifier: identifier)
    }

    /// A record to send a text message (RFC 5724).
    public static func sms(to recipients: String..., body: String? = nil, identifier: [UInt8] = []) -> NDEFRecord {
        let message = MessageURI(recipients: recipients, body: body)
        return NDEFRecord(URIRecord(.message(message)), identifier: identifier)
    }

    /// A record to write a mail (RFC 6068).
    public static func mail(
        to recipients: String..., subject: String? = nil, body: String? = nil, identifier: [UInt8] = []
    ) -> NDEFRecord {
        let mail = MailURI(to: recipients, subject: subject, body: body)
        return NDEFRecord(URIRecord(.mail(mail)), identifier: identifier)
    }

    /// A record for a place on Earth (RFC 5870).
    ///
    /// - Parameters:
    ///   - latitude: degrees north of the equator, −90 to 90.
    ///   - longitude: degrees east of Greenwich, −180 to 180.
    ///   - identifier: the ID field; empty for none.
    /// - Throws: ``NDEFPayloadError`` where it is not a place on Earth.
    public static func geo(
        latitude: Double, longitude: Double, identifier: [UInt8] = []
    ) throws(NDEFPayloadError) -> NDEFRecord {
        let location = try LocationURI(latitude: latitude, longitude: longitude)
        return NDEFRecord(URIRecord(.location(location)), identifier: identifier)
    }
}
