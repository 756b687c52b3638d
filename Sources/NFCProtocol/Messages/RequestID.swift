public import FoundationEssentials

/// The id of a request (JSON-RPC 2.0, §4): text, a number, or null. A number keeps its value exactly.
public enum RequestID: Sendable, Hashable, Codable {
    case string(String)
    case integer(Int64)
    /// A number that is not an `Int64`.
    case decimal(Decimal)
    case null

    /// `Decimal` has 38 digits; a longer number may lose some.
    private static let maximumDigits = 36

    /// Decodes text, a number of at most 36 digits, or null. Anything else is an error.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let number = try? value.decode(Decimal.self), Self.isExact(number) {
            // Not decoded as Int64 first: JSONDecoder rounds a fraction with many digits to an integer.
            self = Int64("\(number)").map { .integer($0) } ?? .decimal(number)
        } else {
            throw DecodingError.dataCorruptedError(
                in: value,
                debugDescription: "an id must be text, a number of at most \(Self.maximumDigits) digits, or null")
        }
    }

    /// Encodes the text, the number or null.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .string(let text): try value.encode(text)
        case .integer(let number): try value.encode(number)
        case .decimal(let number): try value.encode(number)
        case .null: try value.encodeNil()
        }
    }

    /// Whether the number was certainly decoded without rounding.
    private static func isExact(_ number: Decimal) -> Bool {
        "\(number)".utf8.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } <= maximumDigits
    }
}
