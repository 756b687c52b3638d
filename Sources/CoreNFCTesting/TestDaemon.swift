import CoreNFC
import Logging
import NFCReaders
import NFCServer
import NFCSessions

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An nfcd within this process, on a temporary socket, for as long as a test runs. Only the PC/SC service is simulated.
struct TestDaemon {
    let simulated: SimulatedDriver
    let socket: String

    /// Runs it, and once it listens and its readers are there, `body`; returns when it is gone.
    func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        let coordinator = SessionCoordinator(driver: simulated, logger: .silent)
        let (listening, listens) = AsyncThrowingStream<Void, any Error>.makeStream()
        let server = NFCServer(
            socket: socket, coordinator: coordinator,
            access: AccessPolicy(AccessRules(superusers: [geteuid()])), simulator: simulated, logger: .silent,
            onListening: { listens.yield() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await coordinator.run() }
            group.addTask {
                do {
                    try await server.run()
                    listens.finish()
                } catch {
                    listens.finish(throwing: error)
                }
            }
            defer { group.cancelAll() }
            await simulated.refresh()
            for try await _ in listening { break }
            return try await body()
        }
    }
}

extension Logger {
    /// Logs nothing.
    fileprivate static var silent: Logger { Logger(label: "nfcd") { _ in SwiftLogNoOpLogHandler() } }
}

/// A temporary folder for a socket, whose path is short enough for one.
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
