/// Content of a media type (TNF 2; NFC Forum NDEF 1.0, §3.2.6 and RFC 2046) that has no specific form here.
public struct MediaRecord: NDEFContent {
    /// The media type with its parameters, such as `text/plain;charset=utf-8`; at most 255 bytes can be encoded.
    public let type: String
    /// The content.
    public let data: [UInt8]

    /// Content of this media type.
    public init(type: String, data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// `media`.
    public static let kind = "media"

    /// A media record of this type, the data its payload.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .media, type: Array(type.utf8), identifier: identifier, payload: data)
    }

    /// The data as text where the media type says that it is text, and it is well-formed UTF-8; otherwise nil.
    public var text: String? {
        MediaType(type).isText ? String(utf8: data[...]) : nil
    }

    /// Such as `Media image/png`.
    public var description: String { "Media \(type.escaped)" }
}

extension MediaRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type, text, data
    }

    /// Writes `type`, and `text` where the data is text, otherwise `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        if let text {
            try container.encode(text, forKey: .text)
        } else {
            try container.encode(hexadecimal: data, forKey: .data)
        }
    }

    /// Reads `type`, and `data` or `text`; where both are missing, there is no content.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decodeIfPresent(String.self, forKey: .text)
        let data = try container.decodeHexadecimalIfPresent(forKey: .data)
        if text != nil, data != nil { throw container.rejection(forKey: .data, "there is text as well as data") }
        self.init(
            type: try container.decode(String.self, forKey: .type), data: data ?? text.map { Array($0.utf8) } ?? [])
    }
}

extension MediaRecord: JSONDescribed {
    package static var jsonSummary: String { "Content of a media type without its own form." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .type:
                .required(.text, "The media type with its parameters.")
            case .text:
                .optional(.text, "The content, where the type is `text/…`, JSON or XML, and the bytes are UTF-8.")
            case .data:
                .optional(.bytes, "The content, if there is no `text`; empty where both are missing.")
            }
        }
    }
}

/// A media type taken apart (RFC 2045, §5.1; RFC 6838, §4.2).
struct MediaType {
    /// Type and subtype in lower case, such as `text/plain`.
    let essence: Substring
    /// The `charset` parameter in lower case, quotation marks removed; nil if there is none.
    let charset: Substring?

    init(_ text: String) {
        let parts = text.lowercased().split(separator: ";", omittingEmptySubsequences: false)
        essence = parts.first?.trimmed ?? ""
        charset =
            parts.dropFirst().lazy.compactMap { parameter in
                let sides = parameter.split(separator: "=", maxSplits: 1)
                guard sides.count == 2, sides[0].trimmed == "charset" else { return nil }
                return sides[1].trimmed.droppingQuotationMarks
            }.first
    }

    /// Whether content of this type is text in UTF-8, as far as the type indicates: `text/…`, JSON and XML, also by suffix.
    var isText: Bool {
        guard charset == nil || charset == "utf-8" || charset == "us-ascii" else { return false }
        return essence.utf8.starts(with: "text/".utf8) || Self.textEssences.contains(String(essence))
            || essence.hasSuffix("+json") || essence.hasSuffix("+xml")
    }

    private static let textEssences: Set = ["application/json", "application/xml", "application/javascript"]
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return rest
    }

    fileprivate var droppingQuotationMarks: Substring {
        count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}

/// Content of an external type (TNF 4; NFC Forum RTD 1.0, §3.3) that has no specific form here.
public struct ExternalRecord: NDEFContent {
    /// The type: a domain, a colon and a name, such as `example.com:lock`; at most 255 bytes can be encoded.
    public let type: String
    /// The content.
    public let data: [UInt8]

    /// Content of this external type.
    public init(type: String, data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// `external`.
    public static let kind = "external"

    /// An external record of this type, the data its payload.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .nfcExternal, type: Array(type.utf8), identifier: identifier, payload: data)
    }

    /// Such as `External example.com:lock`.
    public var description: String { "External \(type.escaped)" }
}

extension ExternalRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type, data
    }

    /// Writes `type` and `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(hexadecimal: data, forKey: .data)
    }

    /// Reads `type`, and `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            type: try container.decode(String.self, forKey: .type),
            data: try container.decodeHexadecimalIfPresent(forKey: .data) ?? [])
    }
}

extension ExternalRecord: JSONDescribed {
    package static var jsonSummary: String { "Content of an external type without its own form." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .type:
                .required(.text, "The type: a domain, a colon and a name.")
            case .data:
                .written(.bytes, usual: .text(""), "The content.")
            }
        }
    }
}

/// A record whose type is an absolute URI (TNF 3; NFC Forum NDEF 1.0, §3.2.6 and RFC 3986).
///
/// The URI is the type of the payload; many writers mean the URI itself and leave the payload empty.
public struct AbsoluteURIRecord: NDEFContent {
    /// The URI; at most 255 bytes can be encoded.
    public let uri: String
    /// The content that the URI is the type of.
    public let data: [UInt8]

    /// Content whose type is this URI.
    public init(_ uri: String, data: [UInt8] = []) {
        self.uri = uri
        self.data = data
    }

    /// `absoluteURI`.
    public static let kind = "absoluteURI"

    /// An absolute URI record, the data its payload.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .absoluteURI, type: Array(uri.utf8), identifier: identifier, payload: data)
    }

    /// Such as `Absolute URI https://example.com`.
    public var description: String { "Absolute URI \(uri.escaped)" }
}

extension AbsoluteURIRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case uri, data
    }

    /// Writes `uri`, and `data` if there is any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(uri, forKey: .uri)
        try container.encodeIfNotEmpty(hexadecimal: data, forKey: .data)
    }

    /// Reads `uri`, and `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .uri),
            data: try container.decodeHexadecimalIfPresent(forKey: .data) ?? [])
    }
}

extension AbsoluteURIRecord: JSONDescribed {
    package static var jsonSummary: String { "A record whose type is a URI." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .uri:
                .required(.text, "The URI.")
            case .data:
                .optional(.bytes, usual: .text(""), "The content.")
            }
        }
    }
}

/// Content of unknown type (TNF 5; NFC Forum NDEF 1.0, §3.2.6); also that of records of reserved type name format.
public struct UnknownRecord: NDEFContent {
    /// The content.
    public let data: [UInt8]

    /// Content of unknown type.
    public init(data: [UInt8]) {
        self.data = data
    }

    /// `unknown`.
    public static let kind = "unknown"

    /// A record of unknown type, the data its payload.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .unknown, identifier: identifier, payload: data)
    }

    /// `Unknown`.
    public var description: String { "Unknown" }
}

extension UnknownRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case data
    }

    /// Writes `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hexadecimal: data, forKey: .data)
    }

    /// Reads `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(data: try container.decodeHexadecimalIfPresent(forKey: .data) ?? [])
    }
}

extension UnknownRecord: JSONDescribed {
    package static var jsonSummary: String { "Content of unknown type; also the records of reserved type name format." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .data:
                .written(.bytes, usual: .text(""), "The content.")
            }
        }
    }
}

/// The record that says nothing (TNF 0; NFC Forum NDEF 1.0, §3.2.6).
public struct EmptyRecord: NDEFContent {
    /// The empty record.
    public init() {}

    /// `empty`.
    public static let kind = "empty"

    /// The empty record. It has no identifier: with one, it cannot be encoded.
    public func record(identifier: [UInt8]) -> NDEFRecord {
        NDEFRecord(typeNameFormat: .empty, identifier: identifier)
    }

    /// `Empty`.
    public var description: String { "Empty" }
}

extension EmptyRecord: JSONDescribed {
    package static var jsonSummary: String { "The empty record." }
    package static var jsonFields: [JSONField] { [] }
}
