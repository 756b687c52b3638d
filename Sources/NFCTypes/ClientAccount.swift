/// Whom the limits of nfcd count a client for.
public enum ClientAccount: Sendable, Hashable, CustomStringConvertible {
    /// A user, by number.
    case user(UInt32)
    /// All clients of a further socket together: a container chooses the users in it.
    case socket(String)

    /// `uid 1000`, or `socket "kiosk"`.
    public var description: String {
        switch self {
        case .user(let user): "uid \(user)"
        case .socket(let name): "socket \"\(name)\""
        }
    }
}

extension ClientAccount: ExpressibleByIntegerLiteral {
    /// A user, by number.
    public init(integerLiteral value: UInt32) { self = .user(value) }
}
