import Foundation
import TestSupport

/// Sits between clients and a daemon on a socket of its own, and keeps every line that passes.
final class RecordingProxy: Sendable {
    let socket: String
    let record = TrafficRecord()
    private let listener: OpenSocket

    /// Clients that connect to `socket` talk to the daemon at `path`.
    init(socket: String, daemon path: String) throws {
        self.socket = socket
        listener = OpenSocket(try UnixSocket.bound(to: socket))
        Thread.detachNewThread { [listener, record] in
            while case let descriptor = accept(listener.descriptor, nil, nil), descriptor >= 0 {
                let client = OpenSocket(descriptor)
                guard let server = try? OpenSocket(UnixSocket.connected(to: path)) else { return }
                let (clientSender, serverSender) = record.connect()
                Self.pass(from: client, to: server, clientSender)
                Self.pass(from: server, to: client, serverSender)
            }
        }
    }

    deinit {
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
    }

    /// Passes on what one side sends, each line having been kept before it goes on, until that side ends.
    private static func pass(from source: OpenSocket, to target: OpenSocket, _ sender: TrafficRecord.Sender) {
        Thread.detachNewThread {
            while case let bytes = UnixSocket.read(from: source.descriptor), !bytes.isEmpty {
                sender.add(bytes)
                guard UnixSocket.write(bytes, to: target.descriptor) else { break }
            }
            shutdown(target.descriptor, Int32(SHUT_WR))
        }
    }
}
