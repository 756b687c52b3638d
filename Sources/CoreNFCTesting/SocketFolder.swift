import CoreNFC

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A folder of one's own for a socket, with a path that is short enough for one.
struct SocketFolder {
    let path: String
    /// What a socket's path may have, in bytes.
    private static let longestPath = 103

    init() throws {
        let name = "corenfc-\(UUID().uuidString.prefix(8))"
        let usual = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        path = usual.utf8.count + "/nfcd.sock".utf8.count <= Self.longestPath ? usual : "\(P_tmpdir)/\(name)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    var socket: String { "\(path)/nfcd.sock" }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
