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
