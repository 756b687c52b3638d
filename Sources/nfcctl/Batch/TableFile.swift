/// How a table is written: what a spreadsheet chooses by language and system.
struct TableDialect: Equatable, Sendable {
    var encoding = TextEncoding.utf8
    var hasMark = false
    var delimiter: Unicode.Scalar = ","
    var lineEnd = "\n"
    /// Whether the first line is `sep=` and the delimiter.
    var declaresDelimiter = false

    /// What precedes the first row.
    var beginning: [UInt8] {
        (hasMark ? encoding.mark : [])
            + (declaresDelimiter ? encoding.bytes(of: "sep=\(delimiter)\(lineEnd)") : [])
    }

    /// A row, with its end.
    func bytes(of fields: [String]) -> [UInt8] {
        encoding.bytes(of: CSVText.line(fields, delimiter: delimiter) + lineEnd)
    }

    /// The delimiter that `--delimiter` names; nil for a text that names none.
    static func delimiter(named name: String) -> Unicode.Scalar? {
        if ["tab", #"\t"#].contains(name.lowercased()) { return "\t" }
        guard let scalar = name.unicodeScalars.first, name.unicodeScalars.count == 1 else { return nil }
        return scalar == "\"" || scalar == "\n" || scalar == "\r" || scalar == "\0" ? nil : scalar
    }
}

/// A table of text whose first row has the names of its columns.
struct TableFile: Equatable {
    let dialect: TableDialect
    let names: [String]
    let rows: [CSVText.Row]
    /// The text of the table as it was decoded, without the line `sep=`.
    let text: String

    /// Parses a table.
    ///
    /// - Parameters:
    ///   - delimiter: the delimiter; nil detects it by the line `sep=` or the line with the names.
    ///   - allowsOpenField: whether the last field may lack its closing quotation mark.
    init(
        _ content: TextContent, delimiter: Unicode.Scalar? = nil, allowsOpenField: Bool = false
    ) throws(CSVError) {
        var dialect = TableDialect(encoding: content.encoding, hasMark: content.hasMark)
        let first = String(content.text.prefix { !["\n", "\r", "\r\n"].contains($0) })
        dialect.lineEnd = Self.lineEnd(content.text)
        var text = content.text
        if let declared = Self.declaredDelimiter(first) {
            dialect.delimiter = delimiter ?? declared
            dialect.declaresDelimiter = true
            text = String(text.dropFirst(first.count).dropFirst())
        } else {
            dialect.delimiter = if let delimiter { delimiter } else { try Self.detected(in: first) }
        }
        let skipped = dialect.declaresDelimiter ? 1 : 0
        var rows: [CSVText.Row]
        do throws(CSVError) {
            rows = try CSVText.table(text, delimiter: dialect.delimiter, allowsOpenField: allowsOpenField)
        } catch {
            throw CSVError(line: error.line + skipped, reason: error.reason)
        }
        self.text = text
        self.dialect = dialect
        let names = rows.isEmpty ? [] : rows.removeFirst().fields
        // Spreadsheets write columns that were used once, and rows.
        let used = (names.lastIndex { !$0.isEmpty } ?? -1) + 1
        self.names = Array(names.prefix(used))
        self.rows = rows.filter { row in row.fields.count < 2 || row.fields.contains { !$0.isEmpty } }.map { row in
            let extra = row.fields.dropFirst(used)
            let fields = extra.allSatisfy(\.isEmpty) ? Array(row.fields.prefix(used)) : row.fields
            return CSVText.Row(
                line: row.line + skipped, offset: row.offset, fields: fields, isLast: row.isLast, isOpen: row.isOpen)
        }
    }

    /// The delimiter of a first line such as `sep=;`, as spreadsheets write and read it.
    private static func declaredDelimiter(_ line: String) -> Unicode.Scalar? {
        let plain = line.filter { $0 != "\"" }
        guard plain.lowercased().hasPrefix("sep=") else { return nil }
        return TableDialect.delimiter(named: String(plain.dropFirst(4)))
    }

    /// The delimiter that occurs in the line with the names; a comma if there is one column.
    private static func detected(in line: String) throws(CSVError) -> Unicode.Scalar {
        var counts: [Unicode.Scalar: Int] = [:]
        var isQuoted = false
        for scalar in line.unicodeScalars {
            if scalar == "\"" { isQuoted.toggle() }
            if !isQuoted, ",;\t".unicodeScalars.contains(scalar) { counts[scalar, default: 0] += 1 }
        }
        guard counts.count > 1 else { return counts.keys.first ?? "," }
        throw CSVError(
            line: 1,
            reason: "the names of the columns contain more than one of comma, semicolon and tab; add --delimiter")
    }

    private static func lineEnd(_ text: String) -> String {
        guard let end = text.unicodeScalars.firstIndex(where: { $0 == "\n" || $0 == "\r" }) else { return "\n" }
        guard text.unicodeScalars[end] == "\r" else { return "\n" }
        let next = text.unicodeScalars.index(after: end)
        return next < text.unicodeScalars.endIndex && text.unicodeScalars[next] == "\n" ? "\r\n" : "\r"
    }
}
