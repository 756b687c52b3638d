/// Text of comma-separated values (RFC 4180).
enum CSVText {
    /// The rows of a text. Lines end with LF or CRLF; the last one need not. Empty lines are skipped.
    ///
    /// - Throws: ``CSVError`` for a quotation mark inside a field without quotation marks, and for a field that is not closed.
    static func rows(_ text: String) throws(CSVError) -> [[String]] {
        var parser = CSVParser()
        // A byte order mark, as spreadsheets write it.
        for scalar in text.unicodeScalars.drop(while: { $0 == "\u{FEFF}" }) { try parser.take(scalar) }
        return try parser.finish()
    }

    /// A row as a line, without its end. Fields with commas, quotation marks or line ends are quoted.
    static func line(_ fields: [String]) -> String {
        fields.map { field in
            let isPlain = field.unicodeScalars.allSatisfy { !",\"\r\n".unicodeScalars.contains($0) }
            return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: ",")
    }
}

/// The line of a text that is not valid CSV, and why.
struct CSVError: Error, Equatable {
    /// Counted from 1.
    let line: Int
    let reason: String
}

private struct CSVParser {
    private enum State {
        case start, plain, quoted
        /// After a quotation mark in a quoted field: its end, or the first half of a quotation mark.
        case closing
    }

    private var state = State.start
    private var rows: [[String]] = []
    private var row: [String] = []
    private var field = ""
    private var line = 1

    mutating func take(_ scalar: Unicode.Scalar) throws(CSVError) {
        switch (state, scalar) {
        case (.quoted, "\""): state = .closing
        case (.quoted, _): add(scalar)
        case (.closing, "\""): (state, field) = (.quoted, field + "\"")
        case (.start, "\""): state = .quoted
        case (_, ","): endField()
        case (_, "\n"): endRow()
        case (_, "\r"): break
        case (.closing, _): throw CSVError(line: line, reason: "a quotation mark is followed by other text")
        case (_, "\""):
            throw CSVError(line: line, reason: "a quotation mark in a field that does not begin with one")
        default: (state, field) = (.plain, field + String(scalar))
        }
        if scalar == "\n" { line += 1 }
    }

    mutating func finish() throws(CSVError) -> [[String]] {
        if state == .quoted { throw CSVError(line: line, reason: "a field is not closed by a quotation mark") }
        endRow()
        return rows
    }

    private mutating func add(_ scalar: Unicode.Scalar) { field.unicodeScalars.append(scalar) }

    private mutating func endField() {
        row.append(field)
        (state, field) = (.start, "")
    }

    private mutating func endRow() {
        let isEmpty = state == .start && row.isEmpty
        endField()
        if !isEmpty { rows.append(row) }
        row = []
    }
}
