import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The socket file: who may open it, and what to do with one that is already there.
struct ServerSocket: Sendable {
    /// Group that may connect, beside the owner.
    static let group = "nfc"

    let path: String
    /// The descriptor of a socket that listens there already. Its file belongs to whoever made it, and is left alone.
    var inherited: CInt?

    /// Why the socket could not be made.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes way for the new socket: its directory, and away with a file that nobody listens on any more.
    func prepare(_ group: any EventLoopGroup) async throws {
        guard inherited == nil else { return }
        // What swift-nio takes on every platform; Linux alone would take 107 (unix(7)).
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

    /// Lets the owner and the group `nfc` connect, nobody else.
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
