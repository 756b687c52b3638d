import Dispatch
import NIOCore
import NIOPosix
import Synchronization
import Testing
import Threading

@testable import NFCSocketServer

/// The order in which the requests, lines and lists of several users are served.
@Suite(.timeLimit(.minutes(5))) struct TurnTests {
    /// What was served, in order.
    final class Served: Sendable {
        private let users = Mutex<[UInt32]>([])
        var all: [UInt32] { users.withLock { $0 } }

        func add(_ user: UInt32) { users.withLock { $0.append(user) } }
    }

    /// How many requests each user has waiting, in the order of arrival, and after how many the last user is served.
    @Test(arguments: [([250, 1], 2), ([100, 100, 100, 1], 4), ([1, 1], 2)])
    func `a burst delays another user's request by one request of each user`(waiting: [Int], place: Int) async throws {
        let ticks = LoopTicks()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1, metricsDelegate: ticks)
        let loop = group.next()
        let turns = Turns(loop, ticks)
        let executor = EventLoopExecutor(loop)
        let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // The loop is busy, so that this tick has no time left.
        loop.execute {
            held.signal()
            release.wait()
        }
        await Self.wait(for: held)
        await turns.next(for: 0)
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .milliseconds(3) { await Task.yield() }
        let served = Served()
        await withTaskGroup { tasks in
            var expected = 0
            for (user, count) in waiting.enumerated() {
                for _ in 0..<count {
                    expected += 1
                    tasks.addTask {
                        await turns.next(for: UInt32(user))
                        served.add(UInt32(user))
                    }
                    while turns.waitingCount < expected { await Task.yield() }
                }
            }
            release.signal()
        }
        let last = UInt32(waiting.count - 1)
        #expect(served.all.count == waiting.reduce(0, +))
        // Tasks that have their turn one right after the other may be seen the other way round.
        #expect((served.all.firstIndex(of: last) ?? .max) <= place + 1)
        withExtendedLifetime(executor) {}
        try await group.shutdownGracefully()
    }

    private static func wait(for semaphore: DispatchSemaphore) async {
        while semaphore.wait(timeout: .now()) == .timedOut { await Task.yield() }
    }

    @Test func `250 lists of one user delay the list of another by one`() async {
        let gate = FairGate<UInt32>()
        let served = Served()
        let (isHeld, held) = AsyncStream<Void>.makeStream()
        let (mayLeave, leave) = AsyncStream<Void>.makeStream()
        await withTaskGroup { tasks in
            tasks.addTask {
                await gate.run(for: 1) {
                    held.yield()
                    for await _ in mayLeave { break }
                    served.add(1)
                }
            }
            for await _ in isHeld { break }
            for number in 1...251 {
                let user: UInt32 = number == 251 ? 2 : 1
                tasks.addTask { await gate.run(for: user) { served.add(user) } }
                while gate.waitingCount < number { await Task.yield() }
            }
            leave.yield()
        }
        #expect(served.all.count == 252 && served.all[2] == 2)
    }

    /// How many run at a time.
    final class Running: Sendable {
        private let counts = Mutex((now: 0, most: 0, all: 0))
        var most: Int { counts.withLock(\.most) }
        var all: Int { counts.withLock(\.all) }

        func begin() {
            counts.withLock { ($0.now, $0.most, $0.all) = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
        }

        func end() { counts.withLock { $0.now -= 1 } }
    }

    @Test func `a user has one list at a time, however many of its clients list, and another user need not wait`() async
    {
        let lists = ExclusiveKeys<UInt32>()
        let running = Running()
        let (mayLeave, leave) = AsyncStream<Void>.makeStream()
        await withTaskGroup { tasks in
            tasks.addTask {
                await lists.run(for: 1) {
                    running.begin()
                    for await _ in mayLeave { break }
                    running.end()
                }
            }
            while running.all == 0 { await Task.yield() }
            for number in 1..<250 {
                tasks.addTask {
                    await lists.run(for: 1) {
                        running.begin()
                        await Task.yield()
                        running.end()
                    }
                }
                while lists.waitingCount(for: 1) < number { await Task.yield() }
            }
            await lists.run(for: 2) { #expect(running.all == 1) }
            leave.yield()
        }
        #expect(running.most == 1 && running.all == 250)
    }

    @Test func `long lines of one user delay those of another by one, and its short ones go first`() async throws {
        let queue = DecodingQueue()
        queue.start()
        let served = Served()
        let (isHeld, held) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask {
                try await queue.run(1, for: 1) {
                    held.yield()
                    release.wait()
                }
            }
            for await _ in isHeld { break }
            let lines: [(user: UInt32, length: Int)] =
                [UInt32](repeating: 1, count: 100).map { ($0, 1_000_000) } + [(1, 10), (2, 1_000_000)]
            for (number, line) in lines.enumerated() {
                tasks.addTask {
                    try await queue.run(line.length, for: line.user) { served.add(line.length == 10 ? 10 : line.user) }
                }
                while queue.waitingCount < number + 1 { await Task.yield() }
            }
            release.signal()
            try await tasks.waitForAll()
        }
        #expect(served.all.count == 102 && served.all.prefix(2) == [10, 2])
        await queue.stop()
    }
}
