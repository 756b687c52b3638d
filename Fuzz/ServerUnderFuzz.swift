import Dispatch
import Glibc
import Logging
import NFCReaders
import NFCServer
import NFCSessions
import TestSupport

/// An nfcd on simulated readers within this process, to whom nobody is a stranger.
struct ServerUnderFuzz: Sendable {
    /// In the folder of the findings, which Scripts/fuzz makes.
    let path = ".fuzz/requests/nfcd.sock"

    /// Starts when it is first asked for; lasts as long as the process.
    static let shared = ServerUnderFuzz()

    private init() {
        let simulated = SimulatedDriver(readers: 2)
        let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
        let coordinator = SessionCoordinator(driver: simulated, logger: logger)
        let listens = DispatchSemaphore(value: 0)
        let server = NFCServer(
            socket: path, coordinator: coordinator,
            access: AccessPolicy(AccessRules(superusers: [geteuid()])), simulator: simulated, logger: logger,
            onListening: { listens.signal() })
        Task.detached { await coordinator.run() }
        Task.detached {
            do {
                try await server.run()
            } catch {
                fatalError("the server does not start: \(error)")
            }
        }
        listens.wait()
    }

    /// What a new client is answered that sends these bytes, a newline, and last a request of this id.
    func answers(to bytes: [UInt8], last id: String) -> [String]? {
        guard let socket = try? OpenSocket(UnixSocket.connected(to: path)) else { return nil }
        let last = #"{"jsonrpc":"2.0","id":"\#(id)","method":"simulator.list"}"#
        guard UnixSocket.write(bytes + Array("\n\(last)\n".utf8), to: socket.descriptor) else { return nil }
        var received: [UInt8] = []
        while case let piece = UnixSocket.read(from: socket.descriptor), !piece.isEmpty {
            received += piece
            let lines = received.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            if received.last == UInt8(ascii: "\n"), lines.contains(where: { $0.hasPrefix(#"{"id":"\#(id)","#) }) {
                return lines
            }
        }
        return nil
    }
}
