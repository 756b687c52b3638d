import Dispatch
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import NFCServer

@Suite(.timeLimit(.minutes(5))) struct `The pulse of an event loop` {
    private final class Order: Sendable {
        let words = Mutex<[String]>([])
    }

    @Test func `is there, and stands still while the loop hangs`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (pulse, loop) = (EventLoopPulse(), group.next())
        await pulse.answers()
        pulse.watch(loop)
        await pulse.answers()

        let hang = DispatchSemaphore(value: 0)
        let order = Order()
        loop.execute {
            hang.wait()
            order.words.withLock { $0.append("goes on") }
        }
        async let answer: Void = {
            await pulse.answers()
            order.words.withLock { $0.append("answers") }
        }()
        hang.signal()
        await answer
        #expect(order.words.withLock { $0 } == ["goes on", "answers"])
        pulse.watch(nil)
        try await group.shutdownGracefully()
        await pulse.answers()
    }
}
