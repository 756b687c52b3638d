public import FoundationEssentials

/// One JSON value on one line: how everything travels on the socket.
public enum JSONLine {
    /// The longest line either side accepts, in bytes without the newline.
    public static let maximumLength = 1_048_576

    /// The value as one line, with its newline. Keys are sorted, so that output is stable.
    public static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line = try encoder.encode(value)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The value in a line.
    ///
    /// - Throws: `DecodingError`, with the path of what is wrong.
    public static func decode<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
        try JSONDecoder().decode(type, from: line)
    }
}
