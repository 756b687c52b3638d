/// `reader.attached`: a reader was plugged in.
public struct ReaderAttached: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.attached"
    /// Its name within nfcd.
    public var reader: String
    /// Its name for people.
    public var name: String
    /// `iso14443`, `iso15693`, `iso18092`.
    public var technologies: [String]
    /// What nfcd takes it for.
    public var profile: String
    /// Its serial number, where it tells one.
    public var serial: String?

    /// All fields.
    public init(reader: String, name: String, technologies: [String], profile: String, serial: String?) {
        self.reader = reader
        self.name = name
        self.technologies = technologies
        self.profile = profile
        self.serial = serial
    }
}

/// `reader.detached`: a reader was unplugged, or the PC/SC service that showed it is gone.
public struct ReaderDetached: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.detached"
    /// The reader's name within nfcd.
    public var reader: String

    /// All fields.
    public init(reader: String) {
        self.reader = reader
    }
}

/// `reader.failed`: a reader no longer answers.
public struct ReaderFailed: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.failed"
    /// The reader's name within nfcd.
    public var reader: String
    /// Why, in words.
    public var failure: String

    /// All fields.
    public init(reader: String, failure: String) {
        self.reader = reader
        self.failure = failure
    }
}

/// `reader.recovered`: a failed reader answers again.
public struct ReaderRecovered: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.recovered"
    /// The reader's name within nfcd.
    public var reader: String

    /// All fields.
    public init(reader: String) {
        self.reader = reader
    }
}

/// `reader.tagArrived`: a tag came into the field of a reader.
public struct ReaderTagArrived: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.tagArrived"
    /// The reader's name within nfcd.
    public var reader: String

    /// All fields.
    public init(reader: String) {
        self.reader = reader
    }
}

/// `reader.tagLeft`: the tag left the field of a reader.
public struct ReaderTagLeft: ServerNotification, Hashable {
    /// The name on the wire.
    public static let name = "reader.tagLeft"
    /// The reader's name within nfcd.
    public var reader: String

    /// All fields.
    public init(reader: String) {
        self.reader = reader
    }
}
