/// A method of the socket: its name, what it takes and what it gives.
public protocol Method {
    associatedtype Parameters: Codable & Sendable
    associatedtype Result: Codable & Sendable
    /// The name on the wire, e.g. `session.begin`.
    static var name: String { get }
}

/// What the server tells without being asked: its name and what it carries.
public protocol ServerNotification: Codable, Sendable {
    /// The name on the wire, e.g. `session.didBecomeActive`.
    static var name: String { get }
}

/// `{}`: no parameters, or nothing to say.
public struct Empty: Codable, Sendable, Hashable {
    /// Nothing in it.
    public init() {}
}
