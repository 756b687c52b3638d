public import NFCTypes

/// A method of the socket. This declaration is the only place that describes it: the server's routing and access rules, `rpc.discover`,
/// the tables of `Docs/protocol.md` and the clients of all languages are derived from it, by `make generate`.
///
/// The doc comment of the declaration is the source of ``summary`` and ``details``, and those of the fields of `Parameters`
/// and `Result` describe them in `rpc.discover`. `make generate` also writes the initializers of these types.
public protocol Method: SendableMetatype {
    /// The parameters of a request.
    associatedtype Parameters: Codable & Sendable
    /// The result in the answer; by default there is nothing to return.
    associatedtype Result: Codable & Sendable = Empty
    /// The name on the wire, e.g. `session.begin`.
    static var name: String { get }
    /// The purpose in one sentence.
    static var summary: String { get }
    /// The rest of the description; empty if the summary is enough.
    static var details: String { get }
    /// The requirement for calling the method.
    static var requirement: Requirement { get }
}

/// A command to a tag. The clients of all languages have it as a method of their tag: `make generate` writes it there.
public protocol TagMethod: Method where Parameters: TagParameters, Parameters.Arguments == Arguments {
    /// What the command takes besides the tag.
    associatedtype Arguments: Codable & Sendable
    associatedtype Parameters = TagCommand<Arguments>
}

/// A command to a tag whose time its client may limit.
public protocol TimedTagMethod: TagMethod where Parameters == TimedTagCommand<Arguments> {}

/// A notification of the daemon: its name and its members. ``Interface/notifications`` lists it; otherwise the same as
/// ``Method``.
public protocol ServerNotification: Codable, Sendable, SendableMetatype {
    /// The name on the wire, e.g. `session.didBecomeActive`.
    static var name: String { get }
    /// The event in one sentence.
    static var summary: String { get }
    /// The rest of the description; empty if the summary is enough.
    static var details: String { get }
    /// The requirement for receiving it, on the reader it is about: that of the call that would return the same data. It is
    /// checked whenever it is sent.
    static var requirement: Requirement { get }
}

extension Method {
    /// Empty: the summary is enough.
    public static var details: String { "" }
}

extension ServerNotification {
    /// Empty: the summary is enough.
    public static var details: String { "" }
}

/// What the grants of a client have to contain.
public enum Requirement: Sendable, Hashable {
    /// Nothing: every client that can open the socket may.
    case nothing
    /// The session format that covers the requested session, and everything that the session uses.
    case sessionFormat
    /// These capabilities, all in one grant.
    case capabilities([Capability])

    /// A capability.
    public static func capability(_ capability: Capability) -> Requirement { .capabilities([capability]) }
}

/// `{}`: no parameters, or no result.
public struct Empty: Codable, Sendable, Hashable {
    /// The empty object.
    public init() {}
}
