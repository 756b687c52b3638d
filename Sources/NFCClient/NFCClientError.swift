public import NFCProtocol

/// Why the daemon could not be asked, or did not do it.
public enum NFCClientError: Error, Sendable, CustomStringConvertible {
    /// Nobody listens on the socket.
    case noDaemon(path: String)
    /// The socket is there, but not for this user.
    case notPermitted(path: String)
    /// The connection could not be made for another reason.
    case connectionFailed(path: String, reason: String)
    /// The connection ended.
    case connectionLost
    /// The daemon refused the request.
    case refused(RPCError)
    /// The daemon answered something that is no answer.
    case protocolViolation(String)

    /// The reason in words.
    public var description: String {
        switch self {
        case .noDaemon(let path): "no nfcd listens on \(path)"
        case .notPermitted(let path): "you may not open \(path)"
        case .connectionFailed(let path, let reason): "\(path): \(reason)"
        case .connectionLost: "the connection to nfcd ended"
        case .refused(let error): "\(error)"
        case .protocolViolation(let what): "nfcd answered what this client does not understand: \(what)"
        }
    }
}
