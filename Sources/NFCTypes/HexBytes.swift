/// Bytes in the form of the socket: hexadecimal text, upper case when written, either case when read.
public struct HexBytes: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The bytes.
    public var bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil for an odd number of digits, or for any other character.
    public init?(_ text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.bytes = bytes
    }

    /// Decodes digits of either case.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let decoded = HexBytes(try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "expected an even number of hexadecimal digits")
        }
        self = decoded
    }

    /// Encodes the digits as text.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }

    /// The digits, upper case.
    public var description: String { Hexadecimal.string(bytes) }
}

extension HexBytes: ExpressibleByArrayLiteral {
    /// Wraps the bytes of a literal.
    public init(arrayLiteral bytes: UInt8...) { self.init(bytes) }
}
