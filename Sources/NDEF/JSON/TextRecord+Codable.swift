extension TextRecord {
    private enum CodingKeys: String, CodingKey {
        case text, language, encoding
    }

    /// Writes `text`, `language` and `encoding` (`utf-8` or `utf-16`).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        try container.encode(language, forKey: .language)
        try container.encode(encoding, forKey: .encoding)
    }

    /// Reads `text`, and `language` (`en` where missing) and `encoding` (`utf-8` where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .text)
        let language = try container.decodeIfPresent(String.self, forKey: .language) ?? "en"
        let encoding = try container.decodeIfPresent(Encoding.self, forKey: .encoding) ?? .utf8
        self = try container.accepting(.language) { () throws(NDEFPayloadError) in
            try TextRecord(text, language: language, encoding: encoding)
        }
    }
}
