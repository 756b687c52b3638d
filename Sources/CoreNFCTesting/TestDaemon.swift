import CoreNFC
import NFCReaders
import NFCSessions
import NFCTypes
import Synchronization

/// An nfcd within this process, for as long as a test runs. Its readers are simulated, and its clients connect to it without a
/// socket; everything else is what nfcd does.
final class TestDaemon: Sendable {
    let clock = SkippingClock()
    let coordinator: SessionCoordinator
    private let simulated: SimulatedDriver
    /// Where the sessions of this process connect to it.
    let endpoint = LocalEndpoint()
    private let sessions = SessionRecord()

    init(simulated: SimulatedDriver) {
        self.simulated = simulated
        coordinator = SessionCoordinator(driver: simulated, clock: clock, logger: .silent)
    }

    /// The session of the app that is active; nil where none is.
    var activeSession: SessionSummary? {
        get async { await coordinator.summaries().first { $0.state == .active && $0.client.id != OtherProgram.number } }
    }

    /// The text that the last session showed when it ended; nil where it showed none.
    var lastErrorMessage: String? {
        get async {
            // The session's client is notified first; when the coordinator answers, the record is, too.
            _ = await coordinator.overview()
            return sessions.errorMessage
        }
    }

    /// Returns the session that is active, when there is one.
    ///
    /// - Throws: `CancellationError`.
    func waitForSession() async throws -> SessionID {
        for await _ in sessions.begins() {
            if let session = await activeSession { return session.id }
        }
        throw CancellationError()
    }

    /// Runs it, and once its readers are there, `body`; returns when it is gone.
    func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [coordinator] in await coordinator.run() }
            group.addTask { [endpoint, coordinator, simulated] in
                await endpoint.serve(coordinator, simulator: simulated)
            }
            defer { group.cancelAll() }
            await simulated.refresh()
            await coordinator.addListener(sessions)
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
