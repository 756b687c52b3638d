import LocalSocket
import NIOCore
import NIOPosix

/// A further socket, which is inherited.
package struct FurtherServerSocket: Sendable {
    /// The name that grants have for it.
    let name: String
    let socket: ServerSocket

    /// A socket that listens already.
    ///
    /// - Parameters:
    ///   - name: the name that grants have for it.
    ///   - descriptor: its descriptor.
    ///   - path: where it listens, for the log.
    package init(_ name: String, _ descriptor: CInt, path: String) {
        self.name = name
        socket = .inherited(descriptor, path: path)
    }
}

/// What the server listens on.
enum ServerSocket: Sendable {
    case file(SocketFile)
    /// The descriptor of a socket that already listens. Its file belongs to the process that created it, and is not changed or
    /// removed.
    case inherited(CInt, path: String)

    var path: String {
        switch self {
        case .file(let file): file.path
        case .inherited(_, let path): path
        }
    }

    /// Listens.
    func bind(_ bootstrap: ServerBootstrap) async throws -> any Channel {
        switch self {
        case .inherited(let descriptor, _): return try await bootstrap.withBoundSocket(descriptor).get()
        case .file(let file):
            try file.prepare()
            defer { file.protect() }
            return try await bootstrap.bind(unixDomainSocketPath: file.path).get()
        }
    }

    /// Removes the file.
    func remove() {
        if case .file(let file) = self { file.remove() }
    }
}
