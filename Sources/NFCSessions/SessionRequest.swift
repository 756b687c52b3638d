/// What a client asks for with `session.begin` (an NDEF session that is given messages).
public struct SessionRequest: Sendable, Hashable {
    /// What happens when another session holds a reader.
    public enum WhenBusy: Sendable, Hashable {
        /// The session ends with 203.
        case fail
        /// The session waits for its turn, first in, first out.
        case queue
    }

    /// End with 204 after the first message.
    public var invalidateAfterFirstRead: Bool
    /// A text for whoever shows the session.
    public var alertMessage: String
    /// The readers wanted, by id or name; nil: all there are.
    public var readers: [String]?
    /// See ``WhenBusy``.
    public var whenBusy: WhenBusy
    /// Wait for a reader (or for the PC/SC service) instead of ending with 1 (or 6).
    public var waitForReader: Bool
    /// Ends with 201 this long after becoming active; nil: the limit of the daemon, which it cannot exceed.
    public var timeout: Duration?

    /// A request; by default for all readers, failing at once where it cannot become active.
    public init(
        invalidateAfterFirstRead: Bool = false, alertMessage: String = "", readers: [String]? = nil,
        whenBusy: WhenBusy = .fail, waitForReader: Bool = false, timeout: Duration? = nil
    ) {
        self.invalidateAfterFirstRead = invalidateAfterFirstRead
        self.alertMessage = alertMessage
        self.readers = readers
        self.whenBusy = whenBusy
        self.waitForReader = waitForReader
        self.timeout = timeout
    }
}
