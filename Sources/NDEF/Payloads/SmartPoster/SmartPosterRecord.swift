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
            throw NDEFPayloadError(.smartPosterURICount, "the Smart Poster has \(count) in place of 1")
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
    /// subtag is the same (`en` and `en-GB`; RFC 5646, §2.2.1), otherwise the first; nil where there is none.
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
