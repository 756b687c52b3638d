import Dispatch
import NFCTags
import Testing
import TestSupport

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

/// Stands for the event loop.
private final class Elsewhere: TaskExecutor {
    static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "elsewhere")

    init() { queue.setSpecific(key: Self.key, value: true) }

    /// Returns when nothing runs here: what began here waits for something.
    func settle() { queue.sync {} }

    static var isHere: Bool { DispatchQueue.getSpecific(key: key) ?? false }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `An answer` {
    private func onAnswerExecutor<Value: Sendable>(_ body: @escaping @Sendable (Elsewhere) async -> Value) async
        -> Value
    {
        let other = Elsewhere()
        let executor = AnswerExecutor(elsewhere: other)
        defer { withExtendedLifetime((other, executor)) {} }
        return await Task(executorPreference: executor) { await body(other) }.value
    }

    @Test func `is passed on by the reader's thread`() async {
        let thread = JobThread()
        thread.start()
        defer { thread.finish() }
        let places = await onAnswerExecutor { other in
            let before = Elsewhere.isHere
            await withCheckedContinuation { continuation in
                thread.run {
                    other.settle()
                    continuation.resume()
                }
            }
            return (before, JobThread.current === thread)
        }
        #expect(places == (true, true))
    }

    @Test func `is passed on before the next call of the reader blocks`() async {
        let thread = JobThread()
        thread.start()
        defer { thread.finish() }
        let next = DispatchSemaphore(value: 0)
        await onAnswerExecutor { other in
            await withCheckedContinuation { continuation in
                thread.run {
                    other.settle()
                    continuation.resume()
                }
                thread.run { next.wait() }
            }
            // Were it not, this would never come.
            next.signal()
        }
    }

    @Test func `that comes from elsewhere goes on there, while a reader hangs`() async {
        let thread = JobThread()
        thread.start()
        let hang = DispatchSemaphore(value: 0)
        thread.run { hang.wait() }
        let isElsewhere = await onAnswerExecutor { _ in
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume() }
            }
            return Elsewhere.isHere
        }
        #expect(isElsewhere)
        hang.signal()
        thread.finish()
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A thread of jobs` {
    @Test func `does all that it was given before it ends, in that order`() async {
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

    @Test func `is known to itself alone`() async {
        let thread = JobThread()
        thread.start()
        defer { thread.finish() }
        #expect(JobThread.current == nil)
        let isKnown = await withCheckedContinuation { continuation in
            thread.run { continuation.resume(returning: JobThread.current === thread) }
        }
        #expect(isKnown)
    }
}
