extension SizeRecord {
    private enum CodingKeys: String, CodingKey {
        case size
    }

    /// Writes `size`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
    }

    /// Reads `size`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decodeInteger(UInt32.self, forKey: .size))
    }
}
