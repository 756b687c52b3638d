extension URIRecord {
    private enum CodingKeys: String, CodingKey {
        case uri, tel, sms, mailto, geo
    }

    /// Writes `uri`, and what it leads to as `tel`, `sms`, `mailto` or `geo` where it is of such a scheme.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(uri, forKey: .uri)
        switch target {
        case .telephone(let telephone): try container.encode(telephone, forKey: .tel)
        case .message(let message): try container.encode(message, forKey: .sms)
        case .mail(let mail): try container.encode(mail, forKey: .mailto)
        case .location(let location): try container.encode(location, forKey: .geo)
        case nil: break
        }
    }

    /// Reads `uri`; where it is missing, the URI is made of `tel`, `sms`, `mailto` or `geo`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if try container.decodeIfPresent(String.self, forKey: .uri) == nil, let target = try Self.target(in: container)
        {
            self.init(target)
            return
        }
        let uri = try container.decode(String.self, forKey: .uri)
        self = try container.accepting(.uri) { () throws(NDEFPayloadError) in try URIRecord(uri) }
    }

    private static func target(in container: KeyedDecodingContainer<CodingKeys>) throws -> URITarget? {
        let targets = [
            try container.decodeIfPresent(TelephoneURI.self, forKey: .tel).map(URITarget.telephone),
            try container.decodeIfPresent(MessageURI.self, forKey: .sms).map(URITarget.message),
            try container.decodeIfPresent(MailURI.self, forKey: .mailto).map(URITarget.mail),
            try container.decodeIfPresent(LocationURI.self, forKey: .geo).map(URITarget.location),
        ].compactMap { $0 }
        if targets.count > 1 { throw container.rejection(forKey: .uri, "there is more than one object to make it of") }
        return targets.first
    }
}
