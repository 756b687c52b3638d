import LocalSocket

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file descriptor that is closed when it is no longer used.
package final class OpenDescriptor: Sendable {
    package let number: CInt

    init(_ number: CInt) {
        self.number = number
    }

    /// A socket that is connected to a path.
    ///
    /// - Parameter patience: how many seconds the listener may take to accept the connection.
    /// - Throws: `NFCClientError`.
    package convenience init(connectedTo path: String, patience: Double) throws {
        self.init(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        guard number >= 0 else { throw NFCClientError(connecting: errno, path: path) }
        var limit = timeval(tv_sec: Int(patience), tv_usec: Int(patience * 1_000_000) % 1_000_000)
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let failure = UnixAddress(path: path)?.failure(connecting: number) ?? ENAMETOOLONG
        guard failure == 0 else { throw NFCClientError(connecting: failure, path: path, within: patience) }
    }

    deinit {
        if number >= 0 { close(number) }
    }
}
