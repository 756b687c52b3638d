import Synchronization
import TestSupport
import ServiceSupport
import Testing

@testable import nfcd

@Suite struct `A queue of deadlines` {
    @Test(arguments: 0..<20) func `gives what is due in the order of time`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var queue = DeadlineQueue<Int64>()
        let times = (0..<200).map { _ in Int64.random(in: 0..<100, using: &random) }
        for time in times { queue.insert(time, at: .seconds(time)) }
        #expect(queue.first == times.min().map { .seconds($0) })
        var given: [Int64] = []
        for now in stride(from: Int64(0), through: 100, by: 7) {
            let due = queue.removeDue(at: .seconds(now))
            #expect(due.allSatisfy { $0 <= now })
            given += due
        }
        given += queue.removeDue(at: .seconds(100))
        #expect(given == times.sorted())
        #expect(queue.count == 0 && queue.first == nil)
    }

    @Test func `forgets what is over, and does not grow by it`() {
        var queue = DeadlineQueue<Int>()
        queue.insert(-1, at: .zero)
        for number in 0..<10_000 {
            queue.insert(number, at: .seconds(number + 1))
            queue.dropFirst { $0 >= 0 && $0 % 100 != 0 }
            #expect(queue.count < 350)
        }
        queue.dropFirst { $0 < 0 }
        #expect(
            queue.removeDue(at: .seconds(20_000)).filter { $0 % 100 == 0 }
                == Array(stride(from: 0, to: 10_000, by: 100)))
    }
}

@Suite struct `Suspension` {
    private func reading(_ monotonic: Int, _ boottime: Int) -> SuspensionMeter.Reading {
        SuspensionMeter.Reading(monotonic: .milliseconds(monotonic), boottime: .milliseconds(boottime))
    }

    @Test func `is what one clock counts and the other does not, reported once`() {
        var meter = SuspensionMeter(reading(5_000, 905_000))
        #expect(meter.look(reading(6_000, 906_000)) == nil)
        #expect(meter.look(reading(7_000, 908_000)) == nil)
        #expect(meter.look(reading(8_000, 918_000)) == .seconds(10))
        #expect(meter.look(reading(9_000, 919_000)) == nil)
        #expect(meter.look(reading(9_000, 920_001)) == .milliseconds(1_001))
    }

    @Test func `is not seen where the clocks run together`() {
        var meter = SuspensionMeter(.now)
        for _ in 0..<1_000 { #expect(meter.look(.now) == nil) }
    }
}

/// By the clock of the machine: the times are short, and only lower bounds are checked.
@Suite(.timeLimit(.minutes(20))) struct `Sleep by a timer of the kernel` {
    @Test(arguments: [SystemClock.monotonic, .boottime]) func `ends at its time`(system: SystemClock) async throws {
        let clock = try TimerClock(system)
        for milliseconds in [20, 1, 0, -5] {
            let start = clock.now
            try await clock.sleep(for: .milliseconds(milliseconds))
            #expect(start.duration(to: clock.now) >= .milliseconds(milliseconds))
        }
    }

    @Test func `ends for each at its own deadline, whatever the order in which they began`() async throws {
        let clock = try TimerClock(.boottime)
        let start = clock.now
        let woken = try await withThrowingTaskGroup(of: Int.self) { group in
            for delay in [60, 3_600_000, 20, 40] {
                group.addTask {
                    try await clock.sleep(until: start.advanced(by: .milliseconds(delay)), tolerance: nil)
                    #expect(start.duration(to: clock.now) >= .milliseconds(delay))
                    return delay
                }
            }
            var woken: Set<Int> = []
            while woken.count < 3, let delay = try await group.next() { woken.insert(delay) }
            group.cancelAll()
            return woken
        }
        #expect(woken == [20, 40, 60])
    }

    @Test func `ends when it is cancelled, before and while it sleeps`() async throws {
        let clock = try TimerClock(.monotonic)
        for isEarly in [true, false] {
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let sleep = Task {
                if isEarly { withUnsafeCurrentTask { $0?.cancel() } }
                begin.finish()
                try await clock.sleep(for: .seconds(86_400))
            }
            for await _ in begun {}
            if !isEarly { sleep.cancel() }
            await #expect(throws: CancellationError.self) { try await sleep.value }
        }
    }

    @Test func `reaches as far as one likes`() async throws {
        let clock = try TimerClock(.boottime)
        let sleep = Task { try await clock.sleep(for: .seconds(Int64.max / 4)) }
        try await clock.sleep(for: .milliseconds(5))
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }

    @Test func `can wait for changes of the clock`() throws {
        _ = try KernelTimer.clockChanges {}
    }
}
