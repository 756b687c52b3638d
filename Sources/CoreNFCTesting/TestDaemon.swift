import CoreNFC
import Logging
import NFCReaders
import NFCServer
import NFCSessions
import NFCTypes
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An nfcd within this process, on a temporary socket, for as long as a test runs. Only the PC/SC service is simulated.
final class TestDaemon: Sendable {
    let clock = SkippingClock()
    let coordinator: SessionCoordinator
    private let simulated: SimulatedDriver
    private let socket: String
    private let sessions = SessionRecord()

    init(simulated: SimulatedDriver, socket: String) {
        self.simulated = simulated
        self.socket = socket
        coordinator = SessionCoordinator(driver: simulated, clock: clock, logger: .silent)
    }

    /// The session of the app that is active; nil where none is.
    var activeSession: SessionSummary? {
        get async { await coordinator.summaries().first { $0.state == .active && $0.client.id != OtherProgram.number } }
    }

    /// The text that the last session showed when it ended; nil where it showed none.
    var lastErrorMessage: String? { sessions.errorMessage }

    /// Returns the session that is active, when there is one.
    ///
    /// - Throws: `CancellationError`.
    func waitForSession() async throws -> SessionID {
        for await _ in sessions.begins() {
            if let session = await activeSession { return session.id }
        }
        throw CancellationError()
    }

    /// Runs it, and once it listens and its readers are there, `body`; returns when it is gone.
    func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        let (listening, listens) = AsyncThrowingStream<Void, any Error>.makeStream()
        let server = NFCServer(
            socket: socket, coordinator: coordinator,
            access: AccessPolicy(AccessRules(superusers: [geteuid()])), simulator: simulated, logger: .silent,
            onListening: { listens.yield() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [coordinator] in await coordinator.run() }
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
            await coordinator.addListener(sessions)
            for try await _ in listening { break }
            return try await body()
        }
    }
}

/// Records which sessions begin and end.
private final class SessionRecord: EventClient {
    private struct State {
        var errorMessage: String?
        var observers: [AsyncStream<Void>.Continuation] = []
    }

    /// Different from those of clients, which are counted up from 1.
    let id = ClientID(rawValue: .max)
    private let state = Mutex(State())

    var errorMessage: String? { state.withLock(\.errorMessage) }

    /// A value at once, and one for each session that becomes active.
    func begins() -> AsyncStream<Void> {
        let (stream, sink) = AsyncStream<Void>.makeStream()
        sink.yield()
        state.withLock { $0.observers.append(sink) }
        return stream
    }

    func send(_ event: CoordinatorEvent) {
        state.withLock { state in
            switch event {
            case .sessionBegan: for observer in state.observers { observer.yield() }
            case .sessionEnded(_, let reason):
                state.errorMessage = reason.code == .userCanceled && !reason.detail.isEmpty ? reason.detail : nil
            default: break
            }
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
