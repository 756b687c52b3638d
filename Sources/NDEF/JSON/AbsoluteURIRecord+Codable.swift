extension AbsoluteURIRecord {
    private enum CodingKeys: String, CodingKey {
        case uri, data
    }

    /// Writes `uri`, and `data` where there is any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(uri, forKey: .uri)
        try container.encodeIfNotEmpty(hexadecimal: data, forKey: .data)
    }

    /// Reads `uri`, and `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .uri),
            data: try container.decodeHexadecimalIfPresent(forKey: .data) ?? [])
    }
}
