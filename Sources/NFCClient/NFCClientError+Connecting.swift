import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
