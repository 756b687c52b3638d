public import NFCTypes

/// A line of a recording: one JSON object about an exchange with a tag or about a reader.
///
/// Every line has ``event`` and ``time``; the other members depend on the event. A reader of recordings ignores members that it
/// does not know, and refuses events that it does not know.
public struct RecordingLine: Codable, Sendable, Hashable {
    /// What a line is about.
    public enum Event: String, Codable, Sendable, CaseIterable {
        /// The first line: what was recorded, and by which version.
        case recording
        /// A reader that was plugged in, or its changed description.
        case reader
        /// A reader was unplugged.
        case detach
        /// A tag came into the field.
        case arrive
        /// The tag left the field.
        case leave
        /// A tag is in the field and does not answer.
        case mute
        /// A connection to the tag, or the error.
        case connect
        /// A reset of the tag on request, or the error.
        case reset
        /// A command APDU with its response, or the error.
        case transmit
        /// A command to the reader itself.
        case control
        /// The connection was closed.
        case disconnect
        /// The reader stopped working.
        case failed
        /// The reader works again.
        case recovered
        /// Another program holds the reader.
        case blocked
        /// The PC/SC service was started or is gone.
        case service
        /// Lines are missing here.
        case dropped
        /// The last line of a complete recording.
        case end
    }

    /// What it is about.
    public var event: Event
    /// Microseconds since the recording began.
    public var time: UInt64
    /// The id of the reader.
    public var reader: String?

    /// `recording`: the version of the format.
    public var version: Int?
    /// `recording`: the program that recorded it.
    public var program: String?
    /// `recording`: whether it has the contents of tags.
    public var content: Bool?

    /// `reader`: the display name.
    public var name: String?
    /// `reader`: the family, as in `readers.list`.
    public var profile: String?
    /// `reader`: whether the family is known, so that it need not be probed.
    public var profileIsKnown: Bool?
    /// `reader`: the supported technologies.
    public var technologies: [String]?

    /// `arrive`, `connect`: the answer to reset.
    public var atr: HexBytes?
    /// `transmit`, `control`: the command.
    public var command: MaskedBytes?
    /// `transmit`: the response, data and status word.
    public var answer: MaskedBytes?
    /// `transmit`: whether bytes of the command or of the response are masked.
    public var masked: Bool?
    /// `transmit`, `connect`, `reset`: how long it took, in microseconds.
    public var took: UInt64?
    /// `connect`, `reset`, `transmit`: why there is no response, one of ``RecordedFailure``.
    public var error: String?
    /// The transport's code of the error.
    public var code: UInt32?
    /// The reason in words: of an error, a failure, or the end.
    public var reason: String?
    /// `dropped`: how many lines are missing.
    public var count: Int?

    /// A line without further members.
    public init(_ event: Event, time: UInt64 = 0, reader: String? = nil) {
        self.event = event
        self.time = time
        self.reader = reader
    }

    /// The first line of a recording.
    public static func header(program: String, hasContent: Bool) -> RecordingLine {
        var line = RecordingLine(.recording)
        line.version = Recording.version
        line.program = program
        line.content = hasContent
        return line
    }

    /// The last line of a recording.
    public static func end(time: UInt64, reason: String? = nil) -> RecordingLine {
        var line = RecordingLine(.end, time: time)
        line.reason = reason
        return line
    }

    /// The error of an exchange; nil if it has none.
    public var failure: RecordedFailure? {
        get { error.map { RecordedFailure(name: $0, code: code, reason: reason) } }
        set { (error, code, reason) = (newValue?.name, newValue?.code, newValue?.reason) }
    }
}

/// Why an exchange brought no response, as it was recorded.
public struct RecordedFailure: Error, Sendable, Hashable {
    /// The names of the errors that have no code.
    public enum Name: String, Sendable, CaseIterable {
        /// The tag left the field, or was reset by another program.
        case tagLost
        /// Nothing came back in time.
        case timedOut
        /// The reader or the service behind it stopped working.
        case readerFailed
        /// Another program holds the card.
        case busy
        /// Any other error, with a code and words.
        case transport
    }

    /// The name, one of ``Name``.
    public let name: String
    /// The transport's code.
    public let code: UInt32?
    /// The reason in words.
    public let reason: String?

    /// An error.
    public init(name: String, code: UInt32? = nil, reason: String? = nil) {
        (self.name, self.code, self.reason) = (name, code, reason)
    }

    /// Whether the tag was no longer in the field.
    public var isLoss: Bool { name == Name.tagLost.rawValue }
}
