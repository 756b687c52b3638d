extension MediaRecord {
    private enum CodingKeys: String, CodingKey {
        case type, text, data
    }

    /// Writes `type`, and `text` where the data is text, otherwise `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        if let text {
            try container.encode(text, forKey: .text)
        } else {
            try container.encode(hexadecimal: data, forKey: .data)
        }
    }

    /// Reads `type`, and `data` or `text`; where both are missing, there is no content.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decodeIfPresent(String.self, forKey: .text)
        let data = try container.decodeHexadecimalIfPresent(forKey: .data)
        if text != nil, data != nil { throw container.rejection(forKey: .data, "there is text as well as data") }
        self.init(
            type: try container.decode(String.self, forKey: .type), data: data ?? text.map { Array($0.utf8) } ?? [])
    }
}
