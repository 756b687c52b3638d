import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Who is at the other end of a Unix socket, as the kernel says (SO_PEERCRED, socket(7)).
public struct PeerCredentials: Sendable, Hashable, CustomStringConvertible {
    /// Of the process that connected.
    public let processID: Int32
    /// Its effective user.
    public let userID: UInt32
    /// Its effective group.
    public let groupID: UInt32

    /// `uid 1000, pid 4711`.
    public var description: String { "uid \(userID), pid \(processID)" }

    /// Whether it may do what cannot be undone: root may, and whoever the daemon runs as.
    var mayLock: Bool { userID == 0 || userID == geteuid() }

    /// The layout of `struct ucred`.
    private struct Kernel {
        var processID: Int32 = 0
        var userID: UInt32 = 0
        var groupID: UInt32 = 0
    }

    private static let option = NIOBSDSocket.Option(rawValue: 17)

    /// Asks the kernel about a connection.
    static func of(_ channel: any Channel) async throws -> PeerCredentials {
        guard let provider = channel as? any SocketOptionProvider else { throw ChannelError.operationUnsupported }
        let future: EventLoopFuture<Kernel> = provider.unsafeGetSocketOption(level: .socket, name: option)
        let kernel = try await future.map { PeerCredentials($0) }.get()
        return kernel
    }

    private init(_ kernel: Kernel) {
        processID = kernel.processID
        userID = kernel.userID
        groupID = kernel.groupID
    }
}
