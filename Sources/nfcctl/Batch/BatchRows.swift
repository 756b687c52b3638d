import ArgumentParser
import FoundationEssentials
import NDEF
import NFCProtocol

/// Makes the rows of a batch from its options. Every row is encoded before the first tag is written, so that an error in the
/// last one is found in time.
struct BatchRows {
    /// A row before its message is made.
    private enum Source {
        case values(RowValues)
        /// With the columns that it was made of.
        case message(NDEFMessage, [String: String])

        var columns: [String: String] {
            switch self {
            case .values(let values): values.columns
            case .message(_, let columns): columns
            }
        }
    }

    private let options: BatchOptions
    private let content: NDEFOptions
    private let acceptsDoubts: Bool

    init(_ options: BatchOptions, content: NDEFOptions, acceptsDoubts: Bool) {
        (self.options, self.content, self.acceptsDoubts) = (options, content, acceptsDoubts)
    }

    /// How a report of the batch is written: as its table, or as usual.
    ///
    /// - Throws: `ExitCode`, after printing the reason.
    func reportStyle() throws -> (dialect: TableDialect, columns: [String]) {
        let added = options.setUp.profile == nil ? [] : BatchSetUp.columns
        guard let csv = options.csv, csv != "-" else { return (TableDialect(), added) }
        let table = try Self.table(
            InputFile(path: csv), delimiter: options.delimiter, declared: content.tableEncoding)
        if let name = table.names.first(where: added.contains) {
            throw Self.invalid("\(csv.escaped): the report has its own column '\(name)'. Give yours another name.")
        }
        // A report is passed on, and a password is not.
        return (table.dialect, table.names.filter { $0 != options.setPasswordColumn } + added)
    }

    /// The rows, with consecutive numbers.
    ///
    /// - Throws: `ExitCode`, after printing which option, file or line is invalid.
    func rows() throws -> [BatchRow] {
        let template = try options.template.map { try Template(file: InputFile(path: $0)) }
        if template != nil, content.isGiven {
            throw usage("--template is the whole message; it cannot be combined with options for records")
        }
        let haveMessages = template == nil && !content.isGiven
        let sources = try sources(haveMessages: haveMessages && options.setUp.profile == nil)
        guard sources.count <= BatchLimits.rows else {
            throw Self.invalid("the batch has \(sources.count) rows; the limit is \(BatchLimits.rows). Split the file.")
        }
        guard !sources.isEmpty else { throw Self.invalid("the batch has no rows") }
        let first = options.from ?? 1
        return try sources.enumerated().map { offset, source in
            var columns = source.columns
            let password = try options.setPasswordColumn.map { try Self.password(in: $0, of: columns, row: offset + 1) }
            if let name = options.setPasswordColumn { columns[name] = nil }
            return BatchRow(
                number: first + offset, bytes: try bytes(of: source, offset, template), columns: columns,
                password: password)
        }
    }

    /// The password of a row.
    private static func password(in name: String, of columns: [String: String], row: Int) throws -> HexBytes {
        guard let text = columns[name] else { throw Self.invalid("row \(row) has no column '\(name.escaped)'") }
        guard let password = HexBytes(typed: text), [4, 16].contains(password.bytes.count) else {
            throw Self.invalid(
                "row \(row), column '\(name.escaped)': it is not a password of 4 bytes or an AES key of 16 in hexadecimal"
            )
        }
        return password
    }

    private func bytes(of source: Source, _ offset: Int, _ template: Template?) throws -> [UInt8] {
        do {
            switch source {
            case .message(let message, _): return try message.encoded()
            case .values(let values):
                if let template { return try template.message(values).encoded() }
                if let bytes = try content.message(for: "write", acceptsDoubts: acceptsDoubts, values: values) {
                    return bytes
                }
                // The profile brings the message, or there is none.
                if options.setUp.profile != nil { return [] }
                throw usage("no message given; give one such as --uri 'https://example.com/{n}'")
            }
        } catch let code as ExitCode {
            if options.count == nil { Terminal.error("This is row \(offset + 1).") }
            throw code
        } catch let error as PlaceholderError {
            throw Self.invalid("--template: \(error.reason)")
        } catch {
            throw Self.invalid("row \(offset + 1) cannot be encoded: \(error)")
        }
    }

    private func sources(haveMessages: Bool) throws -> [Source] {
        let first = options.from ?? 1
        if let csv = options.csv { return try records(inCSV: InputFile(path: csv), first, haveMessages) }
        if let path = options.jsonLines { return try records(inLines: InputFile(path: path), first, haveMessages) }
        return (0..<(options.count ?? 0)).map { .values(RowValues(number: first + $0)) }
    }

    // MARK: CSV

    private func records(inCSV file: InputFile, _ first: Int, _ haveMessages: Bool) throws -> [Source] {
        let table = try Self.namedTable(file, delimiter: options.delimiter, declared: content.tableEncoding)
        return try Self.columns(of: table, in: file).enumerated().map { offset, columns in
            if haveMessages { return .message(try message(of: columns, file, row: offset + 1), columns) }
            return .values(RowValues(number: first + offset, columns: columns))
        }
    }

    /// A table whose columns have their own names.
    ///
    /// - Throws: `ExitCode`, after printing the line and the reason.
    static func namedTable(_ file: InputFile, delimiter: String?, declared: TextEncoding?) throws -> TableFile {
        let table = try table(file, delimiter: delimiter, declared: declared)
        let names = table.names
        if let name = names.first(where: { name in name.isEmpty || names.count { $0 == name } > 1 }) {
            let problem = name.isEmpty ? "a column has no name" : "two columns have the name '\(name.escaped)'"
            throw Self.invalid("\(file.name): \(problem). Give each column its own name in the first line.")
        }
        return table
    }

    /// The values of each row by column, as many rows as a batch may have.
    ///
    /// - Throws: `ExitCode`, after printing the line and the reason.
    static func columns(of table: TableFile, in file: InputFile) throws -> [[String: String]] {
        try table.rows.enumerated().map { offset, row in
            guard row.fields.count == table.names.count else {
                throw Self.invalid(
                    "\(file.name), line \(row.line), row \(offset + 1): \(row.fields.count) fields for \(table.names.count) columns"
                )
            }
            return Dictionary(zip(table.names, row.fields)) { $1 }
        }
    }

    /// The table of `--csv`.
    ///
    /// - Throws: `ExitCode`, after printing the line and the reason.
    private static func table(_ file: InputFile, delimiter: String?, declared: TextEncoding?) throws -> TableFile {
        let text = try file.readText(limit: BatchLimits.file, declared: declared, advice: encodingAdvice)
        do throws(CSVError) {
            return try TableFile(text, delimiter: delimiter.flatMap(TableDialect.delimiter(named:)))
        } catch {
            Terminal.error("nfcctl: \(file.name), line \(error.line): \(error.reason)")
            throw ExitCode.badData
        }
    }

    private static let encodingAdvice =
        "Save the file as UTF-8, or name its encoding with --encoding: \(TextEncoding.declared)."

    /// The message of a row whose columns are the records themselves.
    private func message(of columns: [String: String], _ file: InputFile, row: Int) throws -> NDEFMessage {
        var records: [NDEFRecord] = []
        do {
            if let uri = columns["uri"], !uri.isEmpty { records.append(try .uri(uri)) }
            if let text = columns["text"], !text.isEmpty {
                records.append(NDEFRecord(try TextRecord(text, language: "en")))
            }
        } catch {
            throw Self.invalid("\(file.name), row \(row): \(error)")
        }
        if let uri = columns["uri"], let doubt = URIDoubt(uri), !uri.isEmpty, !acceptsDoubts {
            throw Self.invalid("\(file.name), row \(row): \(uri.escaped): \(doubt.text), or add --force")
        }
        if records.isEmpty {
            throw Self.invalid(
                "\(file.name), row \(row): no message; name a column uri or text, or use columns in options such as --uri 'https://example.com/{id}'"
            )
        }
        return NDEFMessage(records: records)
    }

    // MARK: JSON lines

    private func records(inLines file: InputFile, _ first: Int, _ haveMessages: Bool) throws -> [Source] {
        let text = try file.readText(
            limit: BatchLimits.file, declared: content.tableEncoding, advice: Self.encodingAdvice
        ).text
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).filter {
            !$0.allSatisfy { " \t\r".utf8.contains($0) }
        }
        return try lines.enumerated().map { offset, line in
            let (line, row) = (Array(line), offset + 1)
            let columns = try? JSONDecoder().decode([String: JSONValue].self, from: Data(line))
            if haveMessages, columns?.isMessage != true, let values = columns?.compactMapValues(\.placeholderValue),
                values["uri"] != nil || values["text"] != nil
            {
                return .message(try message(of: values, file, row: row), values)
            }
            do throws(MessageError) {
                if haveMessages { return .message(try MessageJSON().messageOrTag(in: line), [:]) }
            } catch {
                throw Self.invalid("\(file.name), row \(row): \(error)")
            }
            guard let columns else { throw Self.invalid("\(file.name), row \(row): it is not a JSON object") }
            return .values(RowValues(number: first + offset, columns: columns.compactMapValues(\.placeholderValue)))
        }
    }

    private static func invalid(_ text: String) -> ExitCode {
        Terminal.error("nfcctl: \(text)")
        return .badData
    }

    private func usage(_ text: String) -> ExitCode {
        Terminal.error("Error: \(text)\n  See 'nfcctl write --help' for more information.")
        return .validationFailure
    }
}

/// A message in the JSON form whose texts have placeholders.
private struct Template {
    private let value: JSONValue

    init(file: InputFile) throws {
        let content = try file.readText(limit: InputLimits.json).text
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(content.utf8)) else {
            Terminal.error("nfcctl: \(file.name) is not JSON")
            throw ExitCode.badData
        }
        self.value = value
    }

    /// - Throws: `PlaceholderError`, `MessageError`.
    func message(_ values: RowValues) throws -> NDEFMessage {
        try MessageJSON().messageOrTag(in: Array(JSONEncoder().encode(value.filled(values))))
    }
}

extension [String: JSONValue] {
    /// Whether it is a message or the line of a tag, rather than values.
    fileprivate var isMessage: Bool { self["records"] != nil || self["event"] != nil || self["message"] != nil }
}

extension JSONValue {
    /// The value with the placeholders of its texts replaced; the names of members stay.
    fileprivate func filled(_ values: RowValues) throws(PlaceholderError) -> JSONValue {
        switch self {
        case .string(let text): return .string(try values.filling(text))
        case .array(let elements):
            var filled: [JSONValue] = []
            for element in elements { filled.append(try element.filled(values)) }
            return .array(filled)
        case .object(let members):
            var filled: [String: JSONValue] = [:]
            for (name, member) in members { filled[name] = try member.filled(values) }
            return .object(filled)
        case .null, .bool, .integer, .number: return self
        }
    }

    /// The text that takes the place of a placeholder; nil for arrays, objects and null.
    fileprivate var placeholderValue: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .null, .array, .object: nil
        }
    }
}
