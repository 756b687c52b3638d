import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct StopTests {
    /// Connects again and again until nobody listens.
    private static func connectUntilGone(_ socket: String, atFirst connected: @escaping @Sendable () -> Void) -> Thread
    {
        let thread = Thread {
            var descriptors: [Int32] = []
            while descriptors.count < 500, let descriptor = try? UnixSocket.connected(to: socket) {
                descriptors.append(descriptor)
                if descriptors.count == 20 { connected() }
            }
            for descriptor in descriptors { close(descriptor) }
        }
        thread.start()
        return thread
    }

    @Test(arguments: 1...5)
    func `SIGTERM in a rush of clients ends with 0`(attempt: Int) async throws {
        let daemon = try await DaemonUnderTest(simulatedReaders: 1)
        let (rushes, rush) = AsyncStream<Void>.makeStream()
        for _ in 0..<4 { _ = Self.connectUntilGone(daemon.socket) { rush.yield() } }
        for await _ in rushes { break }
        #expect(await daemon.process.end(SIGTERM) == 0)
    }
}
