import ArgumentParser
import NDEF
import Synchronization

/// A record to which later options may add something.
protocol RecordDraft {
    /// The options that begin such records, as they stand in a sentence.
    static var options: String { get }
    /// The option that began this record.
    var option: String { get }

    /// The record, once no more options follow.
    ///
    /// - Throws: ``OptionMisuse`` where an option is missing, or `NDEFPayloadError`.
    func record() throws -> NDEFRecord
}

/// Puts a message together, option by option.
struct MessageAssembler {
    /// A message that was given whole.
    private(set) var whole: NDEFMessage?

    private var language = "en"
    private var encoding = TextRecord.Encoding.utf8
    /// The option that says how texts are to be written, while none has followed it.
    private var styleWithoutText: String?

    private var records: [NDEFRecord] = []
    private var draft: (any RecordDraft)?
    private var identifier: [UInt8]?

    /// Says in which language texts and titles are from here on.
    mutating func speak(_ language: String) {
        self.language = language
        styleWithoutText = "--language"
    }

    /// Says how texts and titles are stored from here on.
    mutating func store(in encoding: TextRecord.Encoding) {
        self.encoding = encoding
        styleWithoutText = "--encoding"
    }

    /// A text or title.
    mutating func makeText(_ text: String) throws -> TextRecord {
        styleWithoutText = nil
        return try TextRecord(text, language: language, encoding: encoding)
    }

    /// Begins a record.
    mutating func begin(_ draft: any RecordDraft) throws {
        try finish()
        self.draft = draft
    }

    /// Adds a record to which nothing but an identifier can be added.
    mutating func add(_ record: NDEFRecord) throws {
        try begin(FinishedRecord(finished: record))
    }

    /// Changes the record before, which has to be of this kind.
    mutating func change<Draft: RecordDraft>(_: Draft.Type, _ change: (inout Draft) throws -> Void) throws {
        guard var draft = draft as? Draft else { throw OptionMisuse("belongs after \(Draft.options)") }
        try change(&draft)
        self.draft = draft
    }

    /// Gives the record before an identifier.
    mutating func identify(_ identifier: String) throws {
        guard draft != nil else { throw OptionMisuse("belongs after the option of a record") }
        guard self.identifier == nil else { throw OptionMisuse("is given twice for one record") }
        self.identifier = Array(identifier.utf8)
    }

    /// Takes a file: the data of the record before where it waits for some, otherwise a whole message.
    mutating func take(_ file: InputFile) throws {
        if draft is DataDraft {
            return try change(DataDraft.self) { try $0.fill(with: file.read(limit: InputLimits.message)) }
        }
        guard draft == nil, records.isEmpty, whole == nil else {
            throw OptionMisuse("belongs after \(DataDraft.options), or stands for the whole message")
        }
        let content = try file.read(limit: InputLimits.json)
        do throws(Refusal) {
            whole = try MessageJSON().message(in: content)
        } catch {
            Terminal.error("nfcctl: \(file.name): \(error)")
            throw ExitCode.badData
        }
    }

    /// The message; nil where no option gave a record.
    mutating func message() throws -> NDEFMessage? {
        try finish()
        if let option = styleWithoutText {
            throw ValidationError("\(option) belongs before the texts it is for, and none follows")
        }
        guard let whole else { return records.isEmpty ? nil : NDEFMessage(records: records) }
        guard records.isEmpty else { throw ValidationError("--file is the whole message; no record can be added") }
        return whole
    }

    private mutating func finish() throws {
        guard let draft else { return }
        do {
            var record = try draft.record()
            record.identifier = identifier ?? record.identifier
            records.append(record)
        } catch let error as OptionMisuse {
            throw ValidationError("\(draft.option) \(error.reason)")
        } catch let error as NDEFPayloadError {
            throw ValidationError("\(draft.option): \(error.message)")
        }
        self.draft = nil
        identifier = nil
    }
}

/// A record that one option gives whole.
private struct FinishedRecord: RecordDraft {
    static let options = "a record"
    let option = "a record"
    let finished: NDEFRecord

    func record() -> NDEFRecord { finished }
}

/// What one option does to the message that is being put together, and its place on the command line.
///
/// The parser keeps no order between different options. But it calls their transforms in the order of the command line, and
/// so each gets a number there.
struct PlacedStep: Sendable {
    private static let count = Atomic(0)

    fileprivate let place = Self.count.add(1, ordering: .relaxed).newValue
    private let option: String
    private let change: @Sendable (inout MessageAssembler) throws -> Void

    /// The transform of an option.
    ///
    /// - Parameter change: is given the option's value, and later the message as far as the options before it made it.
    static func named(
        _ option: String, _ change: @escaping @Sendable (String, inout MessageAssembler) throws -> Void
    ) -> @Sendable (String) -> PlacedStep {
        { value in PlacedStep(option: option) { try change(value, &$0) } }
    }

    private init(option: String, _ change: @escaping @Sendable (inout MessageAssembler) throws -> Void) {
        self.option = option
        self.change = change
    }

    /// - Throws: `ValidationError` with the option's name, or `ExitCode` where a file is the trouble.
    func apply(to message: inout MessageAssembler) throws {
        do {
            try change(&message)
        } catch let error as NDEFPayloadError {
            throw ValidationError("\(option): \(error.message)")
        } catch let error as OptionMisuse {
            throw ValidationError("\(option) \(error.reason)")
        }
    }
}

extension [PlacedStep] {
    /// The steps in the order of the command line.
    var inOrder: [PlacedStep] { sorted { $0.place < $1.place } }
}

/// Why an option cannot stand where it stands, or cannot have its value: what follows the option's name in a sentence.
struct OptionMisuse: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
