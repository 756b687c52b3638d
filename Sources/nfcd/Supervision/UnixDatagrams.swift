#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A way to send datagrams to a Unix socket, whoever listens there at the time.
final class UnixDatagrams: Sendable {
    private let descriptor: CInt
    private let address: sockaddr_un
    private let length: socklen_t

    /// To a path, or to an abstract name that starts with @; nil where that cannot be (unix(7)).
    init?(to path: String) {
        guard let (address, length) = Self.address(of: path) else { return nil }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        (self.address, self.length) = (address, length)
    }

    deinit {
        close(descriptor)
    }

    /// Sends one datagram. False: it did not get through; where `waits` is false, also because the receiver is busy.
    func send(_ bytes: [UInt8], waits: Bool) -> Bool {
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                var sent = sendto(descriptor, bytes, bytes.count, flags, $0, length)
                while sent < 0, errno == EINTR { sent = sendto(descriptor, bytes, bytes.count, flags, $0, length) }
                return sent == bytes.count
            }
        }
    }

    private static func address(of path: String) -> (sockaddr_un, socklen_t)? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard let first = name.first, name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        guard first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return nil }
        if first == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let header = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        return (address, socklen_t(header + name.count))
    }
}
