/// Bytes as they travel on the socket: hexadecimal text, upper case out, either case in.
public struct HexBytes: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The bytes.
    public var bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil for an odd number of digits or anything else that is not hexadecimal.
    public init?(_ text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.bytes = bytes
    }

    /// Digits in either case.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let decoded = HexBytes(try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "expected an even number of hexadecimal digits")
        }
        self = decoded
    }

    /// The digits as text.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }

    /// The digits, upper case.
    public var description: String { Hexadecimal.string(bytes) }
}
