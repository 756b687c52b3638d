// Lists of records within a typed payload: each is written raw and read in either form.

extension KeyedEncodingContainer {
    mutating func encode(raw records: [NDEFRecord], forKey key: Key) throws {
        try encode(records.map(RawRecordForm.init), forKey: key)
    }

    /// Writes the field only where there are records.
    mutating func encodeIfNotEmpty(raw records: [NDEFRecord], forKey key: Key) throws {
        if !records.isEmpty { try encode(raw: records, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    /// The records, or nil where the field is missing or null.
    func decodeRecordsIfPresent(forKey key: Key) throws -> [NDEFRecord]? {
        try decodeIfPresent([RawRecordForm].self, forKey: key)?.map(\.record)
    }
}
