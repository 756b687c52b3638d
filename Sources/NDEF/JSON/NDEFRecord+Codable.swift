extension NDEFRecord {
    enum CodingKeys: String, CodingKey {
        case typeNameFormat, type, identifier, payload, decoded, decodeError
    }
}

extension NDEFRecord: Encodable {
    /// Writes the four fields, bytes as upper-case hexadecimal digits; with `decoded` where the form of the payload is
    /// known, or `decodeError` where the payload is not of that form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(typeNameFormat, forKey: .typeNameFormat)
        try container.encode(type.hexadecimal, forKey: .type)
        try container.encode(identifier.hexadecimal, forKey: .identifier)
        try container.encode(payload.hexadecimal, forKey: .payload)
        switch decoded {
        case .undecoded: return
        case .failed(let error): try container.encode(error, forKey: .decodeError)
        case let decoded: try container.encode(DecodedForm(payload: decoded), forKey: .decoded)
        }
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
        let type = try container.decodeBytes(forKey: .type)
        let identifier = try container.decodeBytes(forKey: .identifier) ?? []
        let payload = try container.decodeBytes(forKey: .payload)

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
        self = form.record(identifier: identifier)
        guard typeNameFormat != .empty || identifier.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .identifier, in: container, debugDescription: "an empty record has no identifier")
        }
    }
}

extension KeyedDecodingContainer<NDEFRecord.CodingKeys> {
    fileprivate func decodeBytes(forKey key: Key) throws -> [UInt8]? {
        guard let digits = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let bytes = [UInt8](hexadecimal: digits) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "not an even number of hexadecimal digits")
        }
        return bytes
    }
}
