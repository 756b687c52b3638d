extension HandoverVersion: Codable {
    /// Reads text such as `1.5`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let version = HandoverVersion(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a version from 1.0 to 1.15, such as 1.5")
        }
        self = version
    }

    /// Writes text such as `1.5`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
