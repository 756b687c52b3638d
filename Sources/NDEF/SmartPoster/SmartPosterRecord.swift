/// A URI with its title and what to do with it: well-known type `Sp` (NFC Forum RTD Smart Poster 1.0 and 1.1).
///
/// The payload is a message of a URI record and, all of them optional, text, action, size and type records and records
/// of image or video types.
public struct SmartPosterRecord: NDEFTypedPayload {
    /// Where the Smart Poster leads.
    public let uri: URIRecord
    /// The titles; there should be one a language.
    public let titles: [TextRecord]
    /// What to do with the URI; nil where the tag leaves it to the reader.
    public let action: SmartPosterAction?
    /// The size in bytes of the object that the URI leads to.
    public let size: UInt32?
    /// The media type of the object that the URI leads to, such as `text/html`.
    public var type: String? { typeRecord?.type }
    /// Pictures for the Smart Poster, of types `image/…` and `video/…`; a reader shows one of them.
    public let icons: [MediaRecord]
    /// Records of other types, and those that are repeated or cannot be read.
    public let other: [NDEFRecord]
    private let typeRecord: TypeRecord?

    /// A Smart Poster to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `TYPE_NOT_MIME`; `SP_ICON_TYPE` where an icon is neither image nor
    ///   video; `SP_OTHER` where one of the others is a URI or would be read as one of the fields; or, where a record
    ///   cannot be encoded, with the code of ``NDEFMessage/encoded()``.
    public init(
        uri: URIRecord,
        titles: [TextRecord] = [],
        action: SmartPosterAction? = nil,
        size: UInt32? = nil,
        type: String? = nil,
        icons: [MediaRecord] = [],
        other: [NDEFRecord] = []
    ) throws(NDEFPayloadError) {
        let typeRecord = try type.map(TypeRecord.init)
        try Self.check(icons: icons)
        var parts = SmartPosterParts(action: action, size: size, type: typeRecord)
        for record in other { parts.add(record) }
        guard parts.other.count == other.count else { throw .smartPosterOther }
        self.uri = uri
        self.titles = titles
        self.action = action
        self.size = size
        self.typeRecord = typeRecord
        self.icons = icons
        self.other = other
        try NestedMessage.check(records)
    }

    /// Checks that these can be icons.
    static func check(icons: [MediaRecord]) throws(NDEFPayloadError) {
        guard icons.allSatisfy({ SmartPosterParts.isIcon($0.type) }) else {
            throw NDEFPayloadError(.smartPosterIconType, "the media type of an icon is neither image/… nor video/…")
        }
        try NestedMessage.check(icons.map { NDEFRecord($0) })
    }

    /// Well-known type `Sp`.
    public static let recordTypes = [NDEFRecordType.wellKnown("Sp")]
    /// `smartPoster`.
    public static let kind = "smartPoster"

    /// The records of the message inside: the URI, the titles, the action, the icons, the size, the type and the
    /// others.
    private var records: [NDEFRecord] {
        var records = [NDEFRecord(uri)] + titles.map { NDEFRecord($0) }
        if let action { records.append(NDEFRecord(ActionRecord(action))) }
        records += icons.map { NDEFRecord($0) }
        if let size { records.append(NDEFRecord(SizeRecord(size))) }
        if let typeRecord { records.append(NDEFRecord(typeRecord)) }
        return records + other
    }
}

// MARK: - Payload

extension SmartPosterRecord {
    /// Decodes a payload. Of the records inside only the URI must be readable; others that are not, or that are
    /// repeated, go to ``other`` with a warning. Identifiers of the records that become fields are dropped with a
    /// warning.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `SP_URI_COUNT`; with that of ``URIRecord``; or with that of the fault
    ///   in the message inside, such as `TRUNCATED_PAYLOAD`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        var parts = SmartPosterParts()
        for record in try NestedMessage.decode(payload[...], warnings: &warnings) { parts.add(record) }
        guard let uri = parts.uriRecords.first, parts.uriRecords.count == 1 else {
            let count = counted(parts.uriRecords.count, "URI")
            throw NDEFPayloadError(.smartPosterURICount, "the Smart Poster has \(count) instead of 1")
        }
        self.uri = try URIRecord(payload: uri.payload, warnings: &warnings)
        titles = parts.titles
        action = parts.action
        size = parts.size
        typeRecord = parts.type
        icons = parts.icons
        other = parts.other
        warnings += parts.warnings
    }

    /// A message of the URI, the titles, the action, the icons, the size, the type and the others.
    public var payload: [UInt8] { NestedMessage.encode(records) }
}

// MARK: - For people

extension SmartPosterRecord {
    /// The title for people who read this language: the one in the same language, otherwise the first whose primary
    /// subtag is the same (`en` and `en-GB`; RFC 5646, §2.2.1), otherwise the first; nil if there is none.
    ///
    /// - Parameter language: a language tag such as `en` or `pt-BR`; compared without case.
    public func title(for language: String) -> TextRecord? {
        let wanted = language.lowercased()
        let wantedPrimary = Self.primarySubtag(language)
        return titles.first { $0.language.lowercased() == wanted }
            ?? titles.first { Self.primarySubtag($0.language) == wantedPrimary }
            ?? titles.first
    }

    private static func primarySubtag(_ language: String) -> String {
        String(decoding: language.utf8.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self).lowercased()
    }

    /// Such as `Smart Poster https://example.com, "Hello" (en), action save, type text/html, size 1024, 1 icon`.
    public var description: String {
        var parts = ["Smart Poster \(uri.uri.escaped)"]
        parts += titles.map(\.quoted)
        if let action { parts.append("action \(action)") }
        if let type { parts.append("type \(type.escaped)") }
        if let size { parts.append("size \(size)") }
        if !icons.isEmpty { parts.append(counted(icons.count, "icon")) }
        if !other.isEmpty { parts.append(counted(other.count, "other record")) }
        return parts.joined(separator: ", ")
    }
}

extension NDEFRecord {
    /// A Smart Poster record (NFC Forum RTD Smart Poster 1.0).
    ///
    /// - Throws: ``NDEFPayloadError`` where the URI contains control characters.
    public static func smartPoster(
        _ uri: String,
        titles: [TextRecord] = [],
        action: SmartPosterAction? = nil,
        identifier: [UInt8] = []
    ) throws(NDEFPayloadError) -> NDEFRecord {
        let poster = try SmartPosterRecord(uri: URIRecord(uri), titles: titles, action: action)
        return NDEFRecord(poster, identifier: identifier)
    }
}

extension NDEFWarning.Code {
    /// A Smart Poster has a title that cannot be read.
    public static let titleIgnored = Self("TITLE_IGNORED", "a title cannot be read and is kept as a raw record")
    /// A Smart Poster has two titles in the same language.
    public static let titleLanguageRepeated = Self("TITLE_LANG_REPEATED", "there are two titles in the same language")
}

extension NDEFPayloadError.Code {
    /// A Smart Poster does not have exactly one URI record.
    public static let smartPosterURICount = Self(rawValue: "SP_URI_COUNT")
    /// The media type of an icon to be encoded is neither an image nor a video.
    public static let smartPosterIconType = Self(rawValue: "SP_ICON_TYPE")
    /// One of the other records of a Smart Poster to be encoded belongs in a field.
    public static let smartPosterOther = Self(rawValue: "SP_OTHER")
}

extension NDEFPayloadError {
    fileprivate static let smartPosterOther = Self(
        .smartPosterOther,
        "one of the other records is a URI, or would be read as a title, an action, a size, a type or an icon")
}

/// The records inside a Smart Poster, sorted one by one into what they say.
///
/// Records are distinguished by their type alone, never by their decoded content, so that nesting costs nothing.
struct SmartPosterParts {
    private(set) var uriRecords: [NDEFRecord] = []
    private(set) var titles: [TextRecord] = []
    private(set) var action: SmartPosterAction?
    private(set) var size: UInt32?
    private(set) var type: TypeRecord?
    private(set) var icons: [MediaRecord] = []
    private(set) var other: [NDEFRecord] = []
    private(set) var warnings: [NDEFWarning.Code] = []
    private var languages: Set<String> = []

    /// Nothing sorted yet, with these fields already taken.
    init(action: SmartPosterAction? = nil, size: UInt32? = nil, type: TypeRecord? = nil) {
        self.action = action
        self.size = size
        self.type = type
    }

    mutating func add(_ record: NDEFRecord) {
        switch (record.typeNameFormat, record.typeString) {
        case (.nfcWellKnown, "U"): addURI(record)
        case (.nfcWellKnown, "T"): addTitle(record)
        case (.nfcWellKnown, "act"): addAction(record)
        case (.nfcWellKnown, "s"): addSize(record)
        case (.nfcWellKnown, "t"): addType(record)
        case (.media, let type) where Self.isIcon(type) && record.type == Array(type.utf8): addIcon(record, type)
        default: other.append(record)
        }
    }

    /// Whether content of this media type is an icon: an image or a video.
    static func isIcon(_ mediaType: String) -> Bool {
        let essence = MediaType(mediaType).essence.utf8
        return essence.starts(with: "image/".utf8) || essence.starts(with: "video/".utf8)
    }
}

// MARK: - By type

extension SmartPosterParts {
    private mutating func addURI(_ record: NDEFRecord) {
        uriRecords.append(record)
        noteIdentifier(of: record)
    }

    private mutating func addTitle(_ record: NDEFRecord) {
        guard let title: TextRecord = decode(record, orWarn: .titleIgnored) else { return }
        titles.append(title)
        if !languages.insert(title.language.lowercased()).inserted { warnings.append(.titleLanguageRepeated) }
    }

    private mutating func addAction(_ record: NDEFRecord) {
        guard action == nil else { return setAside(record, .actionRepeated) }
        let isOneByte = record.payload.count == 1
        let decoded: ActionRecord? = decode(record, orWarn: isOneByte ? .actionReserved : .actionLength)
        action = decoded?.action
    }

    private mutating func addSize(_ record: NDEFRecord) {
        guard size == nil else { return setAside(record, .sizeRepeated) }
        let decoded: SizeRecord? = decode(record, orWarn: .sizeLength)
        size = decoded?.size
    }

    private mutating func addType(_ record: NDEFRecord) {
        guard type == nil else { return setAside(record, .typeIgnored) }
        type = decode(record, orWarn: .typeIgnored)
    }

    private mutating func addIcon(_ record: NDEFRecord, _ type: String) {
        icons.append(MediaRecord(type: type, data: record.payload))
        noteIdentifier(of: record)
    }
}

// MARK: - Warnings

extension SmartPosterParts {
    /// What the record says; where it cannot be read, it goes to the others with this warning.
    private mutating func decode<Payload: NDEFTypedPayload>(
        _ record: NDEFRecord, orWarn code: NDEFWarning.Code
    ) -> Payload? {
        var remarks: [NDEFWarning.Code] = []
        guard let payload = try? Payload(payload: record.payload, warnings: &remarks) else {
            setAside(record, code)
            return nil
        }
        warnings += remarks
        noteIdentifier(of: record)
        return payload
    }

    private mutating func setAside(_ record: NDEFRecord, _ code: NDEFWarning.Code) {
        other.append(record)
        warnings.append(code)
    }

    private mutating func noteIdentifier(of record: NDEFRecord) {
        if !record.identifier.isEmpty { warnings.append(.innerIdentifierIgnored) }
    }
}

extension SmartPosterRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case uri, titles, action, size, type, icons, other
    }

    /// Writes `uri` and `titles`, and, if there are any, `action`, `size`, `type`, `icons` and `other`. A title has
    /// the fields of a text, an icon those of a media record; the others are raw records.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(uri.uri, forKey: .uri)
        try container.encode(titles, forKey: .titles)
        if let action { try container.encode(named: action, forKey: .action) }
        try container.encodeIfPresent(size, forKey: .size)
        try container.encodeIfPresent(type, forKey: .type)
        if !icons.isEmpty { try container.encode(icons, forKey: .icons) }
        try container.encodeIfNotEmpty(raw: other, forKey: .other)
    }

    /// Reads `uri`, and any of `titles`, `action`, `size`, `type`, `icons` and `other`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let uri = try container.decode(String.self, forKey: .uri)
        let uriRecord = try container.accepting(.uri) { () throws(NDEFPayloadError) in try URIRecord(uri) }
        let titles = try container.decodeIfPresent([TextRecord].self, forKey: .titles) ?? []
        let action = try container.decodeNamedIfPresent(SmartPosterAction.self, forKey: .action)
        let size = try container.decodeIntegerIfPresent(UInt32.self, forKey: .size)
        let type = try container.decodeIfPresent(String.self, forKey: .type)
        let icons = try container.decodeIfPresent([MediaRecord].self, forKey: .icons) ?? []
        let other = try container.decodeRecordsIfPresent(forKey: .other) ?? []
        // Checked one by one first, so that an error names the field.
        try container.accepting(.type) { () throws(NDEFPayloadError) in _ = try type.map(TypeRecord.init) }
        try container.accepting(.icons) { () throws(NDEFPayloadError) in try Self.check(icons: icons) }
        self = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try SmartPosterRecord(
                uri: uriRecord, titles: titles, action: action, size: size, type: type, icons: icons, other: other)
        }
    }
}

extension SmartPosterRecord: JSONDescribed {
    package static var jsonSummary: String { "A URI with titles and what to do with it (well-known type `Sp`)." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .uri:
                .required(.text, "The URI that the Smart Poster leads to.")
            case .titles:
                .written(.list(.object(TextRecord.self)), usual: .emptyList, "The titles, one for each language.")
            case .action:
                .optional(.named(SmartPosterAction.self, numbers: 0...2), "What to do with the URI.")
            case .size:
                .optional(.integer(0...0xFFFF_FFFF), "The size in bytes of what the URI leads to.")
            case .type:
                .optional(.text, "The media type of what the URI leads to, of the form `type/subtype`.")
            case .icons:
                .optional(.list(.object(MediaRecord.self)), "The icons, of types `image/…` and `video/…` only.")
            case .other:
                .optional(
                    .list(.record), "The records of other types, and those that are repeated or cannot be read, raw.")
            }
        }
    }
}
