/// JSON (RFC 8259) as it is written.
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
