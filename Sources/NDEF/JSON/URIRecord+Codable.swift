extension URIRecord {
    private enum CodingKeys: String, CodingKey {
        case uri
    }

    /// Writes `uri`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(uri, forKey: .uri)
    }

    /// Reads `uri`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let uri = try container.decode(String.self, forKey: .uri)
        do throws(NDEFPayloadError) {
            try self.init(uri)
        } catch {
            throw DecodingError.dataCorruptedError(forKey: .uri, in: container, debugDescription: error.message)
        }
    }
}
