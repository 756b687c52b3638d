import ArgumentParser
import NDEF

/// A Smart Poster record: a URI with titles, an action and icons.
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
        help: ArgumentHelp("Add a Smart Poster with this URI.", valueName: "uri"),
        transform: OrderedOption.named("--smart-poster") { uri, message in
            try message.begin(SmartPosterDraft(uri: URIRecord(uri)))
            if let doubt = URIDoubt(uri) { message.addDoubt("--smart-poster \(uri): \(doubt.text)") }
        })
    var smartPoster: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("A title. Give one per language, each after its --language.", valueName: "text"),
        transform: OrderedOption.named("--title") { text, message in
            let title = try message.makeText(text)
            try message.change(SmartPosterDraft.self) { $0.titles.append(title) }
        })
    var title: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("What to do with the URI: execute, save or edit.", valueName: "action"),
        completion: .list(["execute", "save", "edit"]),
        transform: OrderedOption.named("--action") { name, message in
            guard let action = actions[name] else { throw OptionError("requires execute, save or edit") }
            try message.change(SmartPosterDraft.self) { $0.action = action }
        })
    var action: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("An icon from a PNG, JPEG, GIF, WebP or SVG file.", valueName: "path"), completion: .file(),
        transform: OrderedOption.named("--icon") { path, message in
            let file = InputFile(path: path)
            try message.change(SmartPosterDraft.self) { poster in
                let image = try file.read(limit: InputLimits.message)
                guard let type = ImageType.of(image) else {
                    throw OptionError("requires a PNG, JPEG, GIF, WebP or SVG file; \(file.name) is not one of these")
                }
                poster.icons.append(MediaRecord(type: type, data: image))
            }
        })
    var icon: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("The size of the content that the URI refers to.", valueName: "bytes"),
        transform: OrderedOption.named("--size") { number, message in
            guard let size = UInt32(number) else { throw OptionError("requires a number from 0 to 4294967295") }
            try message.change(SmartPosterDraft.self) { $0.size = size }
        })
    var size: [OrderedOption] = []

    @Option(
        help: ArgumentHelp("The media type of the content that the URI refers to.", valueName: "type"),
        transform: OrderedOption.named("--type") { type, message in
            try message.change(SmartPosterDraft.self) { $0.type = type }
        })
    var type: [OrderedOption] = []

    var all: [OrderedOption] { smartPoster + title + action + icon + size + type }
}

private let actions: [String: SmartPosterAction] = ["execute": .execute, "save": .save, "edit": .edit]

/// Detects the media type of an image by its first bytes.
enum ImageType {
    /// The media type of the image; nil if it is not supported.
    static func of(_ image: [UInt8]) -> String? {
        for (type, beginning) in signatures where image.starts(with: beginning) { return type }
        if image.starts(with: "RIFF".utf8), image.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        return isSVG(image) ? "image/svg+xml" : nil
    }

    private static let signatures: [(String, [UInt8])] = [
        ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        ("image/jpeg", [0xFF, 0xD8, 0xFF]),
        ("image/gif", Array("GIF87a".utf8)),
        ("image/gif", Array("GIF89a".utf8)),
    ]

    /// Whether the image is XML with an `svg` element in the first kilobyte.
    private static func isSVG(_ image: [UInt8]) -> Bool {
        let text = String(decoding: image.prefix(1024), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        let isXML = ["<svg", "<?xml", "<!--", "<!DOCTYPE svg"].contains { text.hasPrefix($0) }
        return isXML && text.contains("<svg")
    }
}
