/// A text in one language: well-known type `T` (NFC Forum RTD Text 1.0).
///
/// The payload is a status byte (bit 7: UTF-16; bit 6: reserved; bits 5 to 0: length of the language code), the language
/// code in ASCII, and the text.
public struct TextRecord: NDEFTypedPayload {
    /// How the text is stored.
    public enum Encoding: String, Sendable, Hashable, Codable, CaseIterable {
        /// UTF-8; the usual one.
        case utf8 = "utf-8"
        /// UTF-16, written in big-endian order.
        case utf16 = "utf-16"
    }

    /// The text.
    public let text: String
    /// The language tag (RFC 5646), such as `en` or `pt-BR`: ASCII, 0 to 63 bytes. Empty where the tag names none.
    public let language: String
    /// How the text is, or was, stored.
    public let encoding: Encoding

    /// A text to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `TEXT_LANG_NOT_ASCII` or `TEXT_LANG_TOO_LONG`.
    public init(_ text: String, language: String = "en", encoding: Encoding = .utf8) throws(NDEFPayloadError) {
        guard language.utf8.allSatisfy({ $0 < 0x80 }) else { throw .languageNotASCII }
        guard language.utf8.count <= 0x3F else {
            let reason =
                "a language code of \(language.utf8.count) bytes is longer than the 63 bytes that can be encoded"
            throw NDEFPayloadError(.textLanguageTooLong, reason)
        }
        self.text = text
        self.language = language
        self.encoding = encoding
    }

    /// Well-known type `T`.
    public static let recordTypes = [NDEFRecordType.wellKnown("T")]
    /// `text`.
    public static let kind = "text"

    /// Decodes a payload. A missing language code and a set reserved bit are tolerated with a warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `TEXT_EMPTY`, `TEXT_LANG_OVERRUN`, `TEXT_LANG_NOT_ASCII` or
    ///   `TEXT_BAD_ENCODING`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard let status = payload.first else {
            throw NDEFPayloadError(.textEmpty, "the text record has no bytes, not even a status byte")
        }
        let rest = payload.dropFirst()
        let length = Int(status & 0x3F)
        guard length <= rest.count else {
            let left = counted(rest.count, "byte")
            let reason = "language code of \(counted(length, "byte")) runs past the end of the payload (\(left) left)"
            throw NDEFPayloadError(.textLanguageOverrun, reason)
        }
        guard rest.prefix(length).allSatisfy({ $0 < 0x80 }) else { throw .languageNotASCII }
        encoding = status & 0x80 == 0 ? .utf8 : .utf16
        language = String(decoding: rest.prefix(length), as: UTF8.self)
        if length == 0 { warnings.append(.textLanguageEmpty) }
        if status & 0x40 != 0 { warnings.append(.textReservedBit) }
        text = try encoding.decode(rest.dropFirst(length), warnings: &warnings)
    }

    /// A status byte, the language code and the text; UTF-16 is big-endian, with a byte order mark only where it is needed.
    public var payload: [UInt8] {
        let status = UInt8(truncatingIfNeeded: language.utf8.count) | (encoding == .utf16 ? 0x80 : 0)
        return [status] + language.utf8 + encoding.encode(text)
    }

    /// Such as `Text "hello" (en)`.
    public var description: String { "Text \(quoted)" }

    /// Such as `"hello" (en)`.
    var quoted: String {
        language.isEmpty ? "\"\(text.escaped)\"" : "\"\(text.escaped)\" (\(language.escaped))"
    }
}

extension NDEFRecord {
    /// A text record (NFC Forum RTD Text 1.0).
    ///
    /// - Throws: ``NDEFPayloadError`` where the language code is not ASCII or longer than 63 bytes.
    public static func text(
        _ text: String,
        language: String = "en",
        encoding: TextRecord.Encoding = .utf8,
        identifier: [UInt8] = []
    ) throws(NDEFPayloadError) -> NDEFRecord {
        NDEFRecord(try TextRecord(text, language: language, encoding: encoding), identifier: identifier)
    }
}

extension NDEFWarning.Code {
    /// A text payload does not name its language.
    public static let textLanguageEmpty = Self("TEXT_LANG_EMPTY", "the text does not name its language")
    /// The reserved bit 6 of the status byte of a text payload is set.
    public static let textReservedBit = Self("TEXT_RESERVED_BIT", "the reserved bit of the text's status byte is set")
    /// A UTF-16 text payload without a byte order mark is readable in little-endian order only, and was read so.
    public static let textLittleEndianWithoutBOM = Self(
        "TEXT_LITTLE_ENDIAN_WITHOUT_BOM", "the text has no byte order mark and was read as little-endian")
}

extension NDEFPayloadError.Code {
    /// A text payload has no bytes.
    public static let textEmpty = Self(rawValue: "TEXT_EMPTY")
    /// The language code of a text payload runs past its end.
    public static let textLanguageOverrun = Self(rawValue: "TEXT_LANG_OVERRUN")
    /// The language code is not ASCII.
    public static let textLanguageNotASCII = Self(rawValue: "TEXT_LANG_NOT_ASCII")
    /// The text is not well-formed UTF-8 or UTF-16.
    public static let textBadEncoding = Self(rawValue: "TEXT_BAD_ENCODING")
    /// A language code to be encoded is longer than 63 bytes.
    public static let textLanguageTooLong = Self(rawValue: "TEXT_LANG_TOO_LONG")
}

extension NDEFPayloadError {
    fileprivate static let languageNotASCII = Self(.textLanguageNotASCII, "the language code is not ASCII")
}

extension TextRecord.Encoding {
    /// The text in these bytes.
    func decode(
        _ bytes: ArraySlice<UInt8>, warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> String {
        switch self {
        case .utf8:
            guard let text = String(utf8: bytes) else {
                throw NDEFPayloadError(.textBadEncoding, "the text is not UTF-8")
            }
            return text
        case .utf16:
            return try Self.decodeUTF16(bytes, warnings: &warnings)
        }
    }

    /// The bytes of a text. UTF-16 is big-endian, with a byte order mark only where it would be read otherwise without.
    func encode(_ text: String) -> [UInt8] {
        guard self == .utf16 else { return Array(text.utf8) }
        let bytes = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        var warnings: [NDEFWarning.Code] = []
        let readBack = try? Self.decodeUTF16(bytes[...], warnings: &warnings)
        let isUnambiguous = readBack?.unicodeScalars.elementsEqual(text.unicodeScalars) ?? false
        return isUnambiguous ? bytes : [0xFE, 0xFF] + bytes
    }
}

// MARK: - UTF-16

extension TextRecord.Encoding {
    /// Reads UTF-16 in the order of its byte order mark; without one it is big-endian (NFC Forum RTD Text 1.0).
    ///
    /// Tags with little-endian text and no mark exist. Only where that order alone makes sense is it used, with a warning.
    private static func decodeUTF16(
        _ bytes: ArraySlice<UInt8>, warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> String {
        guard bytes.count.isMultiple(of: 2) else {
            let reason = "the text is not UTF-16: its length of \(counted(bytes.count, "byte")) is odd"
            throw NDEFPayloadError(.textBadEncoding, reason)
        }
        let mark = bytes.prefix(2)
        if mark.elementsEqual([0xFE, 0xFF]) { return try wellFormed(bigEndian(bytes.dropFirst(2))) }
        if mark.elementsEqual([0xFF, 0xFE]) { return try wellFormed(littleEndian(bytes.dropFirst(2))) }

        let text = bigEndian(bytes)
        if text.map(isPlausible) != true, let other = littleEndian(bytes), isPlausible(other) {
            warnings.append(.textLittleEndianWithoutBOM)
            return other
        }
        return try wellFormed(text)
    }

    private static func wellFormed(_ text: String?) throws(NDEFPayloadError) -> String {
        guard let text else { throw NDEFPayloadError(.textBadEncoding, "the text is not UTF-16: a surrogate is alone") }
        return text
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> String? {
        string(bytes) { first, second in UInt16(first) << 8 | UInt16(second) }
    }

    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> String? {
        string(bytes) { first, second in UInt16(second) << 8 | UInt16(first) }
    }

    private static func string(_ bytes: ArraySlice<UInt8>, unit: (UInt8, UInt8) -> UInt16) -> String? {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var iterator = bytes.makeIterator()
        while let first = iterator.next(), let second = iterator.next() { units.append(unit(first, second)) }
        return String(validating: units, as: UTF16.self)
    }

    /// Whether people would write this: no controls but tab and line ends, nothing unassigned or for private use.
    private static func isPlausible(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar == "\t" || scalar == "\n" || scalar == "\r"
            case .unassigned, .privateUse, .surrogate: false
            default: true
            }
        }
    }
}

extension TextRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case text, language, encoding, spoolman
    }

    /// Writes `text`, `language` and `encoding` (`utf-8` or `utf-16`), and `spoolman` if the text names a spool or a filament.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        try container.encode(language, forKey: .language)
        try container.encode(encoding, forKey: .encoding)
        try container.encodeIfPresent(spoolman, forKey: .spoolman)
    }

    /// Reads `text`, and `language` (`en` where missing) and `encoding` (`utf-8` where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .text)
        let language = try container.decodeIfPresent(String.self, forKey: .language) ?? "en"
        let encoding = try container.decodeIfPresent(Encoding.self, forKey: .encoding) ?? .utf8
        self = try container.accepting(.language) { () throws(NDEFPayloadError) in
            try TextRecord(text, language: language, encoding: encoding)
        }
    }
}

extension TextRecord: JSONDescribed {
    package static var jsonSummary: String { "A text with its language (well-known type `T`)." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .text:
                .required(.text, "The text.")
            case .language:
                .written(.text, usual: .text("en"), "The language tag (BCP 47): ASCII, at most 63 bytes; may be empty.")
            case .encoding:
                .written(
                    .words(Encoding.allCases.map(\.rawValue), numbers: nil), usual: .text("utf-8"),
                    "The encoding on the tag; `utf-16` is big-endian.")
            case .spoolman:
                .derived(
                    .object(SpoolmanNumbers.self), .optional,
                    "The numbers that lines such as `SPOOL:3` and `FILAMENT:2` name, as nfc2klipper writes them.")
            }
        }
    }
}
