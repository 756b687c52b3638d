extension ActionRecord {
    private enum CodingKeys: String, CodingKey {
        case action
    }

    /// Writes `action` (`execute`, `save` or `edit`).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(named: action, forKey: .action)
    }

    /// Reads `action`, by its name or number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decodeNamed(SmartPosterAction.self, forKey: .action))
    }
}
