public import FoundationEssentials

/// One JSON value on one line: how everything travels on the socket.
public enum JSONLine {
    /// The longest line either side accepts, in bytes without the newline.
    public static let maximumLength = 1_048_576

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// The value as one line, with its newline. Keys are sorted, so that output is stable.
    public static func encode(_ value: some Encodable) throws -> Data {
        var line = try json(value)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The value, without a newline.
    static func json(_ value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    /// The value in a line.
    ///
    /// - Throws: `DecodingError`, with the path of what is wrong.
    public static func decode<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
        try JSONDecoder().decode(type, from: line)
    }
}
