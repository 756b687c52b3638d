/// One property of a vCard: one line, as in `item1.TEL;TYPE=cell:+49-170-1234567` (RFC 6350, §3.3).
public struct VCardProperty: Sendable, Hashable {
    /// What is in front of the name with a dot, and ties properties together; nil if there is none.
    public let group: String?
    /// The name in upper case, such as `TEL`.
    public let name: String
    /// The parameters in their order.
    public let parameters: [VCardParameter]
    /// The value: unfolded, quoted-printable decoded, backslashes unchanged.
    public let value: String

    let escapes: VCardEscapes

    /// The value as one text, with what backslashes mean.
    public var text: String { escapes.resolve(value) }

    /// The texts between the semicolons of the value, with what backslashes mean.
    public var components: [String] { escapes.components(of: value, separator: UInt8(ascii: ";")) }

    /// What kind of number, address or picture it is, in lower case: the parameters `TYPE`, and in vCard 2.1 those that have
    /// no name; with `pref` where it is preferred.
    public var types: [String] { parameters.flatMap(\.types) }

    /// The value of the first parameter of that name, given in upper case.
    func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The value's encoding in upper case, such as `BASE64`.
    var encoding: String? { parameters.lazy.compactMap(\.encoding).first }
}

extension VCardProperty {
    /// The property in an unfolded line; nil where it has no colon or no name.
    init?(line: [UInt8], escapes: VCardEscapes) {
        // A quotation mark may be alone in vCard 2.1, where it quotes nothing.
        let unquoted = line[...].firstIndexOutsideQuotes(of: UInt8(ascii: ":"))
        guard let colon = unquoted ?? line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let header = line[..<colon].splitOutsideQuotes(at: UInt8(ascii: ";"))
        let names = (header.first ?? []).split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = names.last, !name.isEmpty else { return nil }

        group = names.count == 2 ? names.first.map { String(decoding: $0, as: UTF8.self) } : nil
        self.name = String(decoding: name.map(\.upperCased), as: UTF8.self).trimmingSpace
        parameters = header.dropFirst().filter { !$0.isEmpty }.map(VCardParameter.init)
        self.escapes = escapes
        let value = line[(colon + 1)...]
        let isEncoded = parameters.contains { $0.encoding == "QUOTED-PRINTABLE" }
        let charset = parameters.first { $0.name == "CHARSET" }?.value
        self.value =
            isEncoded ? QuotedPrintable.decode(value, charset: charset) : String(decoding: value, as: UTF8.self)
    }
}

/// A parameter of a property, as in `TYPE=cell`.
public struct VCardParameter: Sendable, Hashable {
    /// The name in upper case; nil for a value alone, as vCard 2.1 allows.
    public let name: String?
    /// The value without quotation marks around it.
    public let value: String

    init(_ bytes: ArraySlice<UInt8>) {
        let sides = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let value = sides.last ?? []
        let isQuoted = value.count >= 2 && value.first == UInt8(ascii: "\"") && value.last == UInt8(ascii: "\"")
        self.value = String(decoding: isQuoted ? value.dropFirst().dropLast() : value, as: UTF8.self).trimmingSpace
        name =
            sides.count == 2
            ? String(decoding: (sides.first ?? []).map(\.upperCased), as: UTF8.self).trimmingSpace : nil
    }

    /// The encoding that it names, in upper case; nil where the parameter is not an encoding.
    var encoding: String? {
        let value = self.value.uppercased()
        return name == "ENCODING" || name == nil && Self.encodings.contains(value) ? value : nil
    }

    fileprivate var types: [String] {
        switch name {
        case "TYPE": value.lowercased().split(separator: ",").map(String.init)
        case "PREF": ["pref"]
        case nil where encoding == nil && !Self.places.contains(value.uppercased()): [value.lowercased()]
        default: []
        }
    }

    private static let encodings: Set = ["7BIT", "8BIT", "QUOTED-PRINTABLE", "BASE64", "B"]
    /// Where a value is, in a parameter without a name (vCard 2.1, §2.1.4).
    private static let places: Set = ["INLINE", "URL", "CONTENT-ID", "CID"]
}

// MARK: - Text within text

extension ArraySlice<UInt8> {
    func firstIndexOutsideQuotes(of separator: UInt8) -> Int? {
        var isQuoted = false
        return indices.first { index in
            if self[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            return self[index] == separator && !isQuoted
        }
    }

    func splitOutsideQuotes(at separator: UInt8) -> [ArraySlice<UInt8>] {
        var isQuoted = false
        return split(omittingEmptySubsequences: false) { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == separator && !isQuoted
        }
    }
}

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

    /// The texts that are meant between separators; a separator after a backslash does not count.
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

/// Text in ASCII only (RFC 2045, §6.7), as vCard 2.1 has it.
enum QuotedPrintable {
    /// The text in the charset, which is UTF-8 or ISO-8859-1; where neither is named, the one that makes sense.
    static func decode(_ encoded: ArraySlice<UInt8>, charset: String?) -> String {
        // A single `=` at the end is a soft line break.
        let equalsSign = UInt8(ascii: "=")
        let decoded = (encoded.last == equalsSign ? encoded.dropLast() : encoded).resolvingEscapes(equalsSign)
        let isLatin = ["ISO-8859-1", "LATIN1"].contains(charset?.uppercased())
        let text = isLatin ? nil : String(utf8: decoded[...])
        return text ?? Latin1.decode(decoded)
    }
}

/// ISO-8859-1, whose bytes are the first characters of Unicode.
enum Latin1 {
    static func decode(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map(UInt16.init), as: UTF16.self)
    }

    /// The bytes of the text; nil where it has other characters.
    static func encode(_ text: String) -> [UInt8]? {
        let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        return bytes.count == text.unicodeScalars.count ? bytes : nil
    }
}
