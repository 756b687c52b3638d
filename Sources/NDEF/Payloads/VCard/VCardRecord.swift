/// A business card: media type `text/vcard`, also the older `text/x-vcard` (vCard 2.1; RFC 2426 for 3.0; RFC 6350 for 4.0).
///
/// The text is kept as it is, and written as it was. What it says is in ``properties`` one by one, and in ``contact`` by
/// meaning.
public struct VCardRecord: NDEFTypedPayload {
    /// The text, as it was found or made.
    public let payload: [UInt8]
    /// The text, line ends and folds included.
    public let text: String
    /// How the text is stored: in UTF-8, or in ISO-8859-1 where it was found so.
    public let encoding: Encoding
    /// The properties of the first vCard in their order, without `BEGIN` and `END`.
    public let properties: [VCardProperty]

    /// How a text is stored.
    public enum Encoding: String, Sendable, Hashable, Codable, CaseIterable {
        /// UTF-8; the usual one.
        case utf8 = "utf-8"
        /// ISO-8859-1, in which some vCards 2.1 are.
        case latin1 = "iso-8859-1"
    }

    /// Media types `text/vcard` and `text/x-vcard`.
    public static let recordTypes = [NDEFRecordType.media("text/vcard"), .media("text/x-vcard")]
    /// `vCard`.
    public static let kind = "vCard"

    /// A card with this text, which need not be a vCard; line ends are to be CRLF.
    public init(text: String) {
        self.init(payload: Array(text.utf8), text: text, encoding: .utf8, parsing: VCardParsing(Array(text.utf8)))
    }

    /// A card that says this, in vCard 3.0 or 4.0: UTF-8, folded at 75 bytes, with CRLF at line ends.
    ///
    /// Where there is no formatted name, which is needed, one is made of the name, or of what else there is.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `VCARD_TYPE` where a type is no word of ASCII letters, digits and hyphens, and
    ///   `VCARD_PHOTO` for a photo without a URI, or with a media type that is none.
    public init(_ contact: VCardContact, version: VCardVersion = .v3_0) throws(NDEFPayloadError) {
        try contact.check()
        self.init(text: VCardWriter.text(of: contact, version: version))
    }

    /// Decodes a payload, whatever it is. There is a warning for text that is not UTF-8, and is then read as ISO-8859-1; for
    /// a missing `BEGIN:VCARD` or `END:VCARD`; for lines that are no property; and for a second vCard.
    public init(payload: [UInt8], warnings: inout [NDEFWarning.Code]) throws(NDEFPayloadError) {
        let text = String(utf8: payload[...])
        if text == nil { warnings.append(.vCardNotUTF8) }
        let readable = text ?? Latin1.decode(payload)
        let parsing = VCardParsing(Array(readable.utf8))
        warnings += parsing.warnings
        self.init(payload: payload, text: readable, encoding: text == nil ? .latin1 : .utf8, parsing: parsing)
    }

    private init(payload: [UInt8], text: String, encoding: Encoding, parsing: VCardParsing) {
        self.payload = payload
        self.text = text
        self.encoding = encoding
        properties = parsing.properties
    }

    /// The version that the card names, such as `3.0`; nil where it names none.
    public var version: String? { properties.first { $0.name == "VERSION" }?.text.trimmingSpace }

    /// Such as `vCard "Max Mustermann"`.
    public var description: String {
        let title = contact.title(orElse: "")
        return title.isEmpty ? "vCard" : "vCard \"\(title.escaped)\""
    }
}

/// The versions in which a vCard is written.
public enum VCardVersion: String, Sendable, Hashable, Codable, CaseIterable {
    /// 3.0 (RFC 2426), which everything reads.
    case v3_0 = "3.0"
    /// 4.0 (RFC 6350).
    case v4_0 = "4.0"
}

extension NDEFRecord {
    /// A record with a business card.
    ///
    /// - Throws: ``NDEFPayloadError`` where a type is no word, or a photo has no URI.
    public static func vCard(
        _ contact: VCardContact, version: VCardVersion = .v3_0, identifier: [UInt8] = []
    ) throws(NDEFPayloadError) -> NDEFRecord {
        NDEFRecord(try VCardRecord(contact, version: version), identifier: identifier)
    }
}

extension NDEFPayloadError.Code {
    /// A type of a telephone number, mail or postal address is no word of ASCII letters, digits and hyphens.
    public static let vCardType = Self(rawValue: "VCARD_TYPE")
    /// A photo to be written has no URI, or what is given as its media type is none.
    public static let vCardPhoto = Self(rawValue: "VCARD_PHOTO")
}
