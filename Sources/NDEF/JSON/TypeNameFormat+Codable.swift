extension TypeNameFormat: Codable {
    /// Reads the name, such as `nfcWellKnown`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let format = TypeNameFormat(name: try container.decode(String.self)) else {
            let names = Self.allCases.map(\.description).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no type name format has this name; there are \(names)")
        }
        self = format
    }

    /// Writes the name, such as `nfcWellKnown`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
