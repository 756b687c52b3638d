import ArgumentParser
import NDEF

/// A record with a type and arbitrary data.
struct DataDraft: RecordDraft {
    static let options = "--mime, --external or --absolute-uri"

    let option: String
    private let requiresData: Bool
    private let makeRecord: @Sendable ([UInt8]) -> NDEFRecord
    private var data: [UInt8]?

    /// - Parameter requiresData: whether data has to be given.
    init(option: String, requiresData: Bool = true, _ makeRecord: @escaping @Sendable ([UInt8]) -> NDEFRecord) {
        self.option = option
        self.requiresData = requiresData
        self.makeRecord = makeRecord
    }

    /// Sets the data of the record.
    ///
    /// - Throws: ``OptionError`` if it was set before.
    mutating func setData(_ data: @autoclosure () throws -> [UInt8]) throws {
        guard self.data == nil else { throw OptionError("sets the data of \(option) a second time") }
        self.data = try data()
    }

    func record() throws -> NDEFRecord {
        if data == nil, requiresData { throw OptionError("requires data; add --content, --data or --file after it") }
        return makeRecord(data ?? [])
    }
}

/// The options for records with arbitrary data.
struct DataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Add a record of this media type, such as text/plain; the data follows.", valueName: "type"),
        transform: OrderedOption.named("--mime") { type, message in
            try message.begin(DataDraft(option: "--mime \(type)") { NDEFRecord(MediaRecord(type: type, data: $0)) })
        })
    var mime: [OrderedOption] = []

    @Option(
        help: ArgumentHelp(
            "Add a record of this external type, such as example.com:lock; the data follows.", valueName: "type"),
        transform: OrderedOption.named("--external") { type, message in
            try message.begin(
                DataDraft(option: "--external \(type)") { NDEFRecord(ExternalRecord(type: type, data: $0)) })
        })
    var external: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("Add a record whose type is this URI; data may follow.", valueName: "uri"),
        transform: OrderedOption.named("--absolute-uri") { uri, message in
            let draft = DataDraft(option: "--absolute-uri", requiresData: false) {
                NDEFRecord(AbsoluteURIRecord(uri, data: $0))
            }
            try message.begin(draft)
        })
    var absoluteURI: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("The data as text.", valueName: "text"),
        transform: OrderedOption.named("--content") { text, message in
            try message.change(DataDraft.self) { try $0.setData(Array(text.utf8)) }
        })
    var content: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("The data in hexadecimal.", valueName: "hex"),
        transform: OrderedOption.named("--data") { digits, message in
            try message.change(DataDraft.self) { try $0.setData(bytes(digits)) }
        })
    var data: [OrderedOption] = []

    @Option(
        help: ArgumentHelp(
            "Read the data from a file; without a preceding record, a whole message in the JSON form, or the line of read --json. - is standard input.",
            valueName: "path"), completion: .file(),
        transform: OrderedOption.named("--file") { path, message in try message.addFile(InputFile(path: path)) })
    var file: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("Add a vCard from a file.", valueName: "path"), completion: .file(),
        transform: OrderedOption.named("--vcard") { path, message in
            let card = Array(try InputFile(path: path).readText(limit: InputLimits.message).text.utf8)
            try message.add(NDEFRecord(MediaRecord(type: "text/vcard", data: card)))
            var warnings: [NDEFWarning.Code] = []
            _ = try? VCardRecord(payload: card, warnings: &warnings)
            if warnings.contains(.vCardWithoutBegin) || warnings.contains(.vCardWithoutEnd) {
                message.addDoubt("--vcard \(path): a vCard starts with BEGIN:VCARD and ends with END:VCARD")
            }
        })
    var vcard: [OrderedOption] = []

    var all: [OrderedOption] { mime + external + absoluteURI + content + data + file + vcard }
}

private func bytes(_ digits: String) throws -> [UInt8] {
    do throws(NotationError) {
        return try MessageNotation.hexadecimal.bytes(of: Array(digits.utf8))
    } catch {
        throw OptionError("requires hexadecimal digits: \(error.message)")
    }
}
