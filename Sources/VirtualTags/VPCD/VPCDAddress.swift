import Glibc

/// Where a vpcd listens.
public struct VPCDAddress: Sendable, Hashable, CustomStringConvertible {
    /// A host name or a numeric address.
    public let host: String
    /// The TCP port.
    public let port: UInt16

    /// An address; by default the first slot of a vpcd on this machine. The second slot listens on 35964.
    public init(host: String = "127.0.0.1", port: UInt16 = 35963) {
        self.host = host
        self.port = port
    }

    /// `host:port`, an IPv6 address in brackets.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension VPCDAddress {
    /// How long one connection attempt may take, in milliseconds.
    private static let timeout: Int32 = 5_000

    /// Connects to the first address of the host that answers. Blocks.
    ///
    /// `adopt` is handed each socket before it connects, so that it can be cut; false ends the attempt.
    func connect(adopt: (VPCDSocket) -> Bool) throws(VPCDError) -> VPCDSocket {
        var list: UnsafeMutablePointer<addrinfo>?
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let list else {
            throw VPCDError(.unknownHost, "the host \"\(host)\" has no address")
        }
        defer { freeaddrinfo(list) }
        var failure = VPCDSocket.Failure.errno(EADDRNOTAVAIL)
        for entry in sequence(first: list, next: { $0.pointee.ai_next }).prefix(16) {
            do throws(VPCDSocket.Failure) {
                return try Self.connect(entry.pointee, adopt: adopt)
            } catch {
                failure = error
            }
            if failure == .closed { break }
        }
        throw sentence(for: failure)
    }

    private static func connect(
        _ entry: addrinfo, adopt: (VPCDSocket) -> Bool
    ) throws(VPCDSocket.Failure) -> VPCDSocket {
        let socket = try VPCDSocket(family: entry.ai_family)
        guard adopt(socket), let address = entry.ai_addr else { throw .closed }
        try socket.connect(to: address, length: entry.ai_addrlen, timeout: timeout)
        return socket
    }

    private func sentence(for failure: VPCDSocket.Failure) -> VPCDError {
        switch failure {
        case .closed:
            VPCDError(.removed, "the connection to \(self) was cut while it was made")
        case .errno(ECONNREFUSED):
            VPCDError(
                .connectionRefused, "no vpcd listens on \(self); is pcscd with vsmartcard-vpcd running?")
        case .errno(ETIMEDOUT):
            VPCDError(.timedOut, "vpcd on \(self) did not answer in time")
        case .errno(let number):
            VPCDError(.network, "cannot connect to vpcd on \(self): \(String(cString: strerror(number))) (\(number))")
        }
    }
}

extension VPCDAddress {
    /// Reads `host:port`, an IPv6 address in brackets; nil for anything else.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, let port = UInt16(text[text.index(after: colon)...]), port > 0 else { return nil }
        self.init(host: String(host), port: port)
    }
}
