/// The `decoded` object of a record's JSON form: `kind`, and the fields of that kind.
package struct DecodedForm {
    package let content: any NDEFContent

    package init(content: any NDEFContent) {
        self.content = content
    }

    private enum CodingKeys: String, CodingKey {
        case kind
    }
}

extension DecodedForm: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type(of: content).kind, forKey: .kind)
        try content.encode(to: encoder)
    }
}

extension DecodedForm: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(String.self, forKey: .kind)
        guard let form = Self.forms.first(where: { $0.kind == kind }) else {
            let kinds = Self.forms.map { $0.kind }.joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: container, debugDescription: "there is no such kind, only \(kinds)")
        }
        content = try form.init(from: decoder)
    }

    /// Every form that a record can be made from.
    static let forms: [any NDEFContent.Type] =
        PayloadRegistry.all.map { $0.content } + [
            MediaRecord.self, ExternalRecord.self, AbsoluteURIRecord.self, UnknownRecord.self, EmptyRecord.self,
        ]
}
