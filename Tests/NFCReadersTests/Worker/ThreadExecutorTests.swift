import NFCTags
import TestSupport
import Testing

@testable import NFCReaders

@Suite(.timeLimit(.minutes(5))) struct `A thread of its own` {
    @Test func `leaves the cooperative pool free while it blocks`() async {
        let hardware = FakeHardware()
        hardware.hang()
        await withTaskGroup(of: Void.self) { group in
            // More than the pool has threads.
            for number in 0..<32 {
                let thread = BlockingThread(reader: hardware.makeReader())
                group.addTask { _ = await thread.connect() }
            }
            await hardware.entered(32)
            let sum = await withTaskGroup(of: Int.self) { tasks in
                for number in 1...32 { tasks.addTask { number } }
                return await tasks.reduce(0, +)
            }
            #expect(sum == 528)
            #expect(hardware.mostInside == 32)
            hardware.release(32)
        }
    }

    @Test func `does one thing at a time`() async {
        let hardware = FakeHardware()
        let thread = BlockingThread(reader: hardware.makeReader())
        await withTaskGroup(of: Bool.self) { group in
            for number in UInt8(0)..<64 {
                group.addTask {
                    guard case .success(let response) = await thread.transmit([number], over: 0) else { return false }
                    return response == [number, 0x90, 0x00]
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(hardware.mostInside == 1)
        #expect(hardware.calls.count == 64)
    }

    private actor Probe {
        let executor = ThreadExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func isIsolated() -> Bool {
            executor.checkIsolated()
            return assumeIsolated { _ in true }
        }
    }

    @Test func `knows its own jobs`() async {
        #expect(await Probe().isIsolated())
    }

    @Test func `brings the failure of a call back`() async {
        let hardware = FakeHardware()
        hardware.connecting(gives: [.failure(.tagLost), .success([0x3B])])
        let thread = BlockingThread(reader: hardware.makeReader())
        #expect(await thread.connect().map { $0.answerToReset } == .failure(.tagLost))
        #expect(await thread.connect().map { $0.answerToReset } == .success([0x3B]))
    }
}

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
