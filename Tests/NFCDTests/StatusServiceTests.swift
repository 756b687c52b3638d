import Logging
import NFCReaders
import NFCSessions
import Synchronization
import TestSupport
import Testing

@testable import nfcd

@Suite(.timeLimit(.minutes(5))) struct `The line of status` {
    @Test func `follows readers and clients, at most once a second`() async {
        let clock = TestClock()
        let coordinator = SessionCoordinator(
            driver: SimulatedDriver(readers: 2, clock: clock), clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (lines, sink) = AsyncStream<String>.makeStream()
        var told = lines.makeAsyncIterator()
        let service = StatusService(
            coordinator: coordinator, clock: clock, status: { sink.yield($0) }, stopping: {})
        let status = Task { await service.tellChanges() }
        #expect(await told.next() == "no readers: the readers have not been looked for yet, 0 sessions, 0 clients")
        await clock.sleeping(for: .seconds(1))
        let running = Task { await coordinator.run() }
        #expect(await coordinator.readers().count == 2)
        for _ in 0..<3 { coordinator.metrics.clientCame() }
        coordinator.metrics.clientLeft()
        clock.advance(by: .seconds(1))
        #expect(await told.next() == "2 readers, 0 sessions, 2 clients")
        await clock.sleeping(for: .seconds(1))
        coordinator.metrics.clientLeft()
        clock.advance(by: .seconds(1))
        #expect(await told.next() == "2 readers, 0 sessions, 1 client")
        running.cancel()
        status.cancel()
        await running.value
        await status.value
    }
}
