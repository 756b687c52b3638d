import LocalSocket
import NFCServer
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import NFCSocketServer

/// When free memory is returned to the system.
@Suite struct MemoryReturnTests {
    /// How often each thread's cache was emptied and the memory was returned.
    final class Counts: Sendable {
        private let counts = Mutex((caches: 0, trims: 0))
        var caches: Int { counts.withLock(\.caches) }
        var trims: Int { counts.withLock(\.trims) }

        var release: MemoryRelease {
            MemoryRelease(
                emptyThreadCache: { self.counts.withLock { $0.caches += 1 } },
                trim: { self.counts.withLock { $0.trims += 1 } })
        }
    }

    /// The seconds after which clients disconnect, and the seconds after which memory is returned.
    @Test(arguments: [
        ([0], [1, 8]),
        ([0, 0, 0], [1, 2, 9]),
        ([0, 4], [1, 5, 12]),
        ([0, 20], [1, 8, 21, 28]),
        ([], []),
    ])
    func `memory is returned a second after clients disconnected, and when idle threads have ended`(
        disconnections: [Int], returns: [Int]
    ) async throws {
        let (loop, thread, counts) = (NIOAsyncTestingEventLoop(), DecodingQueue(), Counts())
        thread.start()
        let memory = MemoryReturn(loop, thread, counts.release)
        var (found, trims): ([Int], Int) = ([], 0)
        for second in 0...40 {
            for time in disconnections where time == second { memory.request() }
            // The thread has done what the loop has given to it.
            try await thread.run(0, for: PeerCredentials(userID: 0)) {}
            if counts.trims > trims { found.append(second) }
            trims = counts.trims
            await loop.advanceTime(by: .seconds(1))
        }
        #expect(found == returns)
        #expect(counts.caches == 2 * counts.trims, "that of the event loop and that of the thread")
        await thread.stop()
        await loop.shutdownGracefully()
    }
}
