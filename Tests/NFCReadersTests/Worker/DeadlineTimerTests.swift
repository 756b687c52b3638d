import Dispatch
import NFCTags
import Testing
import TestSupport

@testable import NFCReaders

@Suite(.timeLimit(.minutes(20))) struct `A deadline` {
    @Test func `passes on a result in time, and stops its clock`() async {
        let clock = TestClock()
        #expect(await DeadlineTimer(clock).result(within: .seconds(1)) { 7 } == 7)
        #expect(await DeadlineTimer(clock).result(within: .seconds(1), ofBlocking: { 7 }) == 7)
        #expect(clock.remaining == [])
    }

    @Test func `returns nil for a late result, and reports when it arrived`() async {
        let clock = TestClock()
        let timer = DeadlineTimer(clock)
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let (lates, late) = AsyncStream<Void>.makeStream()
        async let result: Int? = timer.wait(.seconds(1), late: { late.yield() }) { complete in
            Task {
                started.yield()
                for await _ in ends { break }
                complete(7)
            }
        }
        for await _ in starts { break }
        await clock.sleeping(for: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await result == nil)
        end.yield()
        for await _ in lates { break }
    }

    @Test func `of a blocking call does not wait for the call`() async {
        let clock = TestClock()
        let timer = DeadlineTimer(clock)
        let exit = DispatchSemaphore(value: 0)
        async let result = timer.result(within: .seconds(1), ofBlocking: { exit.wait() })
        await clock.sleeping(for: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await result == nil)
        exit.signal()
    }

    /// A clock whose time passes, and that never wakes a sleeping task.
    struct SilentClock: Clock {
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

    @Test func `is late if its operation continues long after it`() async {
        let time = TestClock()
        let timer = DeadlineTimer(SilentClock(time: time))
        let (operations, started) = AsyncStream<@Sendable (Int) -> Void>.makeStream()
        async let result: Int? = timer.wait(.seconds(5)) { complete in started.yield(complete) }
        var complete: (@Sendable (Int) -> Void)?
        for await operation in operations {
            complete = operation
            break
        }
        time.advance(by: .seconds(15))
        #expect(!timer.isLate(by: .seconds(10)))
        time.advance(by: .milliseconds(1))
        #expect(timer.isLate(by: .seconds(10)))
        complete?(7)
        #expect(await result == 7)
        #expect(!timer.isLate(by: .seconds(10)))
    }

    @Test func `is not late if a reader hangs and its call is abandoned`() async {
        let setup = `A reader's worker`.Setup()
        #expect(await setup.connectAndGetStuck() == .timedOut)
        setup.clock.advance(by: .seconds(3_600))
        #expect(!setup.worker.isHung)
        setup.hardware.release()
    }
}
