extension VCardRecord {
    /// What the card says, by meaning. It is taken from ``properties`` anew at each call.
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
