/// Reads lines of TOML as far as it matters for what is in them: comments are left out, and a value of several lines stays that of its
/// key.
struct SettingsScanner {
    enum Line {
        case empty
        case table(String)
        case value(key: String, String)
        /// A further line of a value.
        case continued(key: String, String)
        /// Any other line.
        case other
    }

    private var key = ""
    /// Brackets and braces that are open.
    private var depth = 0
    /// The quotation marks that end a string of several lines.
    private var quotes: String?

    mutating func next(_ line: Substring) -> Line {
        let isInString = quotes != nil
        let isContinued = isInString || depth > 0
        let code = code(of: line)
        if isInString { return .other }
        if isContinued { return code.isEmpty ? .empty : .continued(key: key, code) }
        if code.isEmpty { return .empty }
        if code.hasPrefix("[") {
            (depth, quotes) = (0, nil)
            return .table(code)
        }
        let parts = code.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0]).trimmed
        guard parts.count == 2, name.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) }) else {
            key = ""
            return .other
        }
        key = String(name)
        return .value(key: key, String(String(parts[1]).trimmed))
    }

    /// A line without its comment and the blanks around it. Follows brackets and strings.
    private mutating func code(of line: Substring) -> String {
        var code = ""
        var rest = line
        /// The quotation mark of a string that ends in its line.
        var quote: Character?
        /// Where a string that is open began.
        var opening = 0
        while let character = rest.first {
            var count = 1
            if let end = quotes {
                if character == "\\", end.first == "\"" {
                    count = 2
                } else if rest.hasPrefix(end) {
                    (count, quotes) = (3, nil)
                }
            } else if let end = quote {
                if character == "\\", end == "\"" { count = 2 } else if character == end { quote = nil }
            } else if character == "#" {
                break
            } else if character == "\"" || character == "'" {
                opening = code.count
                let triple = String(repeating: character, count: 3)
                if rest.hasPrefix(triple) { (count, quotes) = (3, triple) } else { quote = character }
            } else if "[{".contains(character) {
                depth += 1
            } else if "]}".contains(character) {
                depth = max(0, depth - 1)
            }
            code += rest.prefix(count)
            rest = rest.dropFirst(count)
        }
        // What follows a quotation mark without its counterpart may be a comment.
        return String((quote == nil && quotes == nil ? code : String(code.prefix(opening))).trimmed)
    }
}
