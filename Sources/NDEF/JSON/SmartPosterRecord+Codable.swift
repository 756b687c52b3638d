extension SmartPosterRecord {
    private enum CodingKeys: String, CodingKey {
        case uri, titles, action, size, type, icons, other
    }

    /// Writes `uri` and `titles`, and, where there are any, `action`, `size`, `type`, `icons` and `other`. A title has
    /// the fields of a text, an icon those of a media record; the others are raw records.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(uri.uri, forKey: .uri)
        try container.encode(titles, forKey: .titles)
        if let action { try container.encode(named: action, forKey: .action) }
        try container.encodeIfPresent(size, forKey: .size)
        try container.encodeIfPresent(type, forKey: .type)
        if !icons.isEmpty { try container.encode(icons, forKey: .icons) }
        try container.encodeIfNotEmpty(raw: other, forKey: .other)
    }

    /// Reads `uri`, and any of `titles`, `action`, `size`, `type`, `icons` and `other`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let uri = try container.decode(String.self, forKey: .uri)
        let uriRecord = try container.accepting(.uri) { () throws(NDEFPayloadError) in try URIRecord(uri) }
        let titles = try container.decodeIfPresent([TextRecord].self, forKey: .titles) ?? []
        let action = try container.decodeNamedIfPresent(SmartPosterAction.self, forKey: .action)
        let size = try container.decodeIntegerIfPresent(UInt32.self, forKey: .size)
        let type = try container.decodeIfPresent(String.self, forKey: .type)
        let icons = try container.decodeIfPresent([MediaRecord].self, forKey: .icons) ?? []
        let other = try container.decodeRecordsIfPresent(forKey: .other) ?? []
        // Checked one by one first, so that an error names the field.
        try container.accepting(.type) { () throws(NDEFPayloadError) in _ = try type.map(TypeRecord.init) }
        try container.accepting(.icons) { () throws(NDEFPayloadError) in try Self.check(icons: icons) }
        self = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try SmartPosterRecord(
                uri: uriRecord, titles: titles, action: action, size: size, type: type, icons: icons, other: other)
        }
    }
}
