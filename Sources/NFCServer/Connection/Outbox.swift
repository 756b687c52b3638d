import FoundationEssentials
import NIOCore
import Synchronization

/// The queue of lines to a client, with the number of bytes that the client has not read yet.
final class Outbox: Sendable {
    private let channel: any Channel
    private let pendingBytes = Atomic<Int>(0)

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// The number of queued bytes that the kernel has not accepted yet.
    var waiting: Int { pendingBytes.load(ordering: .relaxed) }

    /// Sends bytes without waiting; on a closed connection they are lost.
    ///
    /// - Returns: the number of queued bytes.
    func send(_ bytes: Data) -> Int {
        let waiting = pendingBytes.add(bytes.count, ordering: .relaxed).newValue
        // Also when called on the event loop: a direct write would overtake lines that other threads have queued.
        channel.eventLoop.execute { self.write(ByteBuffer(bytes: bytes)) }
        return waiting
    }

    /// Returns when the kernel has accepted everything sent so far, or the connection is closed.
    func flushed() async {
        try? await channel.eventLoop.flatSubmit { self.channel.writeAndFlush(ByteBuffer()) }.get()
    }

    private func write(_ bytes: ByteBuffer) {
        channel.writeAndFlush(bytes).whenComplete { _ in
            self.pendingBytes.subtract(bytes.readableBytes, ordering: .relaxed)
        }
    }
}
