extension NestedMessage {
    /// The records of the messages that stand one behind the other in these bytes.
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

    /// The bytes up to the end of the first record that has ME; all bytes where there is none.
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
