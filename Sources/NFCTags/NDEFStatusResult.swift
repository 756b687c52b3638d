/// What a tag is for NDEF, without its message.
public struct NDEFStatusResult: Sendable, Hashable {
    /// Whether there is NDEF, and whether it can be written.
    public let status: NDEFStatus
    /// The largest message that fits, in bytes; 0 where NDEF is not supported.
    public let capacity: Int
    /// Why the status is ``NDEFStatus/notSupported``, in words; otherwise `nil`.
    public let reason: String?
    /// What was odd as far as it was looked at; what only the message would show is missing.
    public let warnings: [NDEFReadWarning]

    /// What reading told, but the message.
    public init(_ result: NDEFReadResult) {
        status = result.status
        capacity = result.capacity
        reason = result.reason
        warnings = result.warnings
    }
}
