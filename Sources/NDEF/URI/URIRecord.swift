/// A URI: well-known type `U` (NFC Forum RTD URI 1.0).
///
/// The payload is a code that stands for a prefix (§3.2.2), and the rest of the URI in UTF-8 (§3.2.3).
public struct URIRecord: NDEFTypedPayload {
    /// The whole URI, prefix included. It may hold any characters but controls below U+0020; no scheme is required.
    public let uri: String

    /// A URI to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `URI_CONTROL_CHARS`.
    public init(_ uri: String) throws(NDEFPayloadError) {
        guard uri.utf8.allSatisfy({ $0 >= 0x20 }) else {
            throw NDEFPayloadError(.uriControlCharacters, "the URI contains control characters")
        }
        self.uri = uri
    }

    /// A URI that is known to have no control characters.
    init(printable uri: String) { self.uri = uri }

    /// Well-known type `U`.
    public static let recordTypes = [NDEFRecordType.wellKnown("U")]
    /// `uri`.
    public static let kind = "uri"

    /// Decodes a payload.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `URI_EMPTY`, `URI_RFU_PREFIX`, `URI_NOT_UTF8` or `URI_CONTROL_CHARS`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard let code = payload.first else {
            throw NDEFPayloadError(.uriEmpty, "the URI record has no bytes, not even a prefix code")
        }
        guard let prefix = URIPrefix.string(for: code) else {
            let digits = [code].hexadecimal
            throw NDEFPayloadError(.uriReservedPrefix, "prefix code \(digits) is reserved; the last in use is 23")
        }
        guard let rest = String(utf8: payload.dropFirst()) else {
            throw NDEFPayloadError(.uriNotUTF8, "the URI is not UTF-8")
        }
        try self.init(prefix + rest)
    }

    /// The code of the longest prefix that fits, and the rest of the URI in UTF-8.
    public var payload: [UInt8] {
        let (code, length) = URIPrefix.longest(of: uri)
        return [code] + uri.utf8.dropFirst(length)
    }

    /// Such as `URI https://example.com`, or `URI sms:+491701234567 "Hello"`.
    public var description: String { "URI \(line)" }
}

extension NDEFRecord {
    /// A URI record (NFC Forum RTD URI 1.0), with the longest prefix that fits abbreviated.
    ///
    /// - Throws: ``NDEFPayloadError`` where the URI contains control characters.
    public static func uri(_ uri: String, identifier: [UInt8] = []) throws(NDEFPayloadError) -> NDEFRecord {
        NDEFRecord(try URIRecord(uri), identifier: identifier)
    }
}

extension NDEFPayloadError.Code {
    /// A URI payload has no bytes.
    public static let uriEmpty = Self(rawValue: "URI_EMPTY")
    /// The prefix code is reserved for future use: 24 (hexadecimal) or above.
    public static let uriReservedPrefix = Self(rawValue: "URI_RFU_PREFIX")
    /// The URI is not well-formed UTF-8.
    public static let uriNotUTF8 = Self(rawValue: "URI_NOT_UTF8")
    /// The URI contains characters below U+0020.
    public static let uriControlCharacters = Self(rawValue: "URI_CONTROL_CHARS")
}

/// The prefixes that one byte stands for (NFC Forum RTD URI 1.0, §3.2.2).
enum URIPrefix {
    /// The prefixes in the order of their codes, 00 to 23.
    static let all = [
        "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@",
        "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:",
        "telnet://", "imap:", "rtsp://", "urn:", "pop:", "sip:", "sips:", "tftp:",
        "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://", "file://", "urn:epc:id:", "urn:epc:tag:",
        "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
    ]

    /// The prefix of that code, or nil where the code is reserved.
    static func string(for code: UInt8) -> String? {
        all.indices.contains(Int(code)) ? all[Int(code)] : nil
    }

    /// The code of the longest prefix that the URI starts with, and its length in bytes; code 0 where none fits.
    static func longest(of uri: String) -> (code: UInt8, length: Int) {
        var best: (code: UInt8, length: Int) = (0, 0)
        // Bytes, not characters: a combining mark after a prefix must not hide it.
        for (code, prefix) in zip(UInt8(0)..., all)
        where prefix.utf8.count > best.length && uri.utf8.starts(with: prefix.utf8) {
            best = (code, prefix.utf8.count)
        }
        return best
    }
}

extension URIRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case uri, tel, sms, mailto, geo, gs1
    }

    /// Writes `uri`, and what it leads to as `tel`, `sms`, `mailto` or `geo` where it is of such a scheme, or `gs1` where it is a link to
    /// a product.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(uri, forKey: .uri)
        switch target {
        case .telephone(let telephone): try container.encode(telephone, forKey: .tel)
        case .message(let message): try container.encode(message, forKey: .sms)
        case .mail(let mail): try container.encode(mail, forKey: .mailto)
        case .location(let location): try container.encode(location, forKey: .geo)
        case nil: try container.encodeIfPresent(gs1, forKey: .gs1)
        }
    }

    /// Reads `uri`; where it is missing, the URI is made of `tel`, `sms`, `mailto` or `geo`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if try container.decodeIfPresent(String.self, forKey: .uri) == nil, let target = try Self.target(in: container)
        {
            self.init(target)
            return
        }
        let uri = try container.decode(String.self, forKey: .uri)
        self = try container.accepting(.uri) { () throws(NDEFPayloadError) in try URIRecord(uri) }
    }

    private static func target(in container: KeyedDecodingContainer<CodingKeys>) throws -> URITarget? {
        let targets = [
            try container.decodeIfPresent(TelephoneURI.self, forKey: .tel).map(URITarget.telephone),
            try container.decodeIfPresent(MessageURI.self, forKey: .sms).map(URITarget.message),
            try container.decodeIfPresent(MailURI.self, forKey: .mailto).map(URITarget.mail),
            try container.decodeIfPresent(LocationURI.self, forKey: .geo).map(URITarget.location),
        ].compactMap { $0 }
        if targets.count > 1 { throw container.rejection(forKey: .uri, "more than one object describes it; give one") }
        return targets.first
    }
}

extension URIRecord: JSONDescribed {
    package static var jsonSummary: String { "A URI (well-known type `U`)." }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .uri:
                .written(
                    .text,
                    "The whole URI. In a record to write it takes precedence; without it, one of the other fields makes the URI."
                )
            case .tel:
                .optional(.object(TelephoneURI.self), "The parts of a `tel` URI.")
            case .sms:
                .optional(.object(MessageURI.self), "The parts of an `sms` or `smsto` URI.")
            case .mailto:
                .optional(.object(MailURI.self), "The parts of a `mailto` URI.")
            case .geo:
                .optional(.object(LocationURI.self), "The parts of a `geo` URI.")
            case .gs1:
                .derived(.object(GS1Link.self), .optional, "What a GS1 Digital Link says.")
            }
        }
    }
}
