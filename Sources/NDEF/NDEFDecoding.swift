/// What decoding a message gives: the message, and what was odd about its bytes.
public struct NDEFDecoding: Sendable, Hashable {
    /// The decoded message; it has at least one record.
    public let message: NDEFMessage
    /// Faults of the structure that were forgiven, in the order of the records.
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
