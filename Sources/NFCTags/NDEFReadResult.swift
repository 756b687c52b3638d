/// What a tag is for NDEF; the raw values are CoreNFC's `NFCNDEFStatus`.
public enum NDEFStatus: UInt, Sendable, Hashable {
    /// Not NDEF formatted, or not readable by us.
    case notSupported = 1
    /// Can be read and written.
    case readWrite = 2
    /// Can only be read.
    case readOnly = 3
}

/// What reading a tag gave.
public struct NDEFReadResult: Sendable, Hashable {
    /// Whether there is NDEF, and whether it can be written.
    public let status: NDEFStatus
    /// Why the status is ``NDEFStatus/notSupported``, in words; otherwise `nil`.
    public let reason: String?
    /// The largest message that fits, in bytes; 0 where NDEF is not supported.
    public let capacity: Int
    /// The bytes of the message; `nil` where the tag is formatted and empty, or NDEF is not supported.
    public let message: [UInt8]?
    /// What was odd.
    public let warnings: [NDEFReadWarning]

    /// The result for a tag with an NDEF area; `nil` or no bytes of message mean that the area is empty.
    public init(status: NDEFStatus, capacity: Int, message: [UInt8]?, warnings: [NDEFReadWarning] = []) {
        self.status = status
        reason = nil
        self.capacity = capacity
        self.message = message?.isEmpty == true ? nil : message
        self.warnings = warnings
    }

    private init(reason: String, warnings: [NDEFReadWarning]) {
        status = .notSupported
        self.reason = reason
        capacity = 0
        message = nil
        self.warnings = warnings
    }

    /// The result for a tag without NDEF, with the reason in words.
    public static func notSupported(_ reason: String, warnings: [NDEFReadWarning] = []) -> NDEFReadResult {
        NDEFReadResult(reason: reason, warnings: warnings)
    }
}
