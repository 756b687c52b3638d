public import NFCTypes

/// A method of the socket. This declaration is the only place that describes it: ``Interface/methods`` lists it, and the server's
/// routing and access rules, `rpc.discover` and the tables of `Docs/protocol.md` are derived from that list.
///
/// The doc comment of the declaration is the source of ``summary`` and ``details``, and those of the fields of `Parameters`
/// and `Result` describe them in `rpc.discover`: `Scripts/field-descriptions` copies them to `Descriptions.generated.swift`.
public protocol Method: SendableMetatype {
    /// The parameters of a request.
    associatedtype Parameters: Codable & Sendable
    /// The result in the answer.
    associatedtype Result: Codable & Sendable
    /// The name on the wire, e.g. `session.begin`.
    static var name: String { get }
    /// The purpose in one sentence.
    static var summary: String { get }
    /// The rest of the description; empty if the summary is enough.
    static var details: String { get }
    /// The requirement for calling the method.
    static var requirement: Requirement { get }
}

/// A command to a tag: its parameters begin with the address of the tag.
public protocol TagMethod: Method where Parameters: TagParameters {}

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

/// One of a few words. Decoding another word fails with an error that lists the allowed ones.
public protocol Choice: RawRepresentable<String>, CaseIterable, Codable, Sendable, Hashable {}

extension Choice {
    /// Decodes one of the words.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let choice = Self(rawValue: try value.decode(String.self)) else {
            let words = Self.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "expected \(Self.allCases.count == 1 ? "" : "one of ")\(words)")
        }
        self = choice
    }
}
