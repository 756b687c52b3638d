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
