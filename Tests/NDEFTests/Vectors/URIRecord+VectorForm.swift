import NDEF

extension URIRecord {
    var vectorForm: VectorValue {
        .object(schemeFields.merging(["kind": "uri", "uri": .string(uri)]) { first, _ in first })
    }

    /// What the URI leads to, in the words of the vectors: `tel`, `sms`, `mailto` or `geo`; empty for other URIs. Also for
    /// the URI of a Smart Poster.
    var schemeFields: [String: VectorValue] {
        switch target {
        case .telephone(let telephone): ["tel": .string(telephone.number)]
        case .message(let message):
            [
                "sms": .fields([
                    "number": .string(message.recipients.joined(separator: ",")), "body_raw": rawBody,
                ])
            ]
        case .mail(let mail): ["mailto": mail.vectorForm]
        case .location(let location): ["geo": ["lat": .number(location.latitude), "lon": .number(location.longitude)]]
        case nil: [:]
        }
    }

    /// The body of a message as it stands in the URI; `body` has it percent-decoded.
    private var rawBody: VectorValue? {
        guard case .message(let message)? = target, message.body != nil else { return nil }
        return uri.split(separator: "?body=").last.map { .string(String($0)) }
    }
}

extension MailURI {
    fileprivate var vectorForm: VectorValue {
        .fields([
            "to": .string(to.joined(separator: ",")), "subject": subject.map { .string($0) },
            "body": body.map { .string($0) },
        ])
    }
}
