#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The connection to a broker, with a meter between the network and libmosquitto.
///
/// The library allocates what a packet announces, up to 256 MiB, and reads for as long as bytes arrive. So its descriptor becomes one
/// end of a pair of sockets, and the relay passes on what the network brings: never more than an allowance until the library has
/// reported a packet. TLS stays with the library: the meter counts bytes and interprets none.
final class MeteredSocket {
    private static let chunk = 16_384

    /// The connection itself.
    private let network: Int32
    /// The relay's end of the pair.
    private let inner: Int32
    private var incoming: ArraySlice<UInt8> = []
    private var outgoing: ArraySlice<UInt8> = []
    private var isNetworkOpen = true
    private var buffer = [UInt8](repeating: 0, count: chunk)

    /// How many bytes the library was given since `packetReported()`.
    private(set) var unreported = 0
    /// Why the network ended the connection, in the words of the system; nil where the broker closed it in order.
    private(set) var failure: String?

    /// Puts the meter between a connected socket and the library, which goes on using the same number.
    ///
    /// - Throws: `.system`, where the process has no descriptor left.
    init(of descriptor: Int32) throws(MosquittoError) {
        let network = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard network >= 0 else { throw .system }
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            close(network)
            throw .system
        }
        let isReplaced = dup2(ends[0], descriptor) >= 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
        close(ends[0])
        (self.network, inner) = (network, ends[1])
        guard isReplaced else { throw .system }
    }

    deinit {
        close(network)
        close(inner)
    }

    /// What to wait for: the network, and the library's output.
    var awaited: [pollfd] {
        let fromNetwork = isNetworkOpen && incoming.isEmpty ? POLLIN : 0
        let toNetwork = isNetworkOpen && !outgoing.isEmpty ? POLLOUT : 0
        let fromLibrary = outgoing.isEmpty ? POLLIN : 0
        let toLibrary = incoming.isEmpty ? 0 : POLLOUT
        return [
            pollfd(fd: fromNetwork | toNetwork == 0 ? -1 : network, events: Int16(fromNetwork | toNetwork), revents: 0),
            pollfd(fd: fromLibrary | toLibrary == 0 ? -1 : inner, events: Int16(fromLibrary | toLibrary), revents: 0),
        ]
    }

    /// The library reported a packet: it has read what it was given before.
    func packetReported() { unreported = 0 }

    /// Passes on one chunk from the network to the library.
    func passIn() {
        if incoming.isEmpty, isNetworkOpen {
            let count = receive(network)
            if count > 0 {
                incoming = buffer[..<count]
            } else if count == 0 || !Self.isTemporary {
                if count < 0 { failure = String(cString: strerror(errno)) }
                isNetworkOpen = false
            }
        }
        unreported += pass(&incoming, to: inner)
        // The library reads the end of the connection behind what it was given.
        if !isNetworkOpen, incoming.isEmpty { shutdown(inner, Int32(SHUT_WR)) }
    }

    /// Passes on what the library has sent, as far as the network takes it.
    func passOut() {
        while true {
            if outgoing.isEmpty {
                let count = receive(inner)
                guard count > 0 else { return }
                outgoing = buffer[..<count]
            }
            _ = pass(&outgoing, to: network)
            guard outgoing.isEmpty else { return }
        }
    }

    /// Passes on the last packets of a connection that the library has closed, for at most a second.
    func flush() {
        for _ in 0..<10 {
            passOut()
            guard !outgoing.isEmpty, isNetworkOpen else { return }
            var ready = pollfd(fd: network, events: Int16(POLLOUT), revents: 0)
            _ = poll(&ready, 1, 100)
        }
    }

    private static var isTemporary: Bool { [EAGAIN, EINTR].contains(errno) }

    private func receive(_ descriptor: Int32) -> Int { recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) }

    /// Sends the beginning of some bytes, removes it, and returns how many it was. What a closed end does not take is dropped.
    private func pass(_ bytes: inout ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        guard !bytes.isEmpty else { return 0 }
        let count = bytes.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        guard count >= 0 else {
            if !Self.isTemporary { bytes = [] }
            return 0
        }
        bytes = bytes.dropFirst(count)
        return count
    }
}
