public import NFCTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Why a request to the daemon failed.
///
/// ``nfcCode`` is CoreNFC's number if there is one; ``response`` and ``statusWord`` are the answer of the tag where that
/// is the cause.
public enum NFCClientError: Error, Sendable, CustomStringConvertible {
    /// No process listens on the socket.
    case noDaemon(path: String)
    /// The socket exists, but this user may not open it.
    case notPermitted(path: String)
    /// The connection could not be made for another reason.
    case connectionFailed(path: String, reason: String)
    /// The connection ended.
    case connectionLost
    /// The daemon refused the request, or the tag did not carry it out.
    case refused(RPCError)
    /// The session that the program waits for is over.
    case sessionEnded(SessionEnd)
    /// The program did not read its events; see ``NFCClient``.
    case fellBehind
    /// The daemon sent something that this client does not understand.
    case protocolViolation(String)

    /// The reason in words.
    public var description: String {
        switch self {
        case .noDaemon(let path): "no nfcd listens on \(path)"
        case .notPermitted(let path): "you may not open \(path)"
        case .connectionFailed(let path, let reason): "\(path): \(reason)"
        case .connectionLost: "the connection to nfcd ended"
        case .refused(let error): "\(error)"
        case .sessionEnded(let end): "\(end)"
        case .fellBehind: "the program did not read its events"
        case .protocolViolation(let what): "nfcd sent what this client does not understand: \(what)"
        }
    }

    /// CoreNFC's code; nil where the error is not an NFC error.
    public var nfcCode: NFCErrorCode? {
        switch self {
        case .refused(let error): error.nfcCode
        case .sessionEnded(let end): end.code
        default: nil
        }
    }

    /// The cause in words, in addition to the text of the code.
    public var detail: String? {
        switch self {
        case .refused(let error): error.data?.detail
        case .sessionEnded(let end): end.detail.isEmpty ? nil : end.detail
        default: nil
        }
    }

    /// The answer of the tag, where it is the cause.
    public var response: [UInt8]? {
        if case .refused(let error) = self { error.data?.response?.bytes } else { nil }
    }

    /// The status word of that answer (ISO/IEC 7816-4), where it has one.
    public var statusWord: UInt16? {
        guard case .refused(let error) = self, let bytes = error.data?.statusWord?.bytes, bytes.count == 2 else {
            return nil
        }
        return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    }
}

extension NFCClientError {
    /// The reason why a connection to a socket failed, from the code of errno(3).
    ///
    /// - Parameter patience: how many seconds the daemon had to accept the connection.
    init(connecting code: CInt, path: String, within patience: Double = 10) {
        switch code {
        case ENOENT, ECONNREFUSED: self = .noDaemon(path: path)
        // connect(2) of a Unix socket whose queue is full, after the time that is allowed for it.
        case EAGAIN:
            self = .connectionFailed(
                path: path,
                reason:
                    "the connection was not accepted within \(Int(patience)) s; the program there may hang: restart it")
        case EACCES, EPERM: self = .notPermitted(path: path)
        default: self = .connectionFailed(path: path, reason: String(cString: strerror(code)))
        }
    }
}
