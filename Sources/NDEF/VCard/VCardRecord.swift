/// A business card: media type `text/vcard`, also the older `text/x-vcard` (vCard 2.1; RFC 2426 for 3.0; RFC 6350 for 4.0).
///
/// The text is kept and written unchanged. Its content is in ``properties`` one by one, and in ``contact`` by
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
    /// If there is no formatted name, which is needed, one is made of the name, or of what else there is.
    ///
    /// - Throws: ``NDEFPayloadError`` with code `VCARD_TYPE` where a type is not a word of ASCII letters, digits and hyphens, and
    ///   `VCARD_PHOTO` for a photo without a URI, or with an invalid media type.
    public init(_ contact: VCardContact, version: VCardVersion = .v3_0) throws(NDEFPayloadError) {
        try contact.check()
        self.init(text: VCardWriter.text(of: contact, version: version))
    }

    /// Decodes a payload, whatever it is. There is a warning for text that is not UTF-8, and is then read as ISO-8859-1; for
    /// a missing `BEGIN:VCARD` or `END:VCARD`; for lines that are not properties; and for a second vCard.
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
    /// - Throws: ``NDEFPayloadError`` where a type is not a word, or a photo has no URI.
    public static func vCard(
        _ contact: VCardContact, version: VCardVersion = .v3_0, identifier: [UInt8] = []
    ) throws(NDEFPayloadError) -> NDEFRecord {
        NDEFRecord(try VCardRecord(contact, version: version), identifier: identifier)
    }
}

extension NDEFWarning.Code {
    /// A vCard is not UTF-8, and was read as ISO-8859-1.
    public static let vCardNotUTF8 = Self("VCARD_NOT_UTF8", "the vCard is not UTF-8 and was read as ISO-8859-1")
}

extension NDEFPayloadError.Code {
    /// A type of a telephone number, mail or postal address is not a word of ASCII letters, digits and hyphens.
    public static let vCardType = Self(rawValue: "VCARD_TYPE")
    /// A photo to be written has no URI, or its media type is invalid.
    public static let vCardPhoto = Self(rawValue: "VCARD_PHOTO")
}

extension VCardRecord {
    /// What the card says, by meaning. It is computed from ``properties`` at each call.
    public var contact: VCardContact {
        let properties = Dictionary(grouping: self.properties, by: \.name)
        func all(_ name: String) -> [VCardProperty] { properties[name] ?? [] }
        func text(_ name: String) -> String? { all(name).lazy.map(\.text).first { !$0.isEmpty } }
        return VCardContact(
            formattedName: text("FN"),
            name: all("N").lazy.compactMap(VCardName.init).first,
            phones: all("TEL").compactMap { VCardValue($0, scheme: "tel") },
            mails: all("EMAIL").compactMap { VCardValue($0, scheme: "mailto") },
            organisation: all("ORG").first.map { $0.components.droppingLastEmpty } ?? [],
            title: text("TITLE"), role: text("ROLE"),
            addresses: all("ADR").compactMap(VCardAddress.init),
            urls: all("URL").map(\.text).filter { !$0.isEmpty },
            birthday: text("BDAY"), note: text("NOTE"), uid: text("UID"),
            photo: all("PHOTO").first.flatMap(VCardPhoto.init))
    }
}

extension VCardName {
    /// Nil where all parts are empty.
    fileprivate init?(_ property: VCardProperty) {
        var parts = property.components.makeIterator()
        family = parts.next() ?? ""
        given = parts.next() ?? ""
        additional = parts.next() ?? ""
        prefixes = parts.next() ?? ""
        suffixes = parts.next() ?? ""
        if line.isEmpty { return nil }
    }
}

extension VCardValue {
    /// Nil where the value is empty. In vCard 4.0 it may be a URI.
    fileprivate init?(_ property: VCardProperty, scheme: String) {
        types = property.types
        if let parts = URIParts(property.text), parts.scheme == scheme {
            value = PercentEncoding.decode(parts.rest)
        } else {
            value = property.text
        }
        if value.isEmpty { return nil }
    }
}

extension VCardAddress {
    /// Nil where all parts are empty.
    fileprivate init?(_ property: VCardProperty) {
        var parts = property.components.makeIterator()
        postOfficeBox = parts.next() ?? ""
        extended = parts.next() ?? ""
        street = parts.next() ?? ""
        locality = parts.next() ?? ""
        region = parts.next() ?? ""
        postalCode = parts.next() ?? ""
        country = parts.next() ?? ""
        types = property.types
        if property.components.allSatisfy(\.isEmpty) { return nil }
    }
}

extension VCardPhoto {
    /// Nil where the value is empty. The picture is in base 64, in a `data:` URI (RFC 2397), or elsewhere.
    fileprivate init?(_ property: VCardProperty) {
        let type = property.parameter("MEDIATYPE") ?? property.types.first.map { $0.contains("/") ? $0 : "image/\($0)" }
        let text = property.text
        if text.isEmpty { return nil }
        if property.encoding == "BASE64" || property.encoding == "B" {
            self.init(mediaType: type, uri: nil, size: Self.size(ofBase64: text.utf8[...]))
        } else if let parts = URIParts(text), parts.scheme == "data",
            let comma = parts.rest.firstIndex(of: UInt8(ascii: ","))
        {
            let header = String(decoding: parts.rest[..<comma], as: UTF8.self).split(separator: ";")
            let data = parts.rest[(comma + 1)...]
            let size = header.last == "base64" ? Self.size(ofBase64: data) : PercentEncoding.decode(data).utf8.count
            self.init(mediaType: header.first { $0.contains("/") }.map(String.init) ?? type, uri: nil, size: size)
        } else {
            self.init(mediaType: type, uri: text, size: nil)
        }
    }

    /// How many bytes these digits are: six bits a digit. Padding, and white space from folding, do not count.
    private static func size(ofBase64 text: some Sequence<UInt8>) -> Int {
        text.count(where: base64Digits.contains) * 6 / 8
    }

    private static let base64Digits = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}

extension [String] {
    fileprivate var droppingLastEmpty: [String] {
        var rest = self
        while rest.last?.isEmpty == true { rest.removeLast() }
        return rest
    }
}

extension VCardRecord {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case text, encoding, version, phones, mails, addresses, photo
    }

    /// Writes `text`, `encoding` where it is not UTF-8, `version` where the card names one, and the fields of
    /// ``VCardContact``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        if encoding != .utf8 { try container.encode(encoding, forKey: .encoding) }
        try container.encodeIfPresent(version, forKey: .version)
        try contact.encode(to: encoder)
    }

    /// Reads `text` and `encoding` (`utf-8` where missing), and looks at nothing else. If there is no `text`, a card of
    /// `version` 3.0 (where missing) or 4.0 is made of the fields of ``VCardContact``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let text = try container.decodeIfPresent(String.self, forKey: .text) else {
            self = try Self.made(of: VCardContact(from: decoder), in: container)
            return
        }
        guard try container.decodeIfPresent(Encoding.self, forKey: .encoding) == .latin1 else {
            self.init(text: text)
            return
        }
        guard let payload = Latin1.encode(text) else {
            throw container.rejection(forKey: .encoding, "the text has characters that are not in ISO-8859-1")
        }
        try self.init(payload: payload)
    }

    private static func made(
        of contact: VCardContact, in container: KeyedDecodingContainer<CodingKeys>
    ) throws -> VCardRecord {
        guard contact != VCardContact() else { throw container.rejection(forKey: .text, "no text and no fields") }
        let version = try container.decodeIfPresent(VCardVersion.self, forKey: .version) ?? .v3_0
        // One field after the other, so that an error names it.
        try container.accepting(.phones, VCardContact(phones: contact.phones).check)
        try container.accepting(.mails, VCardContact(mails: contact.mails).check)
        try container.accepting(.addresses, VCardContact(addresses: contact.addresses).check)
        return try container.accepting(.photo) { () throws(NDEFPayloadError) in
            try VCardRecord(contact, version: version)
        }
    }
}

extension VCardRecord: JSONDescribed {
    package static var jsonSummary: String {
        "A business card (media type `text/vcard`). The fields are those of the first card in the text."
    }
    package static var jsonFields: [JSONField] {
        JSONField.all(of: CodingKeys.self) { key in
            switch key {
            case .text:
                .written(
                    .text,
                    "The whole text, unchanged. In a record to write it takes precedence; without it, the other fields make a card."
                )
            case .encoding:
                .optional(
                    .words([Encoding.utf8, .latin1].map(\.rawValue), numbers: nil), usual: .text("utf-8"),
                    "The encoding of the text; written unless it is UTF-8.")
            case .version:
                .optional(
                    .text,
                    "The version that the card names; one that is made is of version `3.0`, unless this is `4.0`.")
            case .phones, .mails, .addresses, .photo:
                nil
            }
        } + VCardContact.jsonFields
    }
}
