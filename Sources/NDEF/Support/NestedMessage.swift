/// A message that is the payload, or a part of the payload, of a record.
enum NestedMessage {
    /// The records of the message in these bytes; the codes of tolerated structural defects go to `warnings`.
    ///
    /// - Throws: ``NDEFPayloadError`` with the code of the structural fault, such as `TRUNCATED_PAYLOAD`.
    static func decode(
        _ bytes: ArraySlice<UInt8>, warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> [NDEFRecord] {
        do throws(NDEFError) {
            let decoding = try NDEFMessage.decode(Array(bytes))
            warnings += decoding.warnings.map(\.code)
            return decoding.message.records
        } catch {
            throw NDEFPayloadError(nested: error)
        }
    }

    /// The bytes of a message of these records, which ``check(_:)`` let pass.
    static func encode(_ records: [NDEFRecord]) -> [UInt8] {
        NDEFMessage(records: records).encodedUnchecked()
    }

    /// Checks that each record can be encoded.
    ///
    /// - Throws: ``NDEFPayloadError`` with the code of ``NDEFMessage/encoded()``, such as `TYPE_TOO_LONG`.
    static func check(_ records: [NDEFRecord]) throws(NDEFPayloadError) {
        do throws(NDEFError) {
            try NDEFMessage(records: records).checkEncodable()
        } catch {
            throw NDEFPayloadError(nested: error)
        }
    }
}

extension NDEFPayloadError {
    fileprivate init(nested error: NDEFError) {
        self.init(Code(rawValue: error.code.rawValue), "in the message inside: \(error.message)")
    }
}

extension NestedMessage {
    /// The records of the messages that follow one another in these bytes.
    ///
    /// - Throws: ``NDEFPayloadError`` with the code of the structural fault, such as `TRUNCATED_PAYLOAD`.
    static func decodeSequence(
        _ bytes: ArraySlice<UInt8>, warnings: inout [NDEFWarning.Code]
    ) throws(NDEFPayloadError) -> [NDEFRecord] {
        let limit = NDEFLimits.default.maximumRecordCount
        var records: [NDEFRecord] = []
        var rest = bytes
        while !rest.isEmpty {
            let message = rest.prefix(firstMessageLength(in: rest.span))
            records += try decode(message, warnings: &warnings)
            guard records.count <= limit else {
                let reason = "the messages inside have more than \(counted(limit, "record"))"
                throw NDEFPayloadError(.init(rawValue: NDEFError.Code.limitExceeded.rawValue), reason)
            }
            rest = rest.dropFirst(message.count)
        }
        return records
    }

    /// The bytes up to the end of the first record that has ME; all bytes if there is none.
    private static func firstMessageLength(in bytes: Span<UInt8>) -> Int {
        var offset = 0
        while let header = RecordHeader(bytes, at: offset) {
            let payloadAt = offset + header.flags.headerLength + header.typeLength + header.identifierLength
            guard header.payloadLength <= bytes.count - payloadAt else { break }
            offset = payloadAt + header.payloadLength
            if header.flags.isMessageEnd { return offset }
        }
        return bytes.count
    }
}

/// A record within a typed payload: written raw, so that no depth of nesting can make the form long; read in either form.
struct RawRecordForm: Codable {
    let record: NDEFRecord

    init(_ record: NDEFRecord) {
        self.record = record
    }

    init(from decoder: any Decoder) throws {
        record = try NDEFRecord(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try record.encodeFields(to: encoder)
    }
}

// Lists of records within a typed payload: each is written raw and read in either form.

extension KeyedEncodingContainer {
    mutating func encode(raw records: [NDEFRecord], forKey key: Key) throws {
        try encode(records.map(RawRecordForm.init), forKey: key)
    }

    /// Writes the field only if there are records.
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
