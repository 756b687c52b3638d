/// Of what media type the object is that the URI of the Smart Poster around leads to: local type `t` (NFC Forum RTD
/// Smart Poster 1.0).
///
/// The payload is the media type in UTF-8.
public struct TypeRecord: NDEFTypedPayload {
    /// The media type, such as `text/html`, perhaps with parameters: characters on both sides of a `/`.
    public let type: String

    /// A media type to be written.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `TYPE_NOT_MIME`.
    public init(_ type: String) throws(NDEFPayloadError) {
        let subtype = type.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst()
        guard !subtype.isEmpty, type.utf8.first != UInt8(ascii: "/") else {
            throw NDEFPayloadError(.typeNotMIME, "the media type is not of the form type/subtype")
        }
        self.type = type
    }

    /// Well-known type `t`.
    public static let recordTypes = [NDEFRecordType.wellKnown("t")]
    /// `type`.
    public static let kind = "type"

    /// Decodes a payload.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `TYPE_NOT_UTF8` or `TYPE_NOT_MIME`.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        guard let type = String(utf8: payload[...]) else {
            throw NDEFPayloadError(.typeNotUTF8, "the media type is not UTF-8")
        }
        try self.init(type)
    }

    /// The media type in UTF-8.
    public var payload: [UInt8] { Array(type.utf8) }

    /// Such as `Type text/html`.
    public var description: String { "Type \(type.escaped)" }
}

extension NDEFPayloadError.Code {
    /// The media type of a type payload is not well-formed UTF-8.
    public static let typeNotUTF8 = Self(rawValue: "TYPE_NOT_UTF8")
    /// The media type is not of the form `type/subtype`.
    public static let typeNotMIME = Self(rawValue: "TYPE_NOT_MIME")
}
