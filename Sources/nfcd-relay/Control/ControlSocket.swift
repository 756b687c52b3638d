import CLinux
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of the control socket: its permissions, and the replacement of one that a relay left behind.
struct ControlSocket: Sendable {
    /// The group that may connect, besides the owner.
    private static let group = "nfc"

    let path: String

    /// Why the socket could not be made.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes the directory, and removes a socket that no process listens on.
    func prepare(_ group: any EventLoopGroup) async throws {
        guard path.utf8.count <= 103 else {
            throw Failure(
                description: "the path of the control socket, \(path), is longer than 103 bytes; use --control")
        }
        makeDirectory()
        guard access(path, F_OK) == 0 else { return }
        if let other = try? await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get() {
            try? await other.close()
            throw Failure(
                description: "another nfcd-relay listens on \(path); stop it, or use --control with another path")
        }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw Failure(
                description: "\(path) exists and is not a socket; remove it, or use --control with another path")
        }
        _ = unlink(path)
    }

    /// Restricts connections to the owner and the group.
    func protect() {
        if let group = getgrnam(Self.group) { _ = chown(path, uid_t.max, group.pointee.gr_gid) }
        _ = chmod(path, 0o660)
    }

    /// Removes the file.
    func remove() { _ = unlink(path) }

    /// Where it fails, binding the socket reports the reason.
    private func makeDirectory() {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        _ = mkdir(String(path[..<slash]), 0o755)
    }
}

extension ControlPeer {
    /// Who is at the other end of a connection (SO_PEERCRED). Called on its event loop.
    init(_ channel: any Channel) throws {
        let user = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            descriptor -> UInt32? in
            var peer = cpeer()
            return cpeer_read(descriptor, &peer) == 0 ? peer.user : nil
        }
        guard let user = user ?? nil else { throw ChannelError.operationUnsupported }
        self.init(userID: user, isPrivileged: [0, geteuid()].contains(user))
    }
}
