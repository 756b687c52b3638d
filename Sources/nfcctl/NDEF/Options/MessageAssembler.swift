import ArgumentParser
import NDEF

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
