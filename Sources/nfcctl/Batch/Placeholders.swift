/// The values of one row of a batch, which take the place of placeholders such as `{n:05}` and `{name}`.
struct RowValues: Equatable {
    /// The value of `{n}`.
    let number: Int
    /// The values of the columns, by name.
    var columns: [String: String] = [:]

    /// Replaces the placeholders of a text.
    ///
    /// `{n}` is the number; `{n:05}` has at least five digits, `{n:x}`, `{n:X}` and `{n:04x}` are hexadecimal; `{name}` is the
    /// value of a column. `{{` and `}}` are braces.
    ///
    /// - Throws: ``PlaceholderError`` for a placeholder that has no value, and for a single brace.
    func filling(_ text: String) throws(PlaceholderError) -> String {
        guard text.contains(where: { "{}".contains($0) }) else { return text }
        var result = ""
        var rest = text[...]
        while let brace = rest.firstIndex(where: { "{}".contains($0) }) {
            result += rest[..<brace]
            let after = rest.index(after: brace)
            if after < rest.endIndex, rest[after] == rest[brace] {
                result.append(rest[brace])
                rest = rest[rest.index(after: after)...]
                continue
            }
            guard rest[brace] == "{", let end = rest[after...].firstIndex(of: "}") else {
                throw PlaceholderError("'\(text)' has a single brace; write {{ or }} for a brace")
            }
            result += try value(of: String(rest[after..<end]))
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private func value(of placeholder: String) throws(PlaceholderError) -> String {
        if let value = columns[placeholder] { return value }
        if placeholder == "n" { return "\(number)" }
        if placeholder.hasPrefix("n:") { return try formatted(placeholder.dropFirst(2)) }
        let known = (["n"] + columns.keys.sorted()).map { "{\($0)}" }.joined(separator: ", ")
        throw PlaceholderError("{\(placeholder)} has no value; there are \(known)")
    }

    private func formatted(_ format: Substring) throws(PlaceholderError) -> String {
        guard let match = format.wholeMatch(of: /(?:0([1-9][0-9]?))?([xX]?)/), !format.isEmpty else {
            throw PlaceholderError("{n:\(format)} is not a format; write {n:05} for five digits, {n:x} for hexadecimal")
        }
        let isHexadecimal = !match.output.2.isEmpty
        let digits = String(number, radix: isHexadecimal ? 16 : 10, uppercase: match.output.2 == "X")
        let width = match.output.1.flatMap { Int($0) } ?? 0
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Why placeholders cannot be replaced.
struct PlaceholderError: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
