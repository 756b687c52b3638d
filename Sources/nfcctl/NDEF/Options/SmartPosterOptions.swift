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

/// The media type of a picture, known by how it begins.
enum ImageType {
    static func of(_ image: [UInt8]) -> String? {
        for (type, beginning) in beginnings where image.starts(with: beginning) { return type }
        if image.starts(with: "RIFF".utf8), image.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        return isSVG(image) ? "image/svg+xml" : nil
    }

    private static let beginnings: [(String, [UInt8])] = [
        ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        ("image/jpeg", [0xFF, 0xD8, 0xFF]),
        ("image/gif", Array("GIF87a".utf8)),
        ("image/gif", Array("GIF89a".utf8)),
    ]

    /// Whether this is XML whose root, as far as the first kilobyte tells, is `svg`.
    private static func isSVG(_ image: [UInt8]) -> Bool {
        let text = String(decoding: image.prefix(1024), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        let isXML = ["<svg", "<?xml", "<!--", "<!DOCTYPE svg"].contains { text.hasPrefix($0) }
        return isXML && text.contains("<svg")
    }
}
