/// The `decoded` object of a record's JSON form: `kind`, and the fields of that kind.
struct DecodedForm {
    let payload: DecodedPayload

    private enum CodingKeys: String, CodingKey {
        case kind, type, uri
    }

    func record(identifier: [UInt8]) -> NDEFRecord {
        guard let typed = payload.typed else { return NDEFRecord(typeNameFormat: .empty) }
        return NDEFRecord(typed, identifier: identifier)
    }
}

extension DecodedForm: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        switch payload {
        case .media(let type), .external(let type): try container.encode(type, forKey: .type)
        case .absoluteURI(let uri): try container.encode(uri, forKey: .uri)
        default: try payload.typed?.encode(to: encoder)
        }
    }

    private var kind: String {
        if let typed = payload.typed { return type(of: typed).kind }
        return switch payload {
        case .empty: "empty"
        case .media: "media"
        case .absoluteURI: "absoluteURI"
        case .external: "external"
        case .unknown: "unknown"
        case .failed: "failed"
        default: "undecoded"
        }
    }
}

extension DecodedForm: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(String.self, forKey: .kind)
        if kind == "empty" {
            payload = .empty
        } else if let form = PayloadRegistry.form(ofKind: kind) {
            payload = try form.decodeFields(decoder)
        } else {
            let kinds = (["empty"] + PayloadRegistry.all.map(\.kind)).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: container, debugDescription: "no record is made from this kind alone, only \(kinds)")
        }
    }
}
