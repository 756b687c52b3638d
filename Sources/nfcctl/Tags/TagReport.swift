import NFCProtocol

/// What was done with a tag, as a line of JSON.
struct TagReport<Extra: Encodable>: Encodable {
    private enum CodingKeys: String, CodingKey {
        case event, reader, readerName, tag
    }

    private struct Identity: Encodable {
        let type: WireTagType
        let technology: String
        let identifier: HexBytes
    }

    let event: String
    let tag: SessionDidDetectTags.Tag
    /// Further fields.
    let extra: Extra

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(event, forKey: .event)
        try object.encode(tag.reader, forKey: .reader)
        try object.encode(tag.readerName, forKey: .readerName)
        try object.encode(
            Identity(type: tag.type, technology: tag.technology, identifier: tag.identifier), forKey: .tag)
        try extra.encode(to: encoder)
    }
}
