import Dispatch
import FoundationEssentials
import Glibc
import TestSupport

/// Something that listens on a socket and answers one client as a test wants it to, on a thread of its own.
final class FakeDaemon: Sendable {
    /// The client that has connected.
    struct Peer {
        fileprivate let socket: OpenSocket
        private var rest: [UInt8] = []

        fileprivate init(_ socket: OpenSocket) {
            self.socket = socket
        }

        /// The id of the next request; nil at the end of the connection.
        mutating func request() throws -> Int? {
            while true {
                if let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[..<newline], as: UTF8.self)
                    rest.removeSubrange(...newline)
                    guard case .number(let id) = try JSON(parsing: line)["id"] else { return nil }
                    return Int(id)
                }
                let bytes = UnixSocket.read(from: socket.descriptor)
                guard !bytes.isEmpty else { return nil }
                rest += bytes
            }
        }

        /// Sends a line.
        func send(_ line: String) {
            _ = UnixSocket.write(Array("\(line)\n".utf8), to: socket.descriptor)
        }
    }

    private let directory: TemporaryDirectory
    private let listener: OpenSocket
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("fake.sock")
        listener = OpenSocket(try UnixSocket.bound(to: path))
    }

    /// Plays a script with the first client, and ends the connection.
    func serve(_ script: @escaping @Sendable (inout Peer) throws -> Void) {
        DispatchQueue(label: "fake-daemon").async { [listener] in
            let descriptor = accept(listener.descriptor, nil, nil)
            guard descriptor >= 0 else { return }
            var peer = Peer(OpenSocket(descriptor))
            try? script(&peer)
        }
    }
}
