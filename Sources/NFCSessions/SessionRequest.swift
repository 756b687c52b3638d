/// What a client asks for with `session.begin`.
public struct SessionRequest: Sendable, Hashable {
    /// What the client is given of a tag.
    public enum Detection: Sendable, Hashable {
        /// Its message, read at once; the tag is let go of.
        case messages
        /// The tag itself, held on its reader for commands.
        case tags
    }

    /// What happens when another session holds a reader.
    public enum WhenBusy: Sendable, Hashable {
        /// The session ends with 203.
        case fail
        /// The session waits for its turn, first in, first out.
        case queue
    }

    /// See ``Detection``.
    public var detection: Detection
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
        detection: Detection = .messages, invalidateAfterFirstRead: Bool = false, alertMessage: String = "",
        readers: [String]? = nil,
        whenBusy: WhenBusy = .fail, waitForReader: Bool = false, timeout: Duration? = nil
    ) {
        self.detection = detection
        self.invalidateAfterFirstRead = invalidateAfterFirstRead
        self.alertMessage = alertMessage
        self.readers = readers
        self.whenBusy = whenBusy
        self.waitForReader = waitForReader
        self.timeout = timeout
    }
}
