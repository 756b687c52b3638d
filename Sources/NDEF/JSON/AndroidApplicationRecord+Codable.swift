extension AndroidApplicationRecord {
    private enum CodingKeys: String, CodingKey {
        case package
    }

    /// Writes `package`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(package, forKey: .package)
    }

    /// Reads `package`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let package = try container.decode(String.self, forKey: .package)
        self = try container.accepting(.package) { () throws(NDEFPayloadError) in
            try AndroidApplicationRecord(package)
        }
    }
}
