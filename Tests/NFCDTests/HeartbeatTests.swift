import Logging
import NFCReaders
import NFCSessions
import Synchronization
import Testing
import TestSupport

@testable import nfcd

@Suite(.timeLimit(.minutes(20))) struct `Keep-alives` {
    /// Counts, and lets others wait for a count.
    final class Counter: Sendable {
        private let (stream, sink) = AsyncStream<Void>.makeStream()
        private let value = Atomic<Int>(0)

        var count: Int { value.load(ordering: .relaxed) }

        func add() {
            value.add(1, ordering: .relaxed)
            sink.yield()
        }

        func next() async { for await _ in stream { return } }
    }

    /// A part that answers, hangs or complains as a test wants.
    final class Part: Sendable {
        private let complaint = Mutex<String?>(nil)
        private let held = Mutex<CheckedContinuation<Void, Never>?>(nil)
        private let isStuck = Mutex(false)
        let asked = Counter()

        func hang() { isStuck.withLock { $0 = true } }

        func goOn() {
            isStuck.withLock { $0 = false }
            held.withLock { $0 }?.resume()
        }

        func complain(_ what: String?) { complaint.withLock { $0 = what } }

        func look() async -> String? {
            if isStuck.withLock({ $0 }) {
                await withCheckedContinuation { continuation in
                    held.withLock { $0 = continuation }
                    asked.add()
                }
            } else {
                asked.add()
            }
            return complaint.withLock { $0 }
        }
    }

    private func withHeartbeat(_ body: (Part, Counter, TestClock) async throws -> Void) async rethrows {
        let (part, beats, clock) = (Part(), Counter(), TestClock())
        let heartbeat = Heartbeat(
            parts: [VitalPart("first") {}, VitalPart("second") { await part.look() }], limit: .seconds(60),
            clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, beat: { beats.add() })
        let task = Task { await heartbeat.keepBeating() }
        try await body(part, beats, clock)
        task.cancel()
        await task.value
    }

    @Test func `are sent twice within the limit`() async {
        await withHeartbeat { _, beats, clock in
            for count in 0..<3 {
                await clock.sleeping(for: .seconds(30))
                #expect(beats.count == count)
                clock.advance(by: .seconds(30))
                await beats.next()
            }
        }
    }

    @Test func `stop with a part that hangs, and continue with it`() async {
        await withHeartbeat { part, beats, clock in
            part.hang()
            await clock.sleeping(for: .seconds(30))
            clock.advance(by: .seconds(30))
            await part.asked.next()
            clock.advance(by: .seconds(600))
            // No task sleeps: the heart stops until the part answers.
            #expect(clock.remaining == [] && beats.count == 0)
            part.goOn()
            await beats.next()
            #expect(beats.count == 1)
        }
    }

    @Test func `are not sent while a part reports a problem, which is checked again before the limit`() async {
        await withHeartbeat { part, beats, clock in
            part.complain("stuck")
            await clock.sleeping(for: .seconds(30))
            clock.advance(by: .seconds(30))
            await clock.sleeping(for: .milliseconds(7_500))
            #expect(beats.count == 0)
            part.complain(nil)
            clock.advance(by: .milliseconds(7_500))
            await beats.next()
            await clock.sleeping(for: .seconds(30))
            #expect(beats.count == 1)
        }
    }
}

@Suite(.timeLimit(.minutes(20))) struct `The status line` {
    @Test func `follows readers and clients, at most once a second`() async {
        let clock = TestClock()
        let coordinator = SessionCoordinator(
            driver: SimulatedDriver(readers: 2, clock: clock), clock: clock,
            logger: .silent)
        let (lines, sink) = AsyncStream<String>.makeStream()
        var sent = lines.makeAsyncIterator()
        let service = OverviewService(
            coordinator: coordinator, clock: clock, status: { sink.yield($0) }, stopping: {})
        let status = Task { await service.sendChanges() }
        #expect(await sent.next() == "no readers: the PC/SC service is being started, 0 sessions, 0 clients")
        await clock.sleeping(for: .seconds(1))
        let running = Task { await coordinator.run() }
        #expect(await coordinator.readers().count == 2)
        for _ in 0..<3 { coordinator.metrics.clientConnected() }
        coordinator.metrics.clientDisconnected()
        clock.advance(by: .seconds(1))
        #expect(await sent.next() == "2 readers, 0 sessions, 2 clients")
        await clock.sleeping(for: .seconds(1))
        coordinator.metrics.clientDisconnected()
        clock.advance(by: .seconds(1))
        #expect(await sent.next() == "2 readers, 0 sessions, 1 client")
        running.cancel()
        status.cancel()
        await running.value
        await status.value
    }
}
