public import NFCProtocol
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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

extension NFCClientError {
    /// Why a connection to a socket failed.
    init(connecting error: any Error, path: String) {
        switch (error as? IOError)?.errnoCode {
        case ENOENT, ECONNREFUSED: self = .noDaemon(path: path)
        case EACCES, EPERM: self = .notPermitted(path: path)
        case let code?: self = .connectionFailed(path: path, reason: String(cString: strerror(code)))
        case nil: self = .connectionFailed(path: path, reason: "\(error)")
        }
    }
}
