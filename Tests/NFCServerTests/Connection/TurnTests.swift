import Dispatch
import LocalSocket
import NFCServer
import NIOCore
import NIOPosix
import Synchronization
import Testing
import Threading

@testable import NFCSocketServer

/// The order in which the requests, lines and lists of several users are served.
@Suite(.timeLimit(.minutes(5))) struct TurnTests {
    /// What was served, in order.
    final class Served<Value: Sendable & Equatable>: Sendable {
        private let values = Mutex<[Value]>([])
        var all: [Value] { values.withLock { $0 } }

        func add(_ value: Value) { values.withLock { $0.append(value) } }
    }

    /// Requests of a process that wait together, each of a connection.
    struct Burst: Sendable {
        let user: UInt32
        let process: Int32
        let count: Int

        init(_ user: UInt32, _ process: Int32, _ count: Int) {
            (self.user, self.process, self.count) = (user, process, count)
        }
    }

    /// The requests that wait, in the order of arrival, and after how many the last burst is served.
    @Test(
        arguments: [
            ([Burst(1, 10, 250), Burst(2, 20, 1)], 2),
            ([Burst(1, 10, 100), Burst(2, 20, 100), Burst(3, 30, 100), Burst(4, 40, 1)], 4),
            ([Burst(1, 10, 1), Burst(2, 20, 1)], 2),
            // Another program of the same user.
            ([Burst(1, 10, 250), Burst(1, 11, 1)], 2),
            ([Burst(1, 10, 80), Burst(1, 11, 80), Burst(1, 12, 80), Burst(1, 13, 1)], 4),
            // It waits for one request of each other user between two of the same user.
            ([Burst(1, 10, 100), Burst(2, 20, 100), Burst(1, 11, 1)], 3),
            // Many processes of a user are one user to the others.
            ([Burst(1, 10, 50), Burst(1, 11, 50), Burst(1, 12, 50), Burst(1, 13, 50), Burst(2, 20, 1)], 2),
            // The same process: in the order of arrival.
            ([Burst(1, 10, 30), Burst(1, 10, 1)], 31),
        ])
    func `a burst delays another process's request by one request of each user and each process`(
        bursts: [Burst], place: Int
    ) async throws {
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
        await turns.next(for: PeerCredentials(userID: 0))
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .milliseconds(3) { await Task.yield() }
        let served = Served<Int>()
        await withTaskGroup { tasks in
            var expected = 0
            for (index, burst) in bursts.enumerated() {
                let client = PeerCredentials(userID: burst.user, processID: burst.process)
                for _ in 0..<burst.count {
                    expected += 1
                    tasks.addTask {
                        await turns.next(for: client)
                        served.add(index)
                    }
                    while turns.waitingCount < expected { await Task.yield() }
                }
            }
            release.signal()
        }
        #expect(served.all.count == bursts.reduce(0) { $0 + $1.count })
        // Tasks that have their turn one right after the other may be seen the other way round.
        #expect((served.all.firstIndex(of: bursts.count - 1) ?? .max) <= place + 1)
        withExtendedLifetime(executor) {}
        try await group.shutdownGracefully()
    }

    private static func wait(for semaphore: DispatchSemaphore) async {
        while semaphore.wait(timeout: .now()) == .timedOut { await Task.yield() }
    }

    @Test func `250 lists of one user delay the list of another by one`() async {
        let gate = FairGate<UInt32>()
        let served = Served<UInt32>()
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
        let lists = ExclusiveKeys<UInt32, Int32>()
        let running = Running()
        let (mayLeave, leave) = AsyncStream<Void>.makeStream()
        await withTaskGroup { tasks in
            tasks.addTask {
                await lists.run(for: 1, 10) {
                    running.begin()
                    for await _ in mayLeave { break }
                    running.end()
                }
            }
            while running.all == 0 { await Task.yield() }
            for number in 1..<250 {
                tasks.addTask {
                    await lists.run(for: 1, 10) {
                        running.begin()
                        await Task.yield()
                        running.end()
                    }
                }
                while lists.waitingCount(for: 1) < number { await Task.yield() }
            }
            await lists.run(for: 2, 20) { #expect(running.all == 1) }
            leave.yield()
        }
        #expect(running.most == 1 && running.all == 250)
    }

    @Test func `lists of one process delay that of another process of the user by one`() async {
        let lists = ExclusiveKeys<UInt32, Int32>()
        let served = Served<Int32>()
        let (isHeld, held) = AsyncStream<Void>.makeStream()
        let (mayLeave, leave) = AsyncStream<Void>.makeStream()
        await withTaskGroup { tasks in
            tasks.addTask {
                await lists.run(for: 1, 10) {
                    held.yield()
                    for await _ in mayLeave { break }
                }
            }
            for await _ in isHeld { break }
            for number in 1...100 {
                let process: Int32 = number == 100 ? 11 : 10
                tasks.addTask { await lists.run(for: 1, process) { served.add(process) } }
                while lists.waitingCount(for: 1) < number { await Task.yield() }
            }
            leave.yield()
        }
        #expect(served.all.count == 100 && served.all[1] == 11)
    }

    @Test func `long lines of a process delay those of other users and processes by one, and its short ones go first`()
        async throws
    {
        let queue = DecodingQueue()
        queue.start()
        let served = Served<String>()
        let (isHeld, held) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        let (busy, other) = (PeerCredentials(userID: 1, processID: 10), PeerCredentials(userID: 2, processID: 20))
        try await withThrowingTaskGroup { tasks in
            tasks.addTask {
                try await queue.run(1, for: busy) {
                    held.yield()
                    release.wait()
                }
            }
            for await _ in isHeld { break }
            let lines: [(client: PeerCredentials, length: Int, name: String)] =
                [Int](repeating: 1_000_000, count: 100).map { (busy, $0, "long") } + [
                    (busy, 10, "short"), (other, 1_000_000, "another user's"),
                    (PeerCredentials(userID: 1, processID: 11), 1_000_000, "another process's"),
                ]
            for (number, line) in lines.enumerated() {
                tasks.addTask { try await queue.run(line.length, for: line.client) { served.add(line.name) } }
                while queue.waitingCount < number + 1 { await Task.yield() }
            }
            release.signal()
            try await tasks.waitForAll()
        }
        #expect(served.all.count == 103 && served.all.prefix(3) == ["short", "another user's", "another process's"])
        await queue.stop()
    }
}
