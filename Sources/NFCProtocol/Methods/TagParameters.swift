/// The tag that a request is about.
public struct TagAddress: Codable, Sendable, Hashable {
    /// The session that detected the tag.
    public var session: String
    /// The name of the tag in its session, from the notification that reported it.
    public var tag: String

    /// The address of a tag.
    public init(session: String, tag: String) {
        self.session = session
        self.tag = tag
    }
}

/// Parameters of a command to a tag. On the wire the members of the address and those of the arguments are one object.
public protocol TagParameters: Codable, Sendable {
    /// What the command takes besides the tag.
    associatedtype Arguments: Codable & Sendable
    /// The tag.
    var address: TagAddress { get }
    /// What the command takes besides the tag.
    var arguments: Arguments { get }
    /// The time limit for the whole command, in seconds; nil for the reader's own limits.
    var timeout: Double? { get }
}

/// Parameters of a command that has the reader's own time limits.
public struct TagCommand<Arguments: Codable & Sendable>: TagParameters {
    /// The tag.
    public var address: TagAddress
    /// What the command takes besides the tag.
    public var arguments: Arguments
    /// Nil: the reader's own limits.
    public var timeout: Double? { nil }

    /// A command to a tag.
    public init(_ address: TagAddress, _ arguments: Arguments) {
        self.address = address
        self.arguments = arguments
    }

    /// Decodes the address and the arguments from one object.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.singleValueContainer()
        address = try object.decode(TagAddress.self)
        arguments = try object.decode(Arguments.self)
    }

    /// Encodes the address and the arguments into one object.
    public func encode(to encoder: any Encoder) throws {
        try address.encode(to: encoder)
        try arguments.encode(to: encoder)
    }
}

/// Parameters of a command with an optional time limit.
public struct TimedTagCommand<Arguments: Codable & Sendable>: TagParameters {
    /// The tag.
    public var address: TagAddress
    /// What the command takes besides the tag.
    public var arguments: Arguments
    /// The time limit for the whole command, in seconds; nil for the reader's own limits.
    public var timeout: Double?

    /// A command to a tag.
    public init(_ address: TagAddress, _ arguments: Arguments, timeout: Double? = nil) {
        self.address = address
        self.arguments = arguments
        self.timeout = timeout
    }

    /// Decodes the address, the arguments and the time limit from one object.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.singleValueContainer()
        address = try object.decode(TagAddress.self)
        arguments = try object.decode(Arguments.self)
        timeout = try object.decode(TimeLimit.self).timeout
    }

    /// Encodes the address, the arguments and the time limit into one object.
    public func encode(to encoder: any Encoder) throws {
        try address.encode(to: encoder)
        try arguments.encode(to: encoder)
        try TimeLimit(timeout: timeout).encode(to: encoder)
    }
}

/// The optional time limit of a command.
struct TimeLimit: Codable {
    /// The time limit for the whole command in seconds, more than 0 and at most 60. The default is the reader's own limit for
    /// each exchange. After a timeout (error 102) the tag has to be detected again.
    var timeout: Double?
}

extension TagCommand: Equatable where Arguments: Equatable {}
extension TimedTagCommand: Equatable where Arguments: Equatable {}

/// Parameters of a method that can report its progress.
public protocol ProgressParameters {
    /// Whether to report progress with `$/progress`; nil is the same as false.
    var progress: Bool? { get set }
}

extension TagCommand: ProgressParameters where Arguments: ProgressParameters {
    /// Whether to report progress.
    public var progress: Bool? {
        get { arguments.progress }
        set { arguments.progress = newValue }
    }
}
