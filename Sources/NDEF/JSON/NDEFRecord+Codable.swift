extension NDEFRecord {
    enum CodingKeys: String, CodingKey {
        case typeNameFormat, type, identifier, payload, decoded, decodeError
    }
}

extension NDEFRecord: Encodable {
    /// Writes the four fields, bytes as upper-case hexadecimal digits; with `decoded` where the form of the payload is
    /// known, or `decodeError` where the payload is not of that form.
    public func encode(to encoder: any Encoder) throws {
        try encodeFields(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        let decoded = self.decoded
        if case .failed(let error) = decoded { try container.encode(error, forKey: .decodeError) }
        if let content = decoded.content { try container.encode(DecodedForm(content: content), forKey: .decoded) }
    }

    /// Writes the four fields alone.
    func encodeFields(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(typeNameFormat, forKey: .typeNameFormat)
        try container.encode(hexadecimal: type, forKey: .type)
        try container.encode(hexadecimal: identifier, forKey: .identifier)
        try container.encode(hexadecimal: payload, forKey: .payload)
    }
}

extension NDEFRecord: Decodable {
    /// Reads a record given raw, by `typeNameFormat` and any of `type`, `identifier` and `payload` (hexadecimal digits of
    /// either case; empty where missing), or given by `decoded` alone, to which an `identifier` may be added.
    ///
    /// Where both are given, the raw fields win and `decoded` is not looked at.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let format = try container.decodeIfPresent(TypeNameFormat.self, forKey: .typeNameFormat)
        let type = try container.decodeHexadecimalIfPresent(forKey: .type)
        let identifier = try container.decodeHexadecimalIfPresent(forKey: .identifier) ?? []
        let payload = try container.decodeHexadecimalIfPresent(forKey: .payload)

        if let format {
            self.init(typeNameFormat: format, type: type ?? [], identifier: identifier, payload: payload ?? [])
            return
        }
        guard type == nil, payload == nil,
            let form = try container.decodeIfPresent(DecodedForm.self, forKey: .decoded)
        else {
            let reason = "a record needs typeNameFormat, or decoded alone"
            throw DecodingError.keyNotFound(
                CodingKeys.typeNameFormat, .init(codingPath: container.codingPath, debugDescription: reason))
        }
        self = NDEFRecord(form.content, identifier: identifier)
        guard typeNameFormat != .empty || identifier.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .identifier, in: container, debugDescription: "an empty record has no identifier")
        }
    }
}
