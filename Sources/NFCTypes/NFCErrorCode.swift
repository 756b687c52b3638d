/// A raw value of CoreNFC's `NFCReaderError.Code`: why a command failed, or why a session ended.
///
/// The type is open, because Apple adds codes.
public struct NFCErrorCode: RawRepresentable, Sendable, Hashable {
    /// CoreNFC's number.
    public let rawValue: Int

    /// Makes a code of any number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 1: there is no reader, or the reader, the tag or the daemon does not support the operation.
    public static let unsupportedFeature = NFCErrorCode(rawValue: 1)
    /// 2: the caller has no permission.
    public static let securityViolation = NFCErrorCode(rawValue: 2)
    /// 3: an argument is malformed.
    public static let invalidParameter = NFCErrorCode(rawValue: 3)
    /// 4: an argument has the wrong size.
    public static let invalidParameterLength = NFCErrorCode(rawValue: 4)
    /// 5: an argument is out of range.
    public static let parameterOutOfBound = NFCErrorCode(rawValue: 5)
    /// 6: the service that provides the readers is not running.
    public static let radioDisabled = NFCErrorCode(rawValue: 6)
    /// 7: the user or the region is not eligible.
    public static let ineligible = NFCErrorCode(rawValue: 7)
    /// 8: the terms of access were not accepted.
    public static let accessNotAccepted = NFCErrorCode(rawValue: 8)
    /// 100: the tag left the field.
    public static let tagConnectionLost = NFCErrorCode(rawValue: 100)
    /// 101: the command failed as often as it may be tried.
    public static let retryExceeded = NFCErrorCode(rawValue: 101)
    /// 102: the tag is in the field, but its answer is missing or wrong.
    public static let tagResponseError = NFCErrorCode(rawValue: 102)
    /// 103: the session is over.
    public static let sessionInvalidated = NFCErrorCode(rawValue: 103)
    /// 104: a command was sent to a tag that is not connected.
    public static let tagNotConnected = NFCErrorCode(rawValue: 104)
    /// 105: a frame is longer than the limit.
    public static let packetTooLong = NFCErrorCode(rawValue: 105)
    /// 200: the client or an operator ended the session.
    public static let userCanceled = NFCErrorCode(rawValue: 200)
    /// 201: the session reached its time limit.
    public static let sessionTimeout = NFCErrorCode(rawValue: 201)
    /// 202: the reader, its service or the daemon is gone.
    public static let sessionTerminatedUnexpectedly = NFCErrorCode(rawValue: 202)
    /// 203: another program uses the reader or the card.
    public static let systemIsBusy = NFCErrorCode(rawValue: 203)
    /// 204: the first message was read, and the session was to end then.
    public static let firstNDEFTagRead = NFCErrorCode(rawValue: 204)
    /// 300: a command configuration is out of range.
    public static let invalidCommandConfiguration = NFCErrorCode(rawValue: 300)
    /// 400: the tag is read-only.
    public static let tagNotWritable = NFCErrorCode(rawValue: 400)
    /// 401: a write failed.
    public static let tagUpdateFailure = NFCErrorCode(rawValue: 401)
    /// 402: the message does not fit on the tag.
    public static let tagSizeTooSmall = NFCErrorCode(rawValue: 402)
    /// 403: the tag is formatted, but holds no message.
    public static let zeroLengthMessage = NFCErrorCode(rawValue: 403)

    /// Every code above, in the order of the numbers.
    public static var all: [NFCErrorCode] { words.keys.sorted().map { NFCErrorCode(rawValue: $0) } }

    /// The codes that nfcd reports; the others occur only in the module CoreNFC.
    public static var reportedByDaemon: [NFCErrorCode] {
        let others: Set<NFCErrorCode> = [
            .invalidParameter, .invalidParameterLength, .parameterOutOfBound, .ineligible, .accessNotAccepted,
            .invalidCommandConfiguration,
        ]
        return all.filter { !others.contains($0) }
    }

    /// CoreNFC's short name, for example `TagConnectionLost`; `Code` and the number for an unknown code.
    public var name: String { Self.words[rawValue]?.name ?? "Code\(rawValue)" }

    /// The text for people who use nfcd. The module CoreNFC has the text of an iPhone, which programs compare, and which says less.
    public var text: String { Self.words[rawValue]?.text ?? "Error \(rawValue)" }

    private static let words: [Int: (name: String, text: String)] = [
        1: ("UnsupportedFeature", "Feature not supported"),
        2: ("SecurityViolation", "Missing required entitlement"),
        3: ("InvalidParameter", "Invalid parameter"),
        4: ("InvalidParameterLength", "Invalid parameter length"),
        5: ("ParameterOutOfBound", "Parameter out of bound"),
        6: ("RadioDisabled", "NFC radio is disabled"),
        7: ("Ineligible", "Not eligible"),
        8: ("AccessNotAccepted", "Access not accepted"),
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
        300: ("InvalidParameters", "Invalid command configuration"),
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
