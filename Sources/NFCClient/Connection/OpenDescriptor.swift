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
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw NFCClientError(connecting: ENAMETOOLONG, path: path)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        try connect(to: &address, path, patience)
    }

    deinit {
        if number >= 0 { close(number) }
    }

    private func connect(to address: inout sockaddr_un, _ path: String, _ patience: Double) throws {
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var status: CInt
                repeat {
                    status = Glibc.connect(number, address, socklen_t(MemoryLayout<sockaddr_un>.size))
                } while status != 0 && errno == EINTR
                return status
            }
        }
        guard status == 0 else { throw NFCClientError(connecting: errno, path: path, within: patience) }
    }
}
