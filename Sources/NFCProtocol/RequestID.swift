/// The id of a request (JSON-RPC 2.0, §4): text, a number, or null.
public enum RequestID: Sendable, Hashable, Codable {
    case string(String)
    case integer(Int64)
    case fraction(Double)
    case null
    /// A number that is no `Int64`, as its sender wrote it. No coder gives one: it is found in the line.
    case literal(String)

    /// Text, a number or null; anything else is refused.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = .fraction(number)
        } else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "an id is text, a number or null")
        }
    }

    /// What a coder makes of the same id.
    public var decoded: RequestID {
        if case .literal(let number) = self { .fraction(Double(number) ?? 0) } else { self }
    }

    /// The value itself: text, a number or null. A literal number is rounded, as coders do.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .string(let text): try value.encode(text)
        case .integer(let number): try value.encode(number)
        case .fraction(let number): try value.encode(number)
        case .null: try value.encodeNil()
        case .literal: try decoded.encode(to: encoder)
        }
    }
}
