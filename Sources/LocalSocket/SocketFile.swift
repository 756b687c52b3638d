#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of a Unix socket that a service listens on: its permissions, and the replacement of an existing one.
package struct SocketFile: Sendable {
    /// The reason why the socket cannot be created.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The group that may connect, besides the owner.
    private static let group = "nfc"
    /// The limit of swift-nio on all platforms; that of Linux is 107 (unix(7)).
    private static let longestPath = 103

    package let path: String
    private let program: String
    private let option: String

    /// - Parameters:
    ///   - program: the service, for messages.
    ///   - option: the option that sets the path.
    package init(_ path: String, of program: String, option: String) {
        (self.path, self.program, self.option) = (path, program, option)
    }

    /// Creates the directory, and removes a socket that no process listens on.
    package func prepare() throws(Failure) {
        guard path.utf8.count <= Self.longestPath else {
            throw Failure(description: "socket path \(path) is longer than \(Self.longestPath) bytes")
        }
        try makeDirectory()
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw Failure(
                description: "\(path) exists and is not a socket; remove it, or use \(option) with another path")
        }
        guard !hasListener else {
            throw Failure(
                description: "another \(program) listens on \(path); stop it, or use \(option) with another path")
        }
        guard unlink(path) == 0 else {
            throw Failure(
                description:
                    "cannot remove the socket of an earlier \(program), \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Restricts connections to the owner and the group `nfc`.
    package func protect() {
        if let group = getgrnam(Self.group) { _ = chown(path, uid_t.max, group.pointee.gr_gid) }
        _ = chmod(path, 0o660)
    }

    /// Removes the file.
    package func remove() { _ = unlink(path) }

    private func makeDirectory() throws(Failure) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let directory = String(path[..<slash])
        guard mkdir(directory, 0o755) != 0, errno != EEXIST else { return }
        throw Failure(
            description: "cannot create the directory \(directory) for the socket: \(String(cString: strerror(errno)))")
    }

    /// Whether a process listens on it, maybe one without room for another connection.
    private var hasListener: Bool {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        let failure = UnixAddress(path: path)?.failure(connecting: descriptor)
        return failure == 0 || failure == EAGAIN
    }
}
