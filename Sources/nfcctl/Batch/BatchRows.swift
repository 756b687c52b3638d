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
        case message(NDEFMessage)
    }

    private let options: BatchOptions
    private let content: NDEFOptions
    private let acceptsDoubts: Bool

    init(_ options: BatchOptions, content: NDEFOptions, acceptsDoubts: Bool) {
        (self.options, self.content, self.acceptsDoubts) = (options, content, acceptsDoubts)
    }

    /// The rows, with consecutive numbers.
    ///
    /// - Throws: `ExitCode`, after printing which option, file or line is invalid.
    func rows() throws -> [BatchRow] {
        let template = try options.template.map { try Template(file: InputFile(path: $0)) }
        if template != nil, content.isGiven {
            throw usage("--template is the whole message; it cannot be combined with options for records")
        }
        let sources = try sources(haveMessages: template == nil && !content.isGiven)
        guard sources.count <= BatchLimits.rows else {
            throw invalid("the batch has \(sources.count) rows; the limit is \(BatchLimits.rows). Split the file.")
        }
        guard !sources.isEmpty else { throw invalid("the batch has no rows") }
        let first = options.from ?? 1
        return try sources.enumerated().map { offset, source in
            BatchRow(number: first + offset, bytes: try bytes(of: source, offset, template))
        }
    }

    private func bytes(of source: Source, _ offset: Int, _ template: Template?) throws -> [UInt8] {
        do {
            switch source {
            case .message(let message): return try message.encoded()
            case .values(let values):
                if let template { return try template.message(values).encoded() }
                if let bytes = try content.message(for: "write", acceptsDoubts: acceptsDoubts, values: values) {
                    return bytes
                }
                throw usage("no message given; give one such as --uri 'https://example.com/{n}'")
            }
        } catch let code as ExitCode {
            if options.count == nil { Terminal.error("This is row \(offset + 1).") }
            throw code
        } catch let error as PlaceholderError {
            throw invalid("--template: \(error.reason)")
        } catch {
            throw invalid("row \(offset + 1) cannot be encoded: \(error)")
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
        let text = String(decoding: try file.read(limit: BatchLimits.file), as: UTF8.self)
        var rows: [[String]]
        do throws(CSVError) {
            rows = try CSVText.rows(text)
        } catch {
            throw invalid("\(file.name), line \(error.line): \(error.reason)")
        }
        guard !rows.isEmpty else { return [] }
        let names = rows.removeFirst()
        if let name = names.first(where: { name in name.isEmpty || names.count { $0 == name } > 1 }) {
            throw invalid("\(file.name): each column needs a name of its own; '\(name.escaped)' is none")
        }
        return try rows.enumerated().map { offset, fields in
            guard fields.count == names.count else {
                throw invalid("\(file.name), row \(offset + 1): \(fields.count) fields for \(names.count) columns")
            }
            let columns = Dictionary(zip(names, fields)) { $1 }
            if haveMessages { return .message(try message(of: columns, file, row: offset + 1)) }
            return .values(RowValues(number: first + offset, columns: columns))
        }
    }

    /// The message of a row whose columns are the records themselves.
    private func message(of columns: [String: String], _ file: InputFile, row: Int) throws -> NDEFMessage {
        var records: [NDEFRecord] = []
        do {
            if let uri = columns["uri"], !uri.isEmpty { records.append(try .uri(uri)) }
            if let text = columns["text"], !text.isEmpty {
                records.append(NDEFRecord(try TextRecord(text, language: "en")))
            }
        } catch {
            throw invalid("\(file.name), row \(row): \(error)")
        }
        if let uri = columns["uri"], let doubt = URIDoubt(uri), !uri.isEmpty, !acceptsDoubts {
            throw invalid("\(file.name), row \(row): \(uri.escaped): \(doubt.text), or add --force")
        }
        if records.isEmpty {
            throw invalid(
                "\(file.name), row \(row): no message; name a column uri or text, or use columns in options such as --uri 'https://example.com/{id}'"
            )
        }
        return NDEFMessage(records: records)
    }

    // MARK: JSON lines

    private func records(inLines file: InputFile, _ first: Int, _ haveMessages: Bool) throws -> [Source] {
        let lines = try file.read(limit: BatchLimits.file).split(separator: UInt8(ascii: "\n")).filter {
            !$0.allSatisfy { " \t\r".utf8.contains($0) }
        }
        return try lines.enumerated().map { offset, line in
            do {
                if haveMessages { return .message(try MessageJSON().messageOrTag(in: Array(line))) }
                let object = try JSONDecoder().decode([String: JSONValue].self, from: Data(line))
                return .values(RowValues(number: first + offset, columns: object.compactMapValues(\.placeholderValue)))
            } catch let error as MessageError {
                throw invalid("\(file.name), row \(offset + 1): \(error)")
            } catch {
                throw invalid("\(file.name), row \(offset + 1): it is not a JSON object")
            }
        }
    }

    private func invalid(_ text: String) -> ExitCode {
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
        let content = try file.read(limit: InputLimits.json)
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(content)) else {
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
