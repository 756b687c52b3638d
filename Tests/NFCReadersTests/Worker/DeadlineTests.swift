import NFCTags
import Testing
import TestSupport

@testable import NFCReaders

@Suite(.timeLimit(.minutes(5))) struct `A deadline` {
    @Test func `passes a result on that came in time, and stops its clock`() async {
        let clock = TestClock()
        #expect(await withDeadline(.seconds(1), clock: clock) { 7 } == 7)
        #expect(clock.remaining == [])
    }

    @Test func `gives nothing for a result that comes late, and tells when it came`() async {
        let clock = TestClock()
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let (lates, late) = AsyncStream<Void>.makeStream()
        let operation: @Sendable () async -> Int = {
            started.yield()
            for await _ in ends { break }
            return 7
        }
        async let result = withDeadline(.seconds(1), clock: clock, late: { late.yield() }, operation)
        for await _ in starts { break }
        await clock.sleeping(for: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await result == nil)
        end.yield()
        for await _ in lates { break }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The watchdog of a reader` {
    /// A clock whose time passes, and that wakes nobody up.
    struct DeafClock: Clock {
        let time: TestClock

        var now: TestClock.Instant { time.now }
        var minimumResolution: Duration { time.minimumResolution }

        func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
            let (nothing, end) = AsyncStream<Never>.makeStream()
            await withTaskCancellationHandler {
                for await _ in nothing {}
            } onCancel: {
                end.finish()
            }
        }
    }

    @Test func `is found to hang when it does not give a call up`() {
        let time = TestClock()
        let watchdog = Watchdog(DeafClock(time: time))
        let call = watchdog.watch(.seconds(5)) {}
        time.advance(by: .seconds(15))
        #expect(!watchdog.isLate(by: .seconds(10)))
        time.advance(by: .milliseconds(1))
        #expect(watchdog.isLate(by: .seconds(10)))
        watchdog.end(call)
        #expect(!watchdog.isLate(by: .seconds(10)))
    }

    @Test func `does not take a reader that hangs for a hang of nfcd`() async {
        let setup = `A reader's worker`.Setup()
        #expect(await setup.connectAndGetStuck() == .timedOut)
        setup.clock.advance(by: .seconds(3_600))
        #expect(!setup.worker.isHung)
        setup.hardware.release()
    }
}
