import ArgumentParser
import NDEF

/// A record whose content is bytes of some type.
struct DataDraft: RecordDraft {
    static let options = "--mime, --external or --absolute-uri"

    let option: String
    /// Whether there is no record without data.
    let needsData: Bool
    let make: @Sendable ([UInt8]) -> NDEFRecord
    private var data: [UInt8]?

    init(option: String, needsData: Bool = true, _ make: @escaping @Sendable ([UInt8]) -> NDEFRecord) {
        self.option = option
        self.needsData = needsData
        self.make = make
    }

    /// Takes what the record is to hold; once.
    mutating func fill(with data: @autoclosure () throws -> [UInt8]) throws {
        guard self.data == nil else { throw OptionMisuse("gives \(option) its data a second time") }
        self.data = try data()
    }

    func record() throws -> NDEFRecord {
        if data == nil, needsData { throw OptionMisuse("needs its data: --content, --data or --file after it") }
        return make(data ?? [])
    }
}

/// The options for records whose content is bytes of some type.
struct DataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A record of this media type, e.g. text/plain; its data follows.", valueName: "type"),
        transform: PlacedStep.named("--mime") { type, message in
            try message.begin(DataDraft(option: "--mime \(type)") { NDEFRecord(MediaRecord(type: type, data: $0)) })
        })
    var mime: [PlacedStep] = []

    @Option(
        help: ArgumentHelp(
            "A record of this external type, e.g. example.com:lock; its data follows.", valueName: "type"),
        transform: PlacedStep.named("--external") { type, message in
            try message.begin(
                DataDraft(option: "--external \(type)") { NDEFRecord(ExternalRecord(type: type, data: $0)) })
        })
    var external: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("A record whose type is this URI; data may follow.", valueName: "uri"),
        transform: PlacedStep.named("--absolute-uri") { uri, message in
            let draft = DataDraft(option: "--absolute-uri", needsData: false) {
                NDEFRecord(AbsoluteURIRecord(uri, data: $0))
            }
            try message.begin(draft)
        })
    var absoluteURI: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("The data, as text.", valueName: "text"),
        transform: PlacedStep.named("--content") { text, message in
            try message.change(DataDraft.self) { try $0.fill(with: Array(text.utf8)) }
        })
    var content: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("The data, in hexadecimal.", valueName: "hex"),
        transform: PlacedStep.named("--data") { digits, message in
            try message.change(DataDraft.self) { try $0.fill(with: bytes(digits)) }
        })
    var data: [PlacedStep] = []

    @Option(
        help: ArgumentHelp(
            "The data, from a file; without a record before it, a whole message in the JSON form. - is standard input.",
            valueName: "path"),
        transform: PlacedStep.named("--file") { path, message in try message.take(InputFile(path: path)) })
    var file: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("A vCard, from a file.", valueName: "path"),
        transform: PlacedStep.named("--vcard") { path, message in
            let card = try InputFile(path: path).read(limit: InputLimits.message)
            try message.add(NDEFRecord(MediaRecord(type: "text/vcard", data: card)))
        })
    var vcard: [PlacedStep] = []

    var steps: [PlacedStep] { mime + external + absoluteURI + content + data + file + vcard }
}

private func bytes(_ digits: String) throws -> [UInt8] {
    do throws(NotationError) {
        return try MessageNotation.hexadecimal.bytes(of: Array(digits.utf8))
    } catch {
        throw OptionMisuse("takes hexadecimal digits: \(error.message)")
    }
}
