import Synchronization
import TestSupport
import Testing

@testable import CoreNFC
@testable import corenfc_programs

/// How a process looks after its sessions, by a clock that does not advance.
@Suite(.timeLimit(.minutes(20)))
struct OpenSessionTests {
    private let clock = TestClock()
    private let ended = Happenings()

    @Test func `a session whose delegate is gone ends within a tenth of a second`() async {
        let sessions = OpenSessions(clock: clock)
        let (heard, unheard) = (FakeSession("heard", ended), FakeSession("unheard", ended))
        sessions.add(heard)
        sessions.add(unheard)
        await clock.sleeping(for: OpenSessions.interval)
        unheard.loseDelegate()
        clock.advance(by: OpenSessions.interval)
        #expect(await ended.next() == "unheard")
        #expect(ended.all == ["unheard"])
    }

    @Test func `it ends before another session begins`() {
        let sessions = OpenSessions(clock: clock)
        let unheard = FakeSession("unheard", ended)
        sessions.add(unheard)
        unheard.loseDelegate()
        #expect(ended.all.isEmpty)
        sessions.add(FakeSession("next", ended))
        #expect(ended.all == ["unheard"])
    }

    @Test func `without a session nothing is looked at, and none is kept`() async {
        let sessions = OpenSessions(clock: clock)
        weak var kept: FakeSession?
        do {
            let session = FakeSession("session", ended)
            kept = session
            sessions.add(session)
        }
        #expect(kept != nil)
        await clock.sleeping()
        if let kept { sessions.remove(kept) }
        #expect(kept == nil)
        while !clock.remaining.isEmpty { await Task.yield() }
        sessions.add(FakeSession("another", ended))
        await clock.sleeping(for: OpenSessions.interval)
    }

    @Test func `calls follow each other, and one that nfcd does not answer holds up the next for three seconds`() async
    {
        let order = CallOrder(clock: clock)
        let never = Moment()
        order.add { [ended] in
            ended.note("first")
            await never.wait()
        }
        order.add { [ended] in ended.note("second") }
        #expect(await ended.next() == "first")
        await clock.sleeping(for: CallOrder.patience)
        #expect(ended.all == ["first"])
        clock.advance(by: CallOrder.patience)
        #expect(await ended.next() == "second")
    }
}

private final class FakeSession: OpenSession {
    private let name: String
    private let ended: Happenings
    private let isHeard = Mutex(true)

    init(_ name: String, _ ended: Happenings) {
        (self.name, self.ended) = (name, ended)
    }

    var hasDelegate: Bool { isHeard.withLock { $0 } }
    func endWithoutDelegate() { ended.note(name) }
    func loseDelegate() { isHeard.withLock { $0 = false } }
}
