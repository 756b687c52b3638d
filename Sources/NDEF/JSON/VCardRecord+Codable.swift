extension VCardRecord {
    private enum CodingKeys: String, CodingKey {
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

    /// Reads `text` and `encoding` (`utf-8` where missing), and looks at nothing else. Where there is no `text`, a card of
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
