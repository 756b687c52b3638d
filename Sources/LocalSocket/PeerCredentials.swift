import CLinux

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
    /// The user that limits count it for: the owner of a subordinate user, otherwise the user itself.
    package let account: UInt32
    /// Its effective group.
    package let groupID: UInt32
    /// All its groups: the effective one and the supplementary ones.
    package let groupIDs: Set<UInt32>

    /// `uid 1000, pid 4711`.
    package var description: String { "uid \(userID), pid \(processID)" }

    /// Whether this is root or the user that this process runs as.
    package var isPrivileged: Bool { userID == 0 || userID == geteuid() }

    /// The credentials could not be read.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let groupsOption: CInt = 59
    /// The maximum number of groups of a process (NGROUPS_MAX).
    private static let maximumGroups = 65_536

    /// The credentials of a process of a user.
    package init(userID: UInt32, processID: Int32 = 1, account: UInt32? = nil) {
        self.account = account ?? userID
        (self.processID, self.userID, groupID, groupIDs) = (processID, userID, 0, [])
    }

    /// Reads the credentials of the peer of a socket.
    package init(socket: CInt) throws(Failure) {
        var peer = cpeer()
        guard cpeer_read(socket, &peer) == 0 else {
            throw Failure(description: "SO_PEERCRED: \(String(cString: strerror(errno)))")
        }
        processID = peer.process
        userID = peer.user
        account = SubordinateUsers.ofSystem.account(of: peer.user) { $0 == 0 || $0 == geteuid() }
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
