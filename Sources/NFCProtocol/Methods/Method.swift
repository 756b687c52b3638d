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

/// One of a few words; another word is refused with those that are allowed.
public protocol Choice: RawRepresentable<String>, CaseIterable, Codable, Sendable, Hashable {}

extension Choice {
    /// One of the words; the error names them all.
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
