import Testing
import Threading

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.timeLimit(.minutes(5))) struct `A wake-up` {
    private let wakeUp: WakeUp

    init() throws { wakeUp = try WakeUp() }

    private func isReadable(within milliseconds: CInt = 0) -> Bool {
        var place = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&place, 1, milliseconds) == 1 && place.revents == Int16(POLLIN)
    }

    @Test func `is readable from its signal until it is reset`() {
        #expect(!isReadable())
        wakeUp.signal()
        #expect(isReadable())
        #expect(isReadable())
        wakeUp.reset()
        #expect(!isReadable())
        wakeUp.signal()
        #expect(isReadable())
    }

    @Test(arguments: [1, 2, 1_000]) func `is reset once, however often it was signalled`(count: Int) {
        for _ in 0..<count { wakeUp.signal() }
        #expect(isReadable())
        wakeUp.reset()
        #expect(!isReadable())
    }

    @Test func `does not block without anything to reset`() {
        wakeUp.reset()
        #expect(!isReadable())
    }

    @Test func `ends the wait of another thread`() {
        DetachedThread.run { [wakeUp] in
            wakeUp.signal()
        } orFail: {
            Issue.record("no thread: \($0)")
        }
        #expect(isReadable(within: -1))
    }

    @Test func `is not inherited by programs`() {
        #expect(fcntl(wakeUp.descriptor, F_GETFD) == FD_CLOEXEC)
    }
}

@Suite struct `Waits between attempts` {
    @Test(
        arguments: [
            (200, 5_000, [200, 400, 800, 1_600, 3_200, 5_000, 5_000]), (1_000, 60_000, [1_000, 2_000, 4_000]),
            (5_000, 1_000, [1_000, 1_000]),
        ] as [(Int, Int, [Int])])
    func `double up to a limit`(base: Int, cap: Int, waits: [Int]) {
        var backOff = BackOff(base: .milliseconds(base), cap: .milliseconds(cap))
        let found = waits.map { _ in backOff.next() }
        #expect(found == waits.map { .milliseconds($0) })
    }

    @Test func `are a part of the limit with jitter, and begin again after a success`() {
        var backOff = BackOff(base: .seconds(1), cap: .seconds(8))
        let waits = [0, 0.5, 0.25, 0.75].map { backOff.next($0) }
        #expect(waits == [.zero, .seconds(1), .seconds(1), .seconds(6)])
        backOff.reset()
        #expect(backOff == BackOff(base: .seconds(1), cap: .seconds(8)))
    }

    @Test func `stay at the limit after any number of failures`() {
        var backOff = BackOff(base: .seconds(1), cap: .seconds(30))
        for _ in 0..<1_000 { _ = backOff.next() }
        let last = backOff.next()
        #expect(last == .seconds(30))
    }
}
