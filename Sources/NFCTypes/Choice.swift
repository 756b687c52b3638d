/// One of a few words. Decoding another word fails with an error that lists the allowed ones.
public protocol Choice: RawRepresentable<String>, CaseIterable, Codable, Sendable, Hashable {}

extension Choice {
    /// Decodes one of the words.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let choice = Self(rawValue: try value.decode(String.self)) else {
            let words = Self.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "expected \(Self.allCases.count == 1 ? "" : "one of ")\(words)")
        }
        self = choice
    }
}
