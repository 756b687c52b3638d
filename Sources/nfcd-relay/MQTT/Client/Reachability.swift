#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tries to open a TCP connection within a time limit.
///
/// `mosquitto_connect` has no limit: it waits for some two minutes for each address of a host that does not answer. So the
/// server is tried first where the last attempt failed.
enum Reachability {
    /// Returns why the server cannot be reached; nil where it can.
    static func failure(of server: BrokerServer, within limit: Duration) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(server.host, String(server.port), &hints, &list)
        defer { if list != nil { freeaddrinfo(list) } }
        guard result == 0 else { return "\(server.host) is not a known host: \(String(cString: gai_strerror(result)))" }
        var failure = "\(server) has no address"
        var next = list
        while let address = next?.pointee {
            guard let error = connectError(address, within: limit) else { return nil }
            failure = "\(server) cannot be reached: \(String(cString: strerror(error)))"
            next = address.ai_next
        }
        return failure
    }

    private static func connectError(_ address: addrinfo, within limit: Duration) -> Int32? {
        let descriptor = socket(
            address.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return nil }
        guard errno == EINPROGRESS else { return errno }
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&wanted, 1, Int32(limit.components.seconds * 1_000)) == 1 else { return ETIMEDOUT }
        var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        return error == 0 ? nil : error
    }
}
