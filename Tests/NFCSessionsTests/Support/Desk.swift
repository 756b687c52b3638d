import Logging
import NFCReaders
import TestSupport

@testable import NFCSessions

/// A coordinator over fake readers and a clock that stands still.
struct Desk: Sendable {
    let driver: FakeDriver
    let clock = TestClock()
    let coordinator: SessionCoordinator
    let client = RecordingClient(1)
    let other = RecordingClient(2)

    init(_ readers: [ReaderDescription], _ limits: SessionLimits) {
        driver = FakeDriver(readers)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        coordinator = SessionCoordinator(driver: driver, limits: limits, clock: clock, logger: logger)
    }

    /// Runs the coordinator for as long as the body takes.
    static func open(
        _ readers: [ReaderDescription] = [Fixtures.desk], limits: SessionLimits = SessionLimits(),
        _ body: @Sendable (Desk) async throws -> Void
    ) async throws {
        let desk = Desk(readers, limits)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await desk.coordinator.run() }
            defer { group.cancelAll() }
            try await body(desk)
        }
    }

    /// Opens and begins a session.
    @discardableResult
    func begin(_ request: SessionRequest = SessionRequest(), by client: RecordingClient? = nil) async throws
        -> SessionID
    {
        let session = try await coordinator.open(request, for: client ?? self.client)
        await coordinator.begin(session)
        return session
    }

    /// Returns when everything that was told so far has reached the coordinator.
    func settle() async { _ = await coordinator.readers() }
}
