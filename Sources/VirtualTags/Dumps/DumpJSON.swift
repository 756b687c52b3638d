/// As much of JSON (RFC 8259) as dump files need: objects and strings are kept, other values are passed over.
struct JSONReader {
    /// A value.
    enum Value {
        /// Members in order.
        case object([Member])
        case string(String)
        /// A number, a literal or an array.
        case other
    }

    /// A member of an object, with the line of its name.
    struct Member {
        let name: String
        let line: Int
        let value: Value
    }

    /// How deep objects and arrays may be nested.
    static let depthLimit = 8

    private let bytes: [UInt8]
    private var position = 0
    private(set) var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The only value of the text.
    static func read(_ bytes: [UInt8]) throws(DumpError) -> Value {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.unexpected() }
        return value
    }

    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private var next: UInt8? { bytes.indices.contains(position) ? bytes[position] : nil }

    private func unexpected() -> DumpError {
        let rest = bytes.dropFirst(position).prefix(12)
        return DumpError(.invalid(String(decoding: rest, as: UTF8.self)), line: line, field: "JSON")
    }

    private mutating func skipSpace() {
        while let byte = next, Self.isSpace(byte) {
            if byte == 0x0A { line += 1 }
            position += 1
        }
    }

    /// Whether the next character, blanks apart, is this one; it is taken then.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(DumpError) -> Value {
        guard depth < Self.depthLimit else { throw unexpected() }
        if take("{") { return try object(depth: depth) }
        if take("[") { return try array(depth: depth) }
        if take("\"") { return .string(try string()) }
        let start = position
        while let byte = next, byte < 0x80, Self.isLiteral(byte) { position += 1 }
        guard position > start else { throw unexpected() }
        return .other
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private mutating func object(depth: Int) throws(DumpError) -> Value {
        var members: [Member] = []
        if take("}") { return .object(members) }
        repeat {
            guard take("\"") else { throw unexpected() }
            let line = line
            let name = try string()
            guard take(":") else { throw unexpected() }
            members.append(Member(name: name, line: line, value: try value(depth: depth + 1)))
        } while take(",")
        guard take("}") else { throw unexpected() }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(DumpError) -> Value {
        if take("]") { return .other }
        repeat { _ = try value(depth: depth + 1) } while take(",")
        guard take("]") else { throw unexpected() }
        return .other
    }

    /// What is between the quotes.
    private mutating func string() throws(DumpError) -> String {
        var content: [UInt8] = []
        while let byte = next, byte >= 0x20 {
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") { content += try escaped() } else { content.append(byte) }
        }
        throw unexpected()
    }

    /// The character behind a backslash, in UTF-8. Half of a surrogate pair becomes U+FFFD: no field of a dump file has
    /// characters beyond the first 65,536.
    private mutating func escaped() throws(DumpError) -> [UInt8] {
        guard let letter = next else { throw unexpected() }
        position += 1
        switch Unicode.Scalar(letter) {
        case "b": return [0x08]
        case "f": return [0x0C]
        case "n": return [0x0A]
        case "r": return [0x0D]
        case "t": return [0x09]
        case "\"", "\\", "/": return [letter]
        case "u":
            let digits = String(decoding: bytes.dropFirst(position).prefix(4), as: UTF8.self)
            guard let pair = DumpHex.known(digits), pair.count == 2 else { throw unexpected() }
            position += 4
            let scalar = Unicode.Scalar(UInt16(pair[0]) << 8 | UInt16(pair[1]))
            return Array(String(Character(scalar ?? "\u{FFFD}")).utf8)
        default: throw unexpected()
        }
    }
}

/// A JSON text (RFC 8259).
enum JSONText {
    /// A string in quotes.
    static func string(_ text: String) -> String {
        "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    /// An object of strings, a line each, two steps indented.
    static func object(_ members: [(String, String)]) -> String {
        guard !members.isEmpty else { return "{}" }
        let lines = members.map { "    \(string($0.0)): \(string($0.1))" }
        return "{\n\(lines.joined(separator: ",\n"))\n  }"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"", "\\": return "\\\(scalar)"
        case "\u{00}"..."\u{1F}":
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return String(Character(scalar))
        }
    }
}
