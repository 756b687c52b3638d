import NFCTags
import TestSupport
import Testing

@testable import NFCReaders

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
