import ArgumentParser
import NDEF
import Synchronization

/// A record that later options may complete.
protocol RecordDraft {
    /// The options that begin such records, as an enumeration in a sentence.
    static var options: String { get }
    /// The option that began this record.
    var option: String { get }

    /// The complete record.
    ///
    /// - Throws: ``OptionError`` if an option is missing, or `NDEFPayloadError`.
    func record() throws -> NDEFRecord
}

/// Builds a message from options.
struct MessageAssembler {
    /// A message from a file, which cannot be combined with records.
    private var messageFromFile: NDEFMessage?

    private var language = "en"
    private var encoding = TextRecord.Encoding.utf8
    /// The last option for the language or encoding, until a text follows.
    private var optionWithoutText: String?

    private var records: [NDEFRecord] = []
    private var draft: (any RecordDraft)?
    private var identifier: [UInt8]?

    /// Whether the values are from a table, whose encoding `--encoding` may name.
    var hasTable = false

    /// What is probably a mistake: valid NDEF, but of no use to most programs.
    private(set) var doubts: [String] = []

    /// Adds a doubt about an option.
    mutating func addDoubt(_ doubt: String) { doubts.append(doubt) }

    /// Sets the language of the following texts and titles.
    mutating func setLanguage(_ language: String) {
        self.language = language
        optionWithoutText = "--language"
    }

    /// Sets the encoding of the following texts and titles.
    mutating func setEncoding(_ encoding: TextRecord.Encoding) {
        self.encoding = encoding
        optionWithoutText = "--encoding"
    }

    /// Creates a text or title in the current language and encoding.
    mutating func makeText(_ text: String) throws -> TextRecord {
        optionWithoutText = nil
        return try TextRecord(text, language: language, encoding: encoding)
    }

    /// Begins a record.
    mutating func begin(_ draft: any RecordDraft) throws {
        try finish()
        self.draft = draft
    }

    /// Adds a complete record; only an identifier may be added to it.
    mutating func add(_ record: NDEFRecord) throws {
        try begin(FinishedRecord(finished: record))
    }

    /// Changes the last record.
    ///
    /// - Throws: ``OptionError`` if the last record is of another kind.
    mutating func change<Draft: RecordDraft>(_: Draft.Type, _ change: (inout Draft) throws -> Void) throws {
        guard var draft = draft as? Draft else { throw OptionError("must follow \(Draft.options)") }
        try change(&draft)
        self.draft = draft
    }

    /// Sets the identifier of the last record.
    mutating func setIdentifier(_ identifier: String) throws {
        guard draft != nil else { throw OptionError("must follow the option for a record") }
        guard self.identifier == nil else { throw OptionError("was given twice for one record") }
        self.identifier = Array(identifier.utf8)
    }

    /// Adds a file: the data of the last record if that record has data, otherwise a whole message.
    mutating func addFile(_ file: InputFile) throws {
        if draft is DataDraft {
            return try change(DataDraft.self) { try $0.setData(file.read(limit: InputLimits.message)) }
        }
        guard draft == nil, records.isEmpty, messageFromFile == nil else {
            throw OptionError("must follow \(DataDraft.options), or be the whole message")
        }
        let content = try file.read(limit: InputLimits.json)
        do throws(MessageError) {
            messageFromFile = try MessageJSON().messageOrTag(in: content)
        } catch {
            Terminal.error("nfcctl: \(file.name): \(error)")
            throw ExitCode.badData
        }
    }

    /// The message; nil if no option added a record.
    mutating func message() throws -> NDEFMessage? {
        try finish()
        if let option = optionWithoutText {
            throw ValidationError("\(option) must precede the texts that it applies to, but no text follows")
        }
        guard let messageFromFile else { return records.isEmpty ? nil : NDEFMessage(records: records) }
        guard records.isEmpty else { throw ValidationError("--file is the whole message; no record can be added") }
        return messageFromFile
    }

    private mutating func finish() throws {
        guard let draft else { return }
        do {
            var record = try draft.record()
            record.identifier = identifier ?? record.identifier
            records.append(record)
        } catch let error as OptionError {
            throw ValidationError("\(draft.option) \(error.reason)")
        } catch let error as NDEFPayloadError {
            throw ValidationError("\(draft.option): \(error.message)")
        }
        self.draft = nil
        identifier = nil
    }
}

/// A record that a single option defines.
private struct FinishedRecord: RecordDraft {
    static let options = "a record"
    let option = "a record"
    let finished: NDEFRecord

    func record() -> NDEFRecord { finished }
}

/// An option for a message: its effect, and its position on the command line.
///
/// The argument parser does not preserve the order of different options. However, it calls their transforms in the order of
/// the command line, so each transform takes the next number as its position.
struct OrderedOption: Sendable {
    private static let count = Atomic(0)

    fileprivate let position = Self.count.add(1, ordering: .relaxed).newValue
    private let option: String
    private let value: String
    private let change: @Sendable (String, inout MessageAssembler) throws -> Void

    /// The encoding of a table that `--encoding` names; nil for every other option.
    var tableEncoding: TextEncoding? { option == "--encoding" ? TextEncoding(ofTable: value) : nil }

    /// The transform for an option.
    ///
    /// - Parameter change: applies the option's value to the message.
    static func named(
        _ option: String, _ change: @escaping @Sendable (String, inout MessageAssembler) throws -> Void
    ) -> @Sendable (String) -> OrderedOption {
        { value in OrderedOption(option: option, value: value, change: change) }
    }

    private init(
        option: String, value: String, change: @escaping @Sendable (String, inout MessageAssembler) throws -> Void
    ) {
        (self.option, self.value, self.change) = (option, value, change)
    }

    /// Applies the option to the message.
    ///
    /// - Parameter values: replace the placeholders in the option's value.
    /// - Throws: `ValidationError` with the option's name, or `ExitCode` if a file cannot be used.
    func apply(to message: inout MessageAssembler, values: RowValues? = nil) throws {
        do {
            try change(values?.filling(value) ?? value, &message)
        } catch let error as PlaceholderError {
            throw ValidationError("\(option): \(error.reason)")
        } catch let error as NDEFPayloadError {
            throw ValidationError("\(option): \(error.message)")
        } catch let error as OptionError {
            throw ValidationError("\(option) \(error.reason)")
        }
    }
}

extension [OrderedOption] {
    /// The options in the order of the command line.
    var inOrder: [OrderedOption] { sorted { $0.position < $1.position } }
}

/// The reason why an option is not allowed at its position or with its value; completes a sentence that begins with the
/// option's name.
struct OptionError: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
