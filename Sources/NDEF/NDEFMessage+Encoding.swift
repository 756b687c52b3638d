extension NDEFMessage {
    /// Length of the encoded message in bytes, without building it.
    ///
    /// Where a record cannot be encoded, it is the length that its fields would take.
    public var encodedLength: Int {
        records.reduce(0) { $0 + $1.encodedLength }
    }

    /// The message in its one canonical form (NFC Forum NDEF 1.0, §3.2): no chunks, the shortest lengths, IL only with an
    /// identifier, MB on the first and ME on the last record.
    ///
    /// A message without records gives no bytes, as an empty tag has a message of length 0.
    ///
    /// - Throws: ``NDEFError`` for the first record that cannot be encoded: a type or identifier over 255 bytes, a payload
    ///   over 2³² − 1 bytes, an empty record that is not empty, an unknown one with a type, or one that is `unchanged`. A
    ///   `reserved` record is encoded as it is, so that a tag can be copied.
    public func encoded() throws(NDEFError) -> [UInt8] {
        try checkEncodable()
        return encodedUnchecked()
    }

    /// The error that ``encoded()`` would give, without encoding.
    func checkEncodable() throws(NDEFError) {
        for (index, record) in records.enumerated() { try record.checkEncodable(at: index) }
    }

    /// The bytes of a message that ``checkEncodable()`` let pass.
    func encodedUnchecked() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encodedLength)
        for (index, record) in records.enumerated() {
            record.encode(into: &bytes, isFirst: index == 0, isLast: index == records.count - 1)
        }
        return bytes
    }
}

extension NDEFRecord {
    /// Length of the record in a message, in bytes.
    var encodedLength: Int {
        headerFlags(isFirst: true, isLast: true).headerLength + type.count + identifier.count + payload.count
    }

    private func headerFlags(isFirst: Bool, isLast: Bool) -> RecordFlags {
        RecordFlags(
            typeNameFormat: typeNameFormat, isFirst: isFirst, isLast: isLast,
            isShort: payload.count < 256, hasIdentifier: !identifier.isEmpty)
    }

    fileprivate func encode(into bytes: inout [UInt8], isFirst: Bool, isLast: Bool) {
        let flags = headerFlags(isFirst: isFirst, isLast: isLast)
        bytes.append(flags.rawValue)
        bytes.append(UInt8(truncatingIfNeeded: type.count))
        if !flags.isShortRecord {
            bytes.append(UInt8(truncatingIfNeeded: payload.count >> 24))
            bytes.append(UInt8(truncatingIfNeeded: payload.count >> 16))
            bytes.append(UInt8(truncatingIfNeeded: payload.count >> 8))
        }
        bytes.append(UInt8(truncatingIfNeeded: payload.count))
        if flags.hasIdentifierLength { bytes.append(UInt8(truncatingIfNeeded: identifier.count)) }
        bytes.append(contentsOf: type)
        bytes.append(contentsOf: identifier)
        bytes.append(contentsOf: payload)
    }
}

// MARK: - What cannot be encoded

extension NDEFRecord {
    fileprivate func checkEncodable(at index: Int) throws(NDEFError) {
        try Self.checkLengths(type: type.count, identifier: identifier.count, payload: payload.count, at: index)
        switch typeNameFormat {
        case .empty where !(type.isEmpty && identifier.isEmpty && payload.isEmpty):
            let reason = "an empty record has a type, an identifier or a payload"
            throw NDEFError(.emptyRecordNotEmpty, recordIndex: index, reason)
        case .unknown where !type.isEmpty:
            throw NDEFError(.unknownWithType, recordIndex: index, "a record of unknown type has a type")
        case .unchanged:
            let reason = "the type name format is unchanged, which only chunks have"
            throw NDEFError(.unchangedWithoutChunk, recordIndex: index, reason)
        default:
            return
        }
    }

    /// Checks lengths in bytes against the widths of their fields.
    static func checkLengths(type: Int, identifier: Int, payload: Int, at index: Int) throws(NDEFError) {
        if type > 255 {
            let reason = "type of \(type) bytes is longer than the 255 bytes that can be encoded"
            throw NDEFError(.typeTooLong, recordIndex: index, reason)
        }
        if identifier > 255 {
            let reason = "identifier of \(identifier) bytes is longer than the 255 bytes that can be encoded"
            throw NDEFError(.identifierTooLong, recordIndex: index, reason)
        }
        if UInt32(exactly: payload) == nil {
            let reason = "payload of \(payload) bytes is longer than the \(UInt32.max) bytes that can be encoded"
            throw NDEFError(.payloadTooLong, recordIndex: index, reason)
        }
    }
}
