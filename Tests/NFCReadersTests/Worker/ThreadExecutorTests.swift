import NFCTags
import Testing
import TestSupport

@testable import NFCReaders
@testable import Threading

@Suite(.timeLimit(.minutes(20))) struct `A dedicated thread` {
    @Test func `leaves the cooperative pool free while it blocks`() async {
        let hardware = FakeHardware()
        hardware.hang()
        await withTaskGroup(of: Void.self) { group in
            // More than the pool has threads.
            for _ in 0..<32 {
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

@Suite(.timeLimit(.minutes(20))) struct `A thread of jobs` {
    @Test func `runs all its jobs in their order before it ends`() async {
        let thread = JobThread()
        let (numbers, given) = AsyncStream<Int>.makeStream()
        for number in 0..<1000 { thread.run { given.yield(number) } }
        thread.run { given.finish() }
        thread.start()
        thread.finish()
        var expected = 0
        for await number in numbers {
            #expect(number == expected)
            expected += 1
        }
        #expect(expected == 1000)
    }

    @Test func `is current for its own jobs alone`() async {
        let thread = JobThread()
        thread.start()
        defer { thread.finish() }
        #expect(!thread.isCurrent)
        let isKnown = await withCheckedContinuation { continuation in
            thread.run { continuation.resume(returning: thread.isCurrent) }
        }
        #expect(isKnown)
    }
}
