/// Writes a vCard of version 3.0 or 4.0.
struct VCardWriter {
    private var bytes: [UInt8] = []
    private let version: VCardVersion

    /// The text of a vCard; its lines end with CRLF and have at most 75 bytes.
    static func text(of contact: VCardContact, version: VCardVersion) -> String {
        var writer = VCardWriter(version: version)
        writer.write(contact)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private init(version: VCardVersion) { self.version = version }

    private mutating func write(_ contact: VCardContact) {
        addLine(Array("BEGIN:VCARD".utf8))
        addLine(Array("VERSION:\(version.rawValue)".utf8))
        add("FN", contact.title(orElse: ""))
        // Version 3.0 wants the parts of the name, if need be empty.
        if version == .v3_0 || contact.name != nil { add("N", components: (contact.name ?? VCardName()).components) }
        for phone in contact.phones { add("TEL", phone.value, types: phone.types) }
        for mail in contact.mails { add("EMAIL", mail.value, types: mail.types) }
        if !contact.organisation.isEmpty { add("ORG", components: contact.organisation) }
        if let title = contact.title { add("TITLE", title) }
        if let role = contact.role { add("ROLE", role) }
        for address in contact.addresses { add("ADR", components: address.components, types: address.types) }
        for url in contact.urls { add("URL", uri: url) }
        if let birthday = contact.birthday { add("BDAY", birthday) }
        if let note = contact.note { add("NOTE", note) }
        if let uid = contact.uid { add("UID", uri: uid) }
        if let photo = contact.photo { add(photo) }
        addLine(Array("END:VCARD".utf8))
    }

    private mutating func add(_ name: String, _ text: String, types: [String] = []) {
        addLine(Array("\(name)\(parameters(types)):".utf8) + VCardEscapes.escape(text))
    }

    private mutating func add(_ name: String, components: [String], types: [String] = []) {
        let value = components.map { VCardEscapes.escape($0) }.joined(separator: ";".utf8)
        addLine(Array("\(name)\(parameters(types)):".utf8) + value)
    }

    /// A URI has no escapes, but a backslash or line end, which it must not have, would be read as one.
    private mutating func add(_ header: String, uri: String) {
        addLine(Array("\(header):".utf8) + VCardEscapes.escape(uri, Set("\\".utf8)))
    }

    private mutating func add(_ photo: VCardPhoto) {
        guard let uri = photo.uri else { return }
        let type = photo.mediaType.map { mediaType in
            // Version 3.0 has the name of the picture's format alone.
            let format = mediaType.hasPrefix("image/") ? mediaType.dropFirst(6) : mediaType[...]
            return version == .v3_0 ? ";TYPE=\(format)" : ";MEDIATYPE=\(mediaType)"
        }
        add("PHOTO;VALUE=uri\(type ?? "")", uri: uri)
    }

    /// `;TYPE=home,work`; in version 4.0 the preferred one is marked.
    private func parameters(_ types: [String]) -> String {
        let isPreferred = version == .v4_0 && types.contains("pref")
        let kinds = isPreferred ? types.filter { $0 != "pref" } : types
        return (kinds.isEmpty ? "" : ";TYPE=\(kinds.joined(separator: ","))") + (isPreferred ? ";PREF=1" : "")
    }

    /// Folds a line so that no line has more than 75 bytes and no character is cut (RFC 6350, §3.2).
    private mutating func addLine(_ line: [UInt8]) {
        var width = 0
        for byte in line {
            if width + Self.length(ofCharacter: byte) > 75 {
                bytes += "\r\n ".utf8
                width = 1
            }
            bytes.append(byte)
            width += 1
        }
        bytes += "\r\n".utf8
    }

    /// How many bytes the character has that starts with this byte; 0 for a byte within a character.
    private static func length(ofCharacter byte: UInt8) -> Int {
        switch byte {
        case 0x80..<0xC0: 0
        case 0xC0..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0...: 4
        default: 1
        }
    }
}

extension VCardName {
    fileprivate var components: [String] { [family, given, additional, prefixes, suffixes] }
}

extension VCardAddress {
    fileprivate var components: [String] {
        [postOfficeBox, extended, street, locality, region, postalCode, country]
    }
}
