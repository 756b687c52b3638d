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
