public import ISO7816

/// What went wrong with a tag, under the number that CoreNFC's `NFCReaderError.Code` has for it.
public struct TagError: Error, Sendable, Hashable {
    /// The number a client sees.
    public let code: NFCErrorCode
    /// What happened exactly, in words.
    public let detail: String
    /// The raw answer of the tag or reader, status word included, where there was one.
    public let response: [UInt8]?
    /// The status word of that answer, where it had one.
    public let statusWord: StatusWord?

    /// What is on the tag now, where a write broke off.
    public let leaves: WrittenState?

    /// Makes an error; `response` is the raw answer including its status word.
    public init(
        _ code: NFCErrorCode, _ detail: String, response: [UInt8]? = nil, statusWord: StatusWord? = nil,
        leaves: WrittenState? = nil
    ) {
        self.code = code
        self.detail = detail
        self.response = response
        self.statusWord = statusWord
        self.leaves = leaves
    }

    /// SW1 and SW2 of that answer.
    public var statusBytes: [UInt8]? { statusWord.map { [$0.sw1, $0.sw2] } }

    /// An error about a complete response.
    init(_ code: NFCErrorCode, _ detail: String, response: ResponseAPDU) {
        self.init(code, detail, response: response.bytes, statusWord: response.statusWord)
    }
}

extension TagError: CustomStringConvertible {
    /// CoreNFC's text followed by the detail.
    public var description: String { "\(code): \(detail)" }
}

/// A raw value of CoreNFC's `NFCReaderError.Code`, for errors of tags and ends of sessions alike; open, as Apple adds
/// to it.
public struct NFCErrorCode: RawRepresentable, Sendable, Hashable {
    /// CoreNFC's number.
    public let rawValue: Int

    /// Any number is carried.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 1: no reader, or the reader or this library cannot do it.
    public static let unsupportedFeature = NFCErrorCode(rawValue: 1)
    /// 2: not entitled.
    public static let securityViolation = NFCErrorCode(rawValue: 2)
    /// 6: no reader can be seen, because the service that shows them is not there.
    public static let radioDisabled = NFCErrorCode(rawValue: 6)
    /// 100: the tag left the field.
    public static let tagConnectionLost = NFCErrorCode(rawValue: 100)
    /// 101: retries used up.
    public static let retryExceeded = NFCErrorCode(rawValue: 101)
    /// 102: the tag is there, but its answer is missing or wrong.
    public static let tagResponseError = NFCErrorCode(rawValue: 102)
    /// 103: the session is over.
    public static let sessionInvalidated = NFCErrorCode(rawValue: 103)
    /// 104: command to a tag that is not connected.
    public static let tagNotConnected = NFCErrorCode(rawValue: 104)
    /// 105: a frame above the limit.
    public static let packetTooLong = NFCErrorCode(rawValue: 105)
    /// 200: the client or an operator ended the session.
    public static let userCanceled = NFCErrorCode(rawValue: 200)
    /// 201: the session's time is over.
    public static let sessionTimeout = NFCErrorCode(rawValue: 201)
    /// 202: the reader, its service or the daemon is gone.
    public static let sessionTerminatedUnexpectedly = NFCErrorCode(rawValue: 202)
    /// 203: somebody else holds the reader or the card.
    public static let systemIsBusy = NFCErrorCode(rawValue: 203)
    /// 204: the first message was read, as asked for.
    public static let firstNDEFTagRead = NFCErrorCode(rawValue: 204)
    /// 400: write to a read-only tag.
    public static let tagNotWritable = NFCErrorCode(rawValue: 400)
    /// 401: a write failed.
    public static let tagUpdateFailure = NFCErrorCode(rawValue: 401)
    /// 402: the message does not fit.
    public static let tagSizeTooSmall = NFCErrorCode(rawValue: 402)
    /// 403: formatted, but without a message.
    public static let zeroLengthMessage = NFCErrorCode(rawValue: 403)

    /// Every code above, in the order of their numbers.
    public static var all: [NFCErrorCode] { words.keys.sorted().map { NFCErrorCode(rawValue: $0) } }

    /// CoreNFC's short name, for example `TagConnectionLost`; `Code` and the number for others.
    public var name: String { Self.words[rawValue]?.name ?? "Code\(rawValue)" }

    /// The text CoreNFC shows for the code.
    public var text: String { Self.words[rawValue]?.text ?? "Error \(rawValue)" }

    private static let words: [Int: (name: String, text: String)] = [
        1: ("UnsupportedFeature", "Feature not supported"),
        2: ("SecurityViolation", "Missing required entitlement"),
        6: ("RadioDisabled", "NFC radio is disabled"),
        100: ("TagConnectionLost", "Tag connection lost"),
        101: ("RetryExceeded", "Retry limit exceeded"),
        102: ("TagResponseError", "Tag response error / no response"),
        103: ("SessionInvalidated", "Session invalidated"),
        104: ("TagNotConnected", "Tag is not connected"),
        105: ("PacketTooLong", "Packet too long"),
        200: ("UserCanceled", "Session invalidated by user"),
        201: ("SessionTimeout", "Session timeout"),
        202: ("SessionTerminatedUnexpectedly", "Session invalidated unexpectedly"),
        203: ("SystemIsBusy", "System resource unavailable"),
        204: ("FirstNDEFTagRead", "Session ended after first NDEF read"),
        400: ("TagNotWritable", "NDEF tag is not writable"),
        401: ("TagUpdateFailure", "NDEF write failed"),
        402: ("TagSizeTooSmall", "NDEF tag is too small"),
        403: ("ZeroLengthMessage", "NDEF tag contains no message"),
    ]
}

extension NFCErrorCode: CustomStringConvertible {
    /// The same as ``text``.
    public var description: String { text }
}
