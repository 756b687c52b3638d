extension GenericControlRecord {
    private enum CodingKeys: String, CodingKey {
        case configuration, target, actionCode, actionRecords, data, other
    }

    /// Writes `configuration` (a number), `target`, `actionCode` (a number) or `actionRecords` where there is an
    /// action, `data`, and `other` where there are any. All but the numbers are lists of raw records.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(configuration, forKey: .configuration)
        try container.encode(raw: target, forKey: .target)
        switch action {
        case .code(let code): try container.encode(code, forKey: .actionCode)
        case .records(let records): try container.encode(raw: records, forKey: .actionRecords)
        case nil: break
        }
        try container.encode(raw: data, forKey: .data)
        try container.encodeIfNotEmpty(raw: other, forKey: .other)
    }

    /// Reads `target`, and any of `configuration` (0 where missing), `actionCode` or `actionRecords`, `data` and
    /// `other`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let configuration = try container.decodeIntegerIfPresent(UInt8.self, forKey: .configuration) ?? 0
        let target = try container.decodeRecordsIfPresent(forKey: .target) ?? []
        try container.accepting(.target) { () throws(NDEFPayloadError) in try Self.check(target: target) }
        let action = try Self.action(in: container)
        let data = try container.decodeRecordsIfPresent(forKey: .data) ?? []
        try container.accepting(.data) { () throws(NDEFPayloadError) in try NestedMessage.check(data) }
        let other = try container.decodeRecordsIfPresent(forKey: .other) ?? []
        self = try container.accepting(.other) { () throws(NDEFPayloadError) in
            try GenericControlRecord(
                configuration: configuration, target: target, action: action, data: data, other: other)
        }
    }

    private static func action(in container: KeyedDecodingContainer<CodingKeys>) throws -> Action? {
        let code = try container.decodeIntegerIfPresent(UInt8.self, forKey: .actionCode)
        guard let records = try container.decodeRecordsIfPresent(forKey: .actionRecords) else {
            return code.map(Action.code)
        }
        guard code == nil else {
            throw container.rejection(forKey: .actionRecords, "there is a code as well as records")
        }
        try container.accepting(.actionRecords) { () throws(NDEFPayloadError) in try check(.records(records)) }
        return .records(records)
    }
}
