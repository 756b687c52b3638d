extension HandoverErrorRecord {
    private enum CodingKeys: String, CodingKey {
        case reason, data, reserved
    }

    /// Writes `reason` (a name), `data` (milliseconds or bytes), and `reserved` (hexadecimal) where there is any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(named: reason, forKey: .reason)
        try container.encode(data, forKey: .data)
        try container.encodeIfNotEmpty(hexadecimal: reserved, forKey: .reserved)
    }

    /// Reads `reason` and `data`, and `reserved` (empty where missing).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let reason = try container.decodeNamed(Reason.self, forKey: .reason)
        let data = try container.decodeInteger(UInt32.self, forKey: .data)
        let reserved = try container.decodeHexadecimalIfPresent(forKey: .reserved) ?? []
        self = try container.accepting(.data) { () throws(NDEFPayloadError) in
            try HandoverErrorRecord(reason, data: data, reserved: reserved)
        }
    }
}

extension HandoverErrorRecord.Reason: NamedNumber {
    static let names: [UInt8: String] = [
        1: "temporaryMemoryConstraints", 2: "permanentMemoryConstraints", 3: "carrierSpecificConstraints",
    ]
}
