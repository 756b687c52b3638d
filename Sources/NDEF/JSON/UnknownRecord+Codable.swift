extension UnknownRecord {
    private enum CodingKeys: String, CodingKey {
        case data
    }

    /// Writes `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hexadecimal: data, forKey: .data)
    }

    /// Reads `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(data: try container.decodeHexadecimalIfPresent(forKey: .data) ?? [])
    }
}
