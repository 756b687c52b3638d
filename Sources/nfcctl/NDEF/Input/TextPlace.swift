import NDEF

/// A place in a text, as people count: `character 7`, or `line 2, character 3`.
struct TextPlace: CustomStringConvertible {
    let description: String
    /// The character that stands there, quoted.
    let found: String

    init(_ position: Int, in text: ArraySlice<UInt8>) {
        let before = text[..<min(max(position, text.startIndex), text.endIndex)]
        let newline = UInt8(ascii: "\n")
        let lines = before.count { $0 == newline }
        let column = before.count - (before.lastIndex(of: newline).map { $0 + 1 - before.startIndex } ?? 0) + 1
        description = lines == 0 ? "character \(column)" : "line \(lines + 1), character \(column)"
        // A character of UTF-8 has at most four bytes.
        let rest = String(decoding: text[before.endIndex...].prefix(4), as: UTF8.self)
        found = "\"\(rest.unicodeScalars.first.map { String($0).escaped } ?? "")\""
    }
}
