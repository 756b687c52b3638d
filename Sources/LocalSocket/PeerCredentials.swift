import CLinux
package import NFCTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The credentials of the peer of a Unix socket, from the kernel (SO_PEERCRED, socket(7); SO_PEERGROUPS, Linux 4.13).
package struct PeerCredentials: Sendable, Hashable, CustomStringConvertible {
    /// The process that connected.
    package let processID: Int32
    /// Its effective user.
    package let userID: UInt32
    /// Whom limits count it for: the further socket that it connected to, the owner of a subordinate user, otherwise the user itself.
    package let account: ClientAccount
    /// Its effective group.
    package let groupID: UInt32
    /// All its groups: the effective one and the supplementary ones.
    package let groupIDs: Set<UInt32>
    /// The further socket that it connected to, by name; nil: the socket for users of this machine.
    package let socket: String?

    /// `uid 1000, pid 4711`, and the further socket.
    package var description: String {
        "uid \(userID), pid \(processID)" + (socket.map { ", socket \"\($0)\"" } ?? "")
    }

    /// Whether this is root or the user that this process runs as. Behind a further socket no user is: root in a container has the
    /// number of the machine's root.
    package var isPrivileged: Bool { socket == nil && (userID == 0 || userID == geteuid()) }

    /// Whether two clients are the same user, so that each may see what the other does.
    package func isSameUser(as other: PeerCredentials) -> Bool {
        socket == other.socket && (socket != nil || userID == other.userID)
    }

    /// The credentials could not be read.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let groupsOption: CInt = 59
    /// The maximum number of groups of a process (NGROUPS_MAX).
    private static let maximumGroups = 65_536

    /// The credentials of a process of a user.
    package init(userID: UInt32, processID: Int32 = 1, account: UInt32? = nil, socket: String? = nil) {
        self.account = socket.map { .socket($0) } ?? .user(account ?? userID)
        (self.processID, self.userID, groupID, groupIDs, self.socket) = (processID, userID, 0, [], socket)
    }

    /// Reads the credentials of the peer of a connection.
    ///
    /// - Parameter name: the further socket that it connected to.
    package init(socket: CInt, of name: String? = nil) throws(Failure) {
        var peer = cpeer()
        guard cpeer_read(socket, &peer) == 0 else {
            throw Failure(description: "SO_PEERCRED: \(String(cString: strerror(errno)))")
        }
        processID = peer.process
        userID = peer.user
        account =
            name.map { .socket($0) }
            ?? .user(SubordinateUsers.ofSystem.account(of: peer.user) { $0 == 0 || $0 == geteuid() })
        self.socket = name
        groupID = peer.group
        groupIDs = Set(try Self.supplementaryGroups(socket)).union([peer.group])
    }

    private static func supplementaryGroups(_ socket: CInt) throws(Failure) -> [UInt32] {
        var room = 64
        while room <= maximumGroups {
            var groups = [UInt32](repeating: 0, count: room)
            var length = socklen_t(room * MemoryLayout<UInt32>.size)
            if getsockopt(socket, SOL_SOCKET, groupsOption, &groups, &length) == 0 {
                return Array(groups.prefix(Int(length) / MemoryLayout<UInt32>.size))
            }
            // Older kernels do not support this: the process then has fewer groups, and so fewer grants.
            guard errno != ENOPROTOOPT else { return [] }
            guard errno == ERANGE else { break }
            room *= 2
        }
        throw Failure(description: "SO_PEERGROUPS: \(String(cString: strerror(errno)))")
    }
}
