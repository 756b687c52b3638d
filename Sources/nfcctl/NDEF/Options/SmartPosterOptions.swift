import ArgumentParser
import NDEF

/// A URI with what is to be shown for it and done with it.
private struct SmartPosterDraft: RecordDraft {
    static let options = "--smart-poster"
    let option = "--smart-poster"

    let uri: URIRecord
    var titles: [TextRecord] = []
    var action: SmartPosterAction?
    var size: UInt32?
    var type: String?
    var icons: [MediaRecord] = []

    func record() throws -> NDEFRecord {
        NDEFRecord(
            try SmartPosterRecord(
                uri: uri, titles: titles, action: action, size: size, type: type, icons: icons, other: []))
    }
}

/// The options for Smart Posters.
struct SmartPosterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A Smart Poster with this URI.", valueName: "uri"),
        transform: PlacedStep.named("--smart-poster") { uri, message in
            try message.begin(SmartPosterDraft(uri: URIRecord(uri)))
        })
    var smartPoster: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("A title; several in different languages, each after its --language.", valueName: "text"),
        transform: PlacedStep.named("--title") { text, message in
            let title = try message.makeText(text)
            try message.change(SmartPosterDraft.self) { $0.titles.append(title) }
        })
    var title: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("What to do with the URI: execute, save or edit.", valueName: "action"),
        transform: PlacedStep.named("--action") { name, message in
            guard let action = actions[name] else { throw OptionMisuse("takes execute, save or edit") }
            try message.change(SmartPosterDraft.self) { $0.action = action }
        })
    var action: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("An icon, from a PNG, JPEG, GIF, WebP or SVG file.", valueName: "path"),
        transform: PlacedStep.named("--icon") { path, message in
            let file = InputFile(path: path)
            try message.change(SmartPosterDraft.self) { poster in
                let image = try file.read(limit: InputLimits.message)
                guard let type = ImageType.of(image) else {
                    throw OptionMisuse("takes PNG, JPEG, GIF, WebP or SVG, and \(file.name) is none of these")
                }
                poster.icons.append(MediaRecord(type: type, data: image))
            }
        })
    var icon: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("How many bytes the URI leads to.", valueName: "bytes"),
        transform: PlacedStep.named("--size") { number, message in
            guard let size = UInt32(number) else { throw OptionMisuse("takes a whole number below 4294967296") }
            try message.change(SmartPosterDraft.self) { $0.size = size }
        })
    var size: [PlacedStep] = []

    @Option(
        help: ArgumentHelp("The media type of what the URI leads to.", valueName: "type"),
        transform: PlacedStep.named("--type") { type, message in
            try message.change(SmartPosterDraft.self) { $0.type = type }
        })
    var type: [PlacedStep] = []

    var steps: [PlacedStep] { smartPoster + title + action + icon + size + type }
}

private let actions: [String: SmartPosterAction] = ["execute": .execute, "save": .save, "edit": .edit]
