/// Text of comma-separated values (RFC 4180), also with another delimiter.
enum CSVText {
    /// A row, and where it begins.
    struct Row: Equatable {
        /// Counted from 1.
        let line: Int
        /// The offset of its first character, in Unicode scalars.
        let offset: Int
        let fields: [String]
        /// Whether the text ends within it: after it there is no line end.
        let isLast: Bool
        /// Whether the text ends within a field in quotation marks.
        let isOpen: Bool
    }

    /// The fields of the rows of a text.
    ///
    /// - Throws: ``CSVError``, as ``table(_:delimiter:allowsOpenField:)`` does.
    static func rows(_ text: String, delimiter: Unicode.Scalar = ",") throws(CSVError) -> [[String]] {
        try table(text, delimiter: delimiter).map(\.fields)
    }

    /// The rows of a text. Lines end with LF, CRLF or CR; the last one need not. Empty lines are skipped.
    ///
    /// - Parameter allowsOpenField: whether the last field may lack its closing quotation mark.
    /// - Throws: ``CSVError`` for a quotation mark inside a field without quotation marks, and for a field that is not closed.
    static func table(
        _ text: String, delimiter: Unicode.Scalar = ",", allowsOpenField: Bool = false
    ) throws(CSVError) -> [Row] {
        var parser = CSVParser(delimiter: delimiter)
        // A byte order mark, as spreadsheets write it.
        for scalar in text.unicodeScalars.drop(while: { $0 == "\u{FEFF}" }) { try parser.take(scalar) }
        return try parser.finish(allowsOpenField: allowsOpenField)
    }

    /// A row as a line, without its end. Fields with delimiters, quotation marks or line ends are quoted.
    static func line(_ fields: [String], delimiter: Unicode.Scalar = ",") -> String {
        fields.map { field in
            let isPlain = field.unicodeScalars.allSatisfy { $0 != delimiter && !"\"\r\n".unicodeScalars.contains($0) }
            return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: String(delimiter))
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

    private let delimiter: Unicode.Scalar
    private var state = State.start
    private var rows: [CSVText.Row] = []
    private var row: [String] = []
    private var field = ""
    private var line = 1
    private var offset = 0
    private var start = (line: 1, offset: 0)
    private var isAfterCarriageReturn = false

    init(delimiter: Unicode.Scalar) {
        self.delimiter = delimiter
    }

    mutating func take(_ scalar: Unicode.Scalar) throws(CSVError) {
        defer {
            isAfterCarriageReturn = scalar == "\r"
            offset += 1
        }
        // The second half of a line end.
        if scalar == "\n", isAfterCarriageReturn, state != .quoted {
            start = (line, offset + 1)
            return
        }
        if scalar == "\r" || scalar == "\n" && !isAfterCarriageReturn { line += 1 }
        switch (state, scalar) {
        case (.quoted, "\""): state = .closing
        case (.quoted, _): field.unicodeScalars.append(scalar)
        case (.closing, "\""): (state, field) = (.quoted, field + "\"")
        case (.start, "\""): state = .quoted
        case (_, delimiter): endField()
        case (_, "\n"), (_, "\r"): endRow(isLast: false)
        case (.closing, _): throw CSVError(line: line, reason: "a quotation mark is followed by other text")
        case (_, "\""):
            throw CSVError(line: line, reason: "a quotation mark in a field that does not begin with one")
        default:
            state = .plain
            field.unicodeScalars.append(scalar)
        }
    }

    mutating func finish(allowsOpenField: Bool) throws(CSVError) -> [CSVText.Row] {
        if state == .quoted, !allowsOpenField {
            throw CSVError(line: line, reason: "a field is not closed by a quotation mark")
        }
        endRow(isLast: true)
        return rows
    }

    private mutating func endField() {
        row.append(field)
        (state, field) = (.start, "")
    }

    private mutating func endRow(isLast: Bool) {
        let (isEmpty, isOpen) = (state == .start && row.isEmpty, state == .quoted)
        endField()
        if !isEmpty {
            rows.append(
                CSVText.Row(line: start.line, offset: start.offset, fields: row, isLast: isLast, isOpen: isOpen))
        }
        row = []
        start = (line, offset + 1)
    }
}
