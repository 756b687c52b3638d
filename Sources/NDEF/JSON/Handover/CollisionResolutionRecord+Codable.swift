extension CollisionResolutionRecord {
    private enum CodingKeys: String, CodingKey {
        case randomNumber, reserved
    }

    /// Writes `randomNumber`, and `reserved` (hexadecimal) where there is any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(randomNumber, forKey: .randomNumber)
        try container.encodeIfNotEmpty(hexadecimal: reserved, forKey: .reserved)
    }

    /// Reads `randomNumber`, and `reserved` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decodeInteger(UInt16.self, forKey: .randomNumber),
            reserved: try container.decodeHexadecimalIfPresent(forKey: .reserved) ?? [])
    }
}
