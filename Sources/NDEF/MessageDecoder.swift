/// Walks the physical records of one message and puts chunks together (NDEF 1.0, §2.3.3 and §3.2).
package struct MessageDecoder {
    /// The records so far; where decoding fails, those before the fault.
    package private(set) var records: [NDEFRecord] = []
    /// The warnings so far.
    package private(set) var warnings: [NDEFWarning] = []

    private let limits: NDEFLimits
    private var offset = 0
    private var recordStart = 0
    private var payloadLength = 0
    /// The record whose chunks are still arriving.
    private var chunked: NDEFRecord?

    package init(limits: NDEFLimits) {
        self.limits = limits
    }

    /// Decodes one whole message; to be called once.
    package mutating func decode(_ bytes: Span<UInt8>) throws(NDEFError) {
        guard !bytes.isEmpty else {
            throw NDEFError(.emptyInput, byteOffset: 0, "there are no bytes, but a message has at least one record")
        }
        while try !decodePhysicalRecord(bytes) {}
        guard offset == bytes.count else {
            let reason = "\(counted(bytes.count - offset, "byte")) more after the last record of the message"
            throw NDEFError(.trailingData, byteOffset: offset, reason)
        }
    }

    /// Decodes the physical record at `offset` and says whether it ends the message.
    private mutating func decodePhysicalRecord(_ bytes: Span<UInt8>) throws(NDEFError) -> Bool {
        recordStart = offset
        let header = try readHeader(bytes)
        let type = try take(header.typeLength, of: "type", else: .truncatedType, bytes)
        let identifier = try take(header.identifierLength, of: "identifier", else: .truncatedID, bytes)
        let payload = try take(header.payloadLength, of: "payload", else: .truncatedPayload, bytes)
        try checkContent(header)
        try checkLimits(header)

        if chunked == nil {
            addWarnings(header)
            let record = NDEFRecord(
                typeNameFormat: header.flags.typeNameFormat,
                type: bytes.array(type), identifier: bytes.array(identifier), payload: bytes.array(payload))
            begin(record, isChunk: header.flags.isChunk)
        } else {
            bytes.extracting(payload).withUnsafeBufferPointer { chunked?.payload.append(contentsOf: $0) }
            if !header.flags.isChunk { endChunks() }
        }
        return header.flags.isMessageEnd
    }

    private mutating func begin(_ record: NDEFRecord, isChunk: Bool) {
        if isChunk {
            chunked = record
        } else {
            records.append(record)
        }
    }

    private mutating func endChunks() {
        if let record = chunked { records.append(record) }
        chunked = nil
    }
}

// MARK: - Reading

extension MessageDecoder {
    private mutating func readHeader(_ bytes: Span<UInt8>) throws(NDEFError) -> RecordHeader {
        let remaining = bytes.count - offset
        guard remaining > 0 else { throw endedTooSoon() }
        let flags = RecordFlags(rawValue: bytes[offset])
        try checkFlags(flags, isWhole: flags.headerLength <= remaining)
        guard let header = RecordHeader(bytes, at: offset) else {
            throw overrun(.truncatedHeader, "header", length: flags.headerLength, remaining: remaining)
        }
        if chunked != nil, header.typeLength > 0 {
            throw failure(.chunkTypeLength, "a chunk after the first has its own type")
        }
        offset += flags.headerLength
        return header
    }

    /// Where the next `length` bytes are; the offset moves past them.
    private mutating func take(
        _ length: Int, of field: String, else code: NDEFError.Code, _ bytes: Span<UInt8>
    ) throws(NDEFError) -> Range<Int> {
        let remaining = bytes.count - offset
        guard length <= remaining else { throw overrun(code, field, length: length, remaining: remaining) }
        let start = offset
        offset += length
        return start..<offset
    }
}

// MARK: - Rules

extension MessageDecoder {
    private func checkFlags(_ flags: RecordFlags, isWhole: Bool) throws(NDEFError) {
        let isFirst = records.isEmpty && chunked == nil
        if isFirst, !flags.isMessageBegin {
            throw failure(.mbMissing, "the first record does not have the flag MB")
        }
        // In a header that is cut off, MB says less than the cut: it may as well be a stale byte.
        if !isFirst, flags.isMessageBegin, isWhole {
            throw failure(.mbRepeated, "the flag MB is set again after the first record")
        }
        if flags.isChunk, flags.isMessageEnd {
            throw failure(
                .cfWithME, "the flags CF and ME are both set, but the message cannot end before the last chunk")
        }
        if chunked != nil {
            try checkContinuationFlags(flags)
        } else if flags.typeNameFormat == .unchanged {
            throw failure(.unchangedWithoutChunk, "the type name format is 6 (unchanged), but no chunk came before")
        }
    }

    private func checkContinuationFlags(_ flags: RecordFlags) throws(NDEFError) {
        if flags.hasIdentifierLength {
            throw failure(.chunkIL, "a chunk after the first has the flag IL")
        }
        if flags.typeNameFormat != .unchanged {
            let found = flags.typeNameFormat.rawValue
            throw failure(
                .chunkTNFNotUnchanged, "a chunk after the first has type name format \(found) instead of 6 (unchanged)"
            )
        }
    }

    /// What the type name format forbids; in a chunk, that of the record it belongs to.
    private func checkContent(_ header: RecordHeader) throws(NDEFError) {
        switch chunked?.typeNameFormat ?? header.flags.typeNameFormat {
        case .empty where header.typeLength + header.identifierLength > 0 || header.payloadLength > 0:
            throw failure(.emptyRecordNotEmpty, "an empty record has a type, an identifier or a payload")
        case .unknown where header.typeLength > 0:
            throw failure(
                .unknownWithType, "a record of unknown type has a type of \(counted(header.typeLength, "byte"))")
        default:
            return
        }
    }

    private mutating func checkLimits(_ header: RecordHeader) throws(NDEFError) {
        payloadLength += header.payloadLength
        guard payloadLength <= limits.maximumPayloadLength else {
            throw failure(.limitExceeded, "the payloads exceed \(counted(limits.maximumPayloadLength, "byte"))")
        }
        guard records.count < limits.maximumRecordCount else {
            throw failure(.limitExceeded, "the message has more than \(counted(limits.maximumRecordCount, "record"))")
        }
    }

    private mutating func addWarnings(_ header: RecordHeader) {
        let flags = header.flags
        if flags.typeNameFormat == .reserved { warn(.tnfReserved) }
        if header.typeLength == 0, let code = NDEFWarning.Code.typeLengthZero(flags.typeNameFormat) { warn(code) }
        if flags.hasIdentifierLength, header.identifierLength == 0 { warn(.ilWithEmptyID) }
        if !flags.isShortRecord, header.payloadLength < 256 { warn(.longFormForShortPayload) }
    }

    private mutating func warn(_ code: NDEFWarning.Code) {
        warnings.append(NDEFWarning(code, recordIndex: records.count, byteOffset: recordStart))
    }
}

// MARK: - Failures

extension MessageDecoder {
    private func failure(_ code: NDEFError.Code, _ reason: String) -> NDEFError {
        NDEFError(code, recordIndex: records.count, byteOffset: recordStart, reason)
    }

    private func overrun(_ code: NDEFError.Code, _ field: String, length: Int, remaining: Int) -> NDEFError {
        let needed = counted(length, "byte")
        let left = counted(remaining, "byte")
        return failure(code, "\(field) of \(needed) runs past the end of the message (\(left) left)")
    }

    private func endedTooSoon() -> NDEFError {
        guard chunked == nil else {
            return failure(.chunkUnterminated, "the message ends before the last chunk of the record")
        }
        return NDEFError(.meMissing, byteOffset: recordStart, "the message ends without a record that has the flag ME")
    }
}

extension Span<UInt8> {
    /// A copy of the bytes of a range that lies within the span.
    fileprivate func array(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBufferPointer { Array($0) }
    }
}

/// The first byte of a physical record (NDEF 1.0, §3.2).
package struct RecordFlags: Equatable {
    package var rawValue: UInt8

    private static let mb: UInt8 = 0x80
    private static let me: UInt8 = 0x40
    private static let cf: UInt8 = 0x20
    private static let sr: UInt8 = 0x10
    private static let il: UInt8 = 0x08
    private static let tnf: UInt8 = 0x07

    package var isMessageBegin: Bool { rawValue & Self.mb != 0 }
    package var isMessageEnd: Bool { rawValue & Self.me != 0 }
    package var isChunk: Bool { rawValue & Self.cf != 0 }
    package var isShortRecord: Bool { rawValue & Self.sr != 0 }
    package var hasIdentifierLength: Bool { rawValue & Self.il != 0 }
    // All eight values of the field have a case, so that the fallback is never taken.
    package var typeNameFormat: TypeNameFormat { TypeNameFormat(rawValue: rawValue & Self.tnf) ?? .reserved }

    /// Bytes from the flags up to and including the last length field: 3 to 7.
    package var headerLength: Int { (isShortRecord ? 3 : 6) + (hasIdentifierLength ? 1 : 0) }
}

extension RecordFlags {
    /// The flags of a record that is written whole, in its shortest form.
    init(typeNameFormat: TypeNameFormat, isFirst: Bool, isLast: Bool, isShort: Bool, hasIdentifier: Bool) {
        rawValue = typeNameFormat.rawValue
        if isFirst { rawValue |= Self.mb }
        if isLast { rawValue |= Self.me }
        if isShort { rawValue |= Self.sr }
        if hasIdentifier { rawValue |= Self.il }
    }
}

/// The flags and lengths that precede the fields of a physical record (NDEF 1.0, §3.2).
package struct RecordHeader: Equatable {
    package let flags: RecordFlags
    package let typeLength: Int
    package let identifierLength: Int
    package let payloadLength: Int

    /// The header at `offset`, or nil where the bytes end before it does.
    package init?(_ bytes: Span<UInt8>, at offset: Int) {
        guard offset < bytes.count else { return nil }
        flags = RecordFlags(rawValue: bytes[offset])
        guard flags.headerLength <= bytes.count - offset else { return nil }
        typeLength = Int(bytes[offset + 1])
        let identifierAt: Int
        if flags.isShortRecord {
            payloadLength = Int(bytes[offset + 2])
            identifierAt = offset + 3
        } else {
            let high = UInt32(bytes[offset + 2]) << 24 | UInt32(bytes[offset + 3]) << 16
            let low = UInt32(bytes[offset + 4]) << 8 | UInt32(bytes[offset + 5])
            // Clamped for the sake of 32-bit machines, where so long a payload is cut short in any case.
            payloadLength = Int(clamping: high | low)
            identifierAt = offset + 6
        }
        identifierLength = flags.hasIdentifierLength ? Int(bytes[identifierAt]) : 0
    }
}
