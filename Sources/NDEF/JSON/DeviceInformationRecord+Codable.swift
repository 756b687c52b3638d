extension DeviceInformationRecord {
    private enum CodingKeys: String, CodingKey {
        case vendorName, modelName, uniqueName, uuid, firmwareVersion, other
    }

    /// Writes `vendorName` and `modelName`, and, where there are any, `uniqueName`, `uuid` (with hyphens),
    /// `firmwareVersion` and `other`, a list of objects of `type` (a number) and `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(vendorName, forKey: .vendorName)
        try container.encode(modelName, forKey: .modelName)
        try container.encodeIfPresent(uniqueName, forKey: .uniqueName)
        try container.encodeIfPresent(uuidString, forKey: .uuid)
        try container.encodeIfPresent(firmwareVersion, forKey: .firmwareVersion)
        if !other.isEmpty { try container.encode(other, forKey: .other) }
    }

    /// Reads `vendorName` and `modelName`, and any of `uniqueName`, `uuid` (32 hexadecimal digits of either case,
    /// hyphens between them ignored), `firmwareVersion` and `other`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let vendorName = try container.decode(String.self, forKey: .vendorName)
        let modelName = try container.decode(String.self, forKey: .modelName)
        let uniqueName = try container.decodeIfPresent(String.self, forKey: .uniqueName)
        let uuid = try Self.uuid(in: container)
        let firmwareVersion = try container.decodeIfPresent(String.self, forKey: .firmwareVersion)
        let other = try container.decodeIfPresent([Element].self, forKey: .other) ?? []
        // Checked one by one first, so that an error names the field.
        let texts: [(CodingKeys, String?)] = [
            (.vendorName, vendorName), (.modelName, modelName), (.uniqueName, uniqueName),
            (.firmwareVersion, firmwareVersion),
        ]
        for (key, text) in texts {
            try container.accepting(key) { () throws(NDEFPayloadError) in try Self.check(length: text?.utf8.count ?? 0)
            }
        }
        self = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try DeviceInformationRecord(
                vendorName: vendorName, modelName: modelName, uniqueName: uniqueName, uuid: uuid,
                firmwareVersion: firmwareVersion, other: other)
        }
    }

    private static func uuid(in container: KeyedDecodingContainer<CodingKeys>) throws -> [UInt8]? {
        guard let text = try container.decodeIfPresent(String.self, forKey: .uuid) else { return nil }
        let digits = String(decoding: text.utf8.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        guard let uuid = [UInt8](hexadecimal: digits) else {
            throw container.rejection(forKey: .uuid, "not an even number of hexadecimal digits and hyphens")
        }
        try container.accepting(.uuid) { () throws(NDEFPayloadError) in try check(uuid: uuid) }
        return uuid
    }
}

extension DeviceInformationRecord.Element: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, data
    }

    /// Writes `type` as a number, and `data`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(hexadecimal: data, forKey: .data)
    }

    /// Reads `type`, and `data` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            type: try container.decodeInteger(UInt8.self, forKey: .type),
            data: try container.decodeHexadecimalIfPresent(forKey: .data) ?? [])
    }
}
