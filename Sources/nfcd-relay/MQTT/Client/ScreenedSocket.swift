#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The connection to a broker, with a place between the network and libmosquitto where packets are looked at.
///
/// The library allocates what a packet announces, up to 256 MiB, reads for as long as bytes arrive, and ends the process on a property
/// that it does not know. So its descriptor becomes one end of a pair of sockets, and the relay passes on what the network brings, in
/// pieces that it has seen before the library reads them. TLS stays with the library: a piece is then one record, which the library
/// decrypts and the relay looks at first.
final class ScreenedSocket {
    private static let chunk = 16_384
    /// The header of a record of TLS, and the longest record (RFC 8446, 5.2, and RFC 5246, 6.2.3).
    private static let recordHeader = 5
    private static let longestRecord = 16_384 + 2_048

    let isEncrypted: Bool
    /// The connection itself.
    private let network: Int32
    /// The relay's end of the pair.
    private let inner: Int32
    private var incoming: ArraySlice<UInt8> = []
    private var outgoing: ArraySlice<UInt8> = []
    private var isNetworkOpen = true
    private var buffer = [UInt8](repeating: 0, count: chunk)

    /// Why the network ended the connection, in the words of the system; nil where the broker closed it in order.
    private(set) var failure: String?

    /// Puts the relay between a connected socket and the library, which keeps using the same number.
    ///
    /// - Throws: `.system`, where the process has no descriptor left.
    init(of descriptor: Int32, isEncrypted: Bool) throws(MosquittoError) {
        self.isEncrypted = isEncrypted
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
        let fromNetwork = isNetworkOpen && pieceLength == nil ? POLLIN : 0
        let toNetwork = isNetworkOpen && !outgoing.isEmpty ? POLLOUT : 0
        return [
            pollfd(fd: fromNetwork | toNetwork == 0 ? -1 : network, events: Int16(fromNetwork | toNetwork), revents: 0),
            pollfd(fd: outgoing.isEmpty ? inner : -1, events: Int16(POLLIN), revents: 0),
        ]
    }

    /// Whether something can be passed on without waiting.
    var hasPiece: Bool { pieceLength != nil && isRead }

    /// The length of the next piece; nil where it has not arrived.
    private var pieceLength: Int? {
        guard isEncrypted else { return incoming.isEmpty ? nil : incoming.count }
        guard incoming.count >= Self.recordHeader else {
            return isNetworkOpen || incoming.isEmpty ? nil : incoming.count
        }
        let start = incoming.startIndex
        let length = Self.recordHeader + (Int(incoming[start + 3]) << 8 | Int(incoming[start + 4]))
        // What is not a record is refused by the library as soon as it has the header.
        guard length <= Self.recordHeader + Self.longestRecord else { return min(incoming.count, Self.chunk) }
        guard incoming.count >= length else { return isNetworkOpen ? nil : incoming.count }
        return length
    }

    /// Whether the library has read everything that it was given (unix(7), SIOCOUTQ).
    private var isRead: Bool {
        var count: Int32 = 0
        return ioctl(inner, UInt(TIOCOUTQ), &count) != 0 || count == 0
    }

    /// Passes on one piece from the network to the library, once it has read the one before.
    ///
    /// - Returns: the piece.
    func passIn() -> ArraySlice<UInt8> {
        if pieceLength == nil, isNetworkOpen {
            let count = receive(network)
            if count > 0 {
                incoming += buffer[..<count]
            } else if count == 0 || !Self.isTemporary {
                if count < 0 { failure = String(cString: strerror(errno)) }
                isNetworkOpen = false
            }
        }
        guard isRead else { return [] }
        guard let length = pieceLength else {
            // The library reads the end of the connection behind what it was given.
            if !isNetworkOpen { shutdown(inner, Int32(SHUT_WR)) }
            return []
        }
        var piece = incoming.prefix(length)
        let count = pass(&piece, to: inner)
        defer { incoming = incoming.dropFirst(count) }
        return incoming.prefix(count)
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
            guard !Self.isTemporary else { return 0 }
            defer { bytes = [] }
            return bytes.count
        }
        bytes = bytes.dropFirst(count)
        return count
    }
}
