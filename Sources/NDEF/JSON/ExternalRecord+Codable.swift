extension ExternalRecord {
    private enum CodingKeys: String, CodingKey {
        case type, data
    }

    /// Writes `type` and `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(hexadecimal: data, forKey: .data)
    }

    /// Reads `type`, and `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            type: try container.decode(String.self, forKey: .type),
            data: try container.decodeHexadecimalIfPresent(forKey: .data) ?? [])
    }
}
