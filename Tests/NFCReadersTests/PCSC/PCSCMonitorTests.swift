import Synchronization
import Testing
import TestSupport
import Threading

@testable import NFCReaders
@testable import PCSCReaders

@Suite(.timeLimit(.minutes(20))) struct `The monitor's attention` {
    /// Events in their order.
    private final class Diary: Sendable {
        private let entries = Mutex<[String]>([])
        var all: [String] { entries.withLock { $0 } }
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    }

    @Test func `delays a refresh until the monitor has reported its readers`() async {
        let (attention, diary) = (MonitorAttention(), Diary())
        async let refreshed: Void = {
            await attention.refresh()
            diary.add("refreshed")
        }()
        for _ in 0..<100 { await Task.yield() }
        diary.add("settled")
        attention.settled()
        await refreshed
        #expect(diary.all == ["settled", "refreshed"])
        await attention.refresh()
    }

    @Test func `pauses for the requested time`() async {
        let (attention, clock, diary) = (MonitorAttention(), TestClock(), Diary())
        async let rested: Void = {
            await attention.rest(for: .seconds(5), clock: clock)
            diary.add("rested")
        }()
        await clock.sleeping(for: .seconds(5))
        clock.advance(by: .milliseconds(4_999))
        #expect(clock.remaining == [.milliseconds(1)])
        diary.add("the last millisecond")
        clock.advance(by: .milliseconds(1))
        await rested
        #expect(diary.all == ["the last millisecond", "rested"])
    }

    @Test func `ends a pause for a refresh, which waits for the next attempt`() async {
        let (attention, clock, diary) = (MonitorAttention(), TestClock(), Diary())
        async let rested: Void = {
            await attention.rest(for: .seconds(5), clock: clock)
            diary.add("rested")
        }()
        await clock.sleeping(for: .seconds(5))
        async let refreshed: Void = {
            await attention.refresh()
            diary.add("refreshed")
        }()
        await rested
        attention.settled()
        await refreshed
        #expect(diary.all == ["rested", "refreshed"])
        #expect(clock.remaining == [])
    }

    @Test func `completes a refresh when a pause begins`() async {
        let (attention, clock) = (MonitorAttention(), TestClock())
        async let refreshed: Void = attention.refresh()
        for _ in 0..<100 { await Task.yield() }
        async let rested: Void = attention.rest(for: .seconds(5), clock: clock)
        // The refresh completes whether it began before the pause or during it.
        await clock.sleeping()
        clock.advance(by: .seconds(5))
        await rested
        attention.settled()
        await refreshed
    }

    @Test func `ends a pause when stopped`() async {
        let (attention, clock) = (MonitorAttention(), TestClock())
        #expect(!attention.isStopped)
        async let rested: Void = attention.rest(for: .seconds(5), clock: clock)
        await clock.sleeping(for: .seconds(5))
        attention.stop()
        await rested
        #expect(attention.isStopped)
        await attention.rest(for: .seconds(5), clock: clock)
        #expect(clock.remaining == [])
        attention.ended()
    }

    @Test func `finishes when stopped, without waiting for a pcscd that does not answer`() async {
        let attention = MonitorAttention()
        async let finished: Void = attention.finish()
        for _ in 0..<100 { await Task.yield() }
        attention.stop()
        await finished
        attention.ended()
        await attention.finish()
    }

    @Test func `completes every refresh after its end`() async {
        let attention = MonitorAttention()
        async let refreshed: Void = attention.refresh()
        attention.stop()
        attention.ended()
        await refreshed
        await attention.refresh()
    }
}

@Suite struct `The pauses between attempts` {
    @Test func `double up to five seconds`() {
        var backOff = PCSCMonitor.pauses
        let pauses = (0..<8).map { _ in backOff.next() }
        #expect(pauses == [200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000].map { .milliseconds($0) })
    }
}
