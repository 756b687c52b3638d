import NFCReaders
import TestSupport
import Testing

@testable import NFCSessions

/// The events of drivers, until they are handled.
@Suite(.timeLimit(.minutes(20))) struct `The inbox of the readers` {
    let driver = FakeDriver([Fixtures.desk])

    private func open(_ body: (ReaderInbox) async throws -> Void) async throws {
        let inbox = ReaderInbox(driver, Stopwatch(TestClock()))
        let running = Task { await inbox.run() }
        await driver.refresh()
        try await body(inbox)
        running.cancel()
        await running.value
    }

    @Test func `shows a reader as it is, also before the event is handled`() async throws {
        try await open { inbox in
            let arrival = driver.tap(.url)
            #expect(inbox[Fixtures.desk.id]?.tag == arrival)
            driver.lift()
            #expect(inbox[Fixtures.desk.id]?.tag == nil)
            driver.report(.detached(Fixtures.desk.id))
            #expect(inbox[Fixtures.desk.id] == nil)
        }
    }

    @Test func `hands out every event once, in order, and no question takes any`() async throws {
        try await open { inbox in
            let arrival = driver.tap(.url)
            for _ in 0..<3 { _ = inbox[Fixtures.desk.id] }
            driver.lift()
            var events: [ReaderEvent] = []
            inbox.handle { events += $0.map(\.event) }
            #expect(
                events == [
                    .serviceAvailable, .attached(Fixtures.desk), .tagArrived(arrival), .tagLeft(Fixtures.desk.id),
                ])
            inbox.handle { #expect($0.isEmpty) }
            await inbox.handled()
        }
    }

    /// How the wait of a request ends.
    enum End: CaseIterable, Sendable { case handled, closed }

    @Test(arguments: End.allCases) func `lets requests wait until the events are handled`(end: End) async throws {
        try await open { inbox in
            let waiting = Task { await inbox.refresh() }
            for _ in 0..<100 { await Task.yield() }
            var count = 0
            switch end {
            case .handled: inbox.handle { count = $0.count }
            case .closed: inbox.close()
            }
            await waiting.value
            #expect(count == (end == .handled ? 2 : 0))
            if end == .closed {
                // What comes afterwards is not going to be handled.
                driver.tap(.url)
                await inbox.handled()
            }
        }
    }

    @Test func `lets no request wait while it is not open`() async {
        await ReaderInbox(driver, Stopwatch(TestClock())).handled()
    }
}
