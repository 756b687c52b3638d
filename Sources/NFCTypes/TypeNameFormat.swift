/// How the TYPE of a record is to be read: the three-bit TNF field (NFC Forum NDEF 1.0, §3.2.6).
///
/// Every value of the field has a case, so that no record is lost; the names are those of CoreNFC, and `reserved`.
public enum TypeNameFormat: UInt8, Sendable, Hashable, CaseIterable {
    /// No type, identifier or payload.
    case empty = 0
    /// A type of the NFC Forum's Record Type Definitions, such as `T` or `U`; compared with case.
    case nfcWellKnown = 1
    /// A media type (RFC 2046), such as `text/vcard`; compared without case.
    case media = 2
    /// The type is an absolute URI (RFC 3986).
    case absoluteURI = 3
    /// An NFC Forum external type, such as `example.com:lock`; compared without case.
    case nfcExternal = 4
    /// A payload of unknown kind; there is no type.
    case unknown = 5
    /// A chunk after the first of a record; never found in a decoded message.
    case unchanged = 6
    /// Reserved by the standard; delivered with its bytes, to be treated as `unknown`.
    case reserved = 7
}

extension TypeNameFormat: CustomStringConvertible {
    /// The name, as in the JSON form: `empty`, `nfcWellKnown`, `media`, `absoluteURI`, `nfcExternal`,
    /// `unknown`, `unchanged` or `reserved`.
    public var description: String {
        switch self {
        case .empty: "empty"
        case .nfcWellKnown: "nfcWellKnown"
        case .media: "media"
        case .absoluteURI: "absoluteURI"
        case .nfcExternal: "nfcExternal"
        case .unknown: "unknown"
        case .unchanged: "unchanged"
        case .reserved: "reserved"
        }
    }

    /// The format of that name, or nil; the reverse of ``description``.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = match
    }
}

extension TypeNameFormat: Codable {
    /// Reads the name, such as `nfcWellKnown`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let format = TypeNameFormat(name: try container.decode(String.self)) else {
            let names = Self.allCases.map(\.description).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no type name format has this name; there are \(names)")
        }
        self = format
    }

    /// Writes the name, such as `nfcWellKnown`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
