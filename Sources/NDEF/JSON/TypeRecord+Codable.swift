extension TypeRecord {
    private enum CodingKeys: String, CodingKey {
        case type
    }

    /// Writes `type`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
    }

    /// Reads `type`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let type = try container.decode(String.self, forKey: .type)
        self = try container.accepting(.type) { () throws(NDEFPayloadError) in try TypeRecord(type) }
    }
}
