import Foundation
import TestSupport

/// A proxy between clients and a daemon, which records every line.
final class RecordingProxy: Sendable {
    let socket: String
    let record = TrafficRecord()
    private let listener: OpenSocket

    /// Clients that connect to `socket` send to the daemon at `path`.
    ///
    /// - Parameter method: ends the connection of a client that calls this method, before the daemon receives the call.
    init(socket: String, daemon path: String, endingAt method: String? = nil) throws {
        self.socket = socket
        listener = OpenSocket(try UnixSocket.bound(to: socket))
        Thread.detachNewThread { [listener, record] in
            while case let descriptor = accept(listener.descriptor, nil, nil), descriptor >= 0 {
                let client = OpenSocket(descriptor)
                guard let server = try? OpenSocket(UnixSocket.connected(to: path)) else { return }
                let (clientSender, serverSender) = record.connect()
                Self.pass(from: client, to: server, clientSender, endingAt: method)
                Self.pass(from: server, to: client, serverSender, endingAt: nil)
            }
        }
    }

    deinit {
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
    }

    /// Records and forwards the lines of one side until it closes the connection.
    private static func pass(
        from source: OpenSocket, to target: OpenSocket, _ sender: TrafficRecord.Sender, endingAt method: String?
    ) {
        Thread.detachNewThread {
            while case let bytes = UnixSocket.read(from: source.descriptor), !bytes.isEmpty {
                if let method, String(decoding: bytes, as: UTF8.self).contains("\"\(method)\"") {
                    shutdown(source.descriptor, Int32(SHUT_RDWR))
                    break
                }
                sender.add(bytes)
                guard UnixSocket.write(bytes, to: target.descriptor) else { break }
            }
            shutdown(target.descriptor, Int32(SHUT_WR))
        }
    }
}
