import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The socket file: its permissions, and the replacement of an existing one.
struct ServerSocket: Sendable {
    /// The group that may connect, besides the owner.
    static let group = "nfc"

    let path: String
    /// The descriptor of a socket that already listens on the path. Its file belongs to the process that created it, and is not
    /// changed or removed.
    var inherited: CInt?

    /// The reason why the socket could not be created.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Creates the directory, and removes a socket that no process listens on.
    func prepare(_ group: any EventLoopGroup) async throws {
        guard inherited == nil else { return }
        // The limit of swift-nio on all platforms; that of Linux is 107 (unix(7)).
        guard path.utf8.count <= 103 else { throw Failure(description: "socket path \(path) is longer than 103 bytes") }
        try makeDirectory()
        guard access(path, F_OK) == 0 else { return }
        let other = try? await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get()
        if let other {
            try? await other.close()
            throw Failure(description: "another nfcd listens on \(path); stop it, or use --socket with another path")
        }
        try removeStale()
    }

    /// Listens.
    func bind(_ bootstrap: ServerBootstrap) async throws -> any Channel {
        guard let inherited else { return try await bootstrap.bind(unixDomainSocketPath: path).get() }
        return try await bootstrap.withBoundSocket(inherited).get()
    }

    /// Restricts connections to the owner and the group `nfc`.
    func protect() {
        guard inherited == nil else { return }
        if let group = getgrnam(Self.group) { _ = chown(path, uid_t.max, group.pointee.gr_gid) }
        _ = chmod(path, 0o660)
    }

    /// Removes the file.
    func remove() {
        guard inherited == nil else { return }
        _ = unlink(path)
    }

    private func makeDirectory() throws {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let directory = String(path[..<slash])
        guard mkdir(directory, 0o755) != 0, errno != EEXIST else { return }
        throw Failure(
            description: "cannot create the directory \(directory) for the socket: \(String(cString: strerror(errno)))")
    }

    private func removeStale() throws {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw Failure(
                description: "\(path) exists and is not a socket; remove it, or use --socket with another path")
        }
        guard unlink(path) == 0 else {
            throw Failure(
                description: "cannot remove the socket of an earlier nfcd, \(path): \(String(cString: strerror(errno)))"
            )
        }
    }
}
