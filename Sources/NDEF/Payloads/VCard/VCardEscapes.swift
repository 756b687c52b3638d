/// Which characters a backslash takes its meaning from in a value.
enum VCardEscapes: Sendable, Hashable {
    /// The semicolon only (vCard 2.1, §2.3).
    case semicolon
    /// Semicolon, comma and backslash; `n` and `N` stand for a line end (RFC 2426, §4; RFC 6350, §3.4).
    case all

    /// What a backslash and this byte mean; nil where the backslash means itself.
    private func meaning(of byte: UInt8) -> UInt8? {
        switch (self, byte) {
        case (_, UInt8(ascii: ";")): byte
        case (.all, UInt8(ascii: ",")), (.all, UInt8(ascii: "\\")): byte
        case (.all, UInt8(ascii: "n")), (.all, UInt8(ascii: "N")): UInt8(ascii: "\n")
        default: nil
        }
    }

    /// The text that is meant by the value.
    func resolve(_ value: String) -> String {
        components(of: value, separator: nil).first ?? ""
    }

    /// The texts that are meant between separators; a separator behind a backslash is none.
    func components(of value: String, separator: UInt8?) -> [String] {
        var reader = ByteReader(Array(value.utf8))
        var components: [String] = []
        var component: [UInt8] = []
        while let byte = reader.uint8() {
            var ahead = reader
            if byte == UInt8(ascii: "\\"), let meaning = ahead.uint8().flatMap(meaning) {
                component.append(meaning)
                reader = ahead
            } else if byte == separator {
                components.append(String(decoding: component, as: UTF8.self))
                component = []
            } else {
                component.append(byte)
            }
        }
        return components + [String(decoding: component, as: UTF8.self)]
    }

    /// The value that means this text in vCard 3.0 and 4.0.
    static func escape(_ text: String, _ escaped: Set<UInt8> = Set("\\,;".utf8)) -> [UInt8] {
        text.withLineFeeds.utf8.flatMap { byte in
            if byte == UInt8(ascii: "\n") { return Array("\\n".utf8) }
            return escaped.contains(byte) ? [UInt8(ascii: "\\"), byte] : [byte]
        }
    }
}
