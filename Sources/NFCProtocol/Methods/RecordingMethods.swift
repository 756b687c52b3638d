// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A test requires a description of every field.

/// Records the exchanges with tags and the events of readers, for a report or a test.
///
/// Each line of the recording comes as `recording.didRecord`, the first ones with the readers and their tags. Secrets are masked before
/// they are sent: keys, passwords, PINs, and whatever nfcd cannot judge. It ends with `recording.stop`, or when the client disconnects;
/// a client that does not read fast enough is disconnected. At most 16 recordings run at a time; another is refused with error 203.
public enum RecordingStart: Method {
    public static let name = "recording.start"
    public static let requirement = Requirement.capability(.manage)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The id or name of the reader; the default is all readers.
        public var reader: String?
        /// Whether the contents of tags are recorded; needs `read` and `raw` as well. The default is false.
        public var withContent: Bool?
    }

    public struct Result: Codable, Sendable, Hashable {
        /// The name of the recording.
        public var recording: String
    }
}

/// Ends a recording of the client.
///
/// The lines that it has so far still come, and then one with the event `end`.
public enum RecordingStop: Method {
    public static let name = "recording.stop"
    public static let requirement = Requirement.capability(.manage)

    public struct Parameters: Codable, Sendable, Hashable {
        /// The name of the recording.
        public var recording: String
    }
}

/// A line of a recording.
public struct RecordingDidRecord: ServerNotification, Hashable {
    public static let name = "recording.didRecord"
    public static let requirement = Requirement.capability(.manage)
    /// The name of the recording.
    public var recording: String
    /// The line: one JSON object without a newline, as it is in the file of a recording.
    public var line: String
}
