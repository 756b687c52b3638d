/// An NDEF message: a row of records (NFC Forum NDEF 1.0, §2.3).
///
/// In JSON it is `{"records":[…]}`; see ``encode(to:)``.
///
/// A message without records stands for a formatted, empty tag. It encodes to no bytes at all; see ``encoded()``.
public struct NDEFMessage: Sendable, Hashable {
    /// The records in their order.
    public var records: [NDEFRecord]

    /// A message of these records.
    public init(records: [NDEFRecord] = []) {
        self.records = records
    }

    /// Remarks of the typed decoders about the payloads of this message, such as a text without a language.
    ///
    /// They are not part of ``NDEFDecoding/warnings``, because payloads are only decoded when asked for.
    public var payloadWarnings: [NDEFWarning] {
        records.enumerated().flatMap { index, record in
            var codes: [NDEFWarning.Code] = []
            _ = record.decode(warnings: &codes)
            return codes.map { NDEFWarning($0, recordIndex: index, byteOffset: nil) }
        }
    }
}

extension NDEFMessage {
    /// The URI of the first record that has one: a URI record, a Smart Poster, or a record whose type is a URI.
    public var firstURI: String? { records.lazy.compactMap(\.decoded.uri).first }

    /// The first of these URIs whose scheme is http or https. Other schemes start programs: nothing passes such a URI on unless it was
    /// asked for.
    public var firstWebURI: String? {
        records.lazy.compactMap(\.decoded.uri).first { $0.hasScheme(among: ["http", "https"]) }
    }

    /// The text of the first Text record.
    public var firstText: String? {
        records.lazy.compactMap { if case .text(let record) = $0.decoded { record.text } else { nil } }.first
    }
}

extension String {
    /// Whether a URI has one of these schemes, in lower case.
    package func hasScheme(among schemes: Set<String>) -> Bool {
        guard let end = firstIndex(of: ":") else { return false }
        return schemes.contains(self[..<end].lowercased())
    }
}

/// What decoding a message gives: the message, and what was odd about its bytes.
public struct NDEFDecoding: Sendable, Hashable {
    /// The decoded message; it has at least one record.
    public let message: NDEFMessage
    /// Defects of the structure that were tolerated, in the order of the records.
    public let warnings: [NDEFWarning]
}

extension NDEFMessage {
    /// Decodes one whole message (NFC Forum NDEF 1.0, §2.3 and §3.2).
    ///
    /// The structure is judged strictly: one fault rejects the message. Payloads are not looked at.
    ///
    /// - Parameters:
    ///   - bytes: exactly one message; nothing may follow its last record. Zero bytes are an error: a tag whose message
    ///     has length 0 is empty, and its content is not to be decoded.
    ///   - limits: how large a message may get.
    /// - Throws: ``NDEFError`` with the first fault met. In each record the flags are judged before the lengths.
    public static func decode(
        _ bytes: Span<UInt8>,
        limits: NDEFLimits = .default
    ) throws(NDEFError) -> NDEFDecoding {
        var decoder = MessageDecoder(limits: limits)
        try decoder.decode(bytes)
        return NDEFDecoding(message: NDEFMessage(records: decoder.records), warnings: decoder.warnings)
    }

    /// Decodes one whole message held in an array; otherwise as the form that takes a `Span`.
    ///
    /// - Throws: ``NDEFError`` with the first fault met.
    public static func decode(
        _ bytes: [UInt8],
        limits: NDEFLimits = .default
    ) throws(NDEFError) -> NDEFDecoding {
        try decode(bytes.span, limits: limits)
    }

    /// The message in these bytes, without the warnings that ``decode(_:limits:)`` gives.
    ///
    /// - Throws: ``NDEFError`` with the first fault met.
    public init(decoding bytes: [UInt8], limits: NDEFLimits = .default) throws(NDEFError) {
        self = try Self.decode(bytes, limits: limits).message
    }
}

/// How large a decoded message may get. What exceeds a limit is refused with ``NDEFError/Code/limitExceeded``.
public struct NDEFLimits: Sendable, Hashable {
    /// The most payload bytes of all records together, after chunks were put together.
    public var maximumPayloadLength: Int
    /// The most records, a chunked one counted once. A record costs about 100 bytes of memory but only 3 on the tag.
    public var maximumRecordCount: Int

    /// Limits; by default 10 MiB of payload, as in Android, and 65,536 records.
    public init(maximumPayloadLength: Int = 10 * 1024 * 1024, maximumRecordCount: Int = 65_536) {
        self.maximumPayloadLength = maximumPayloadLength
        self.maximumRecordCount = maximumRecordCount
    }

    /// 10 MiB of payload, 65,536 records.
    public static let `default` = NDEFLimits()
}

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
    ///   `reserved` record is encoded unchanged, so that a tag can be copied.
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
