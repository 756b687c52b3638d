import FoundationEssentials
import NIOCore
import Synchronization

/// The lines on their way to a client, in their order, with the count of bytes that the client has not taken yet.
final class Outbox: Sendable {
    private let channel: any Channel
    private let pendingBytes = Atomic<Int>(0)

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Bytes that the client has not taken and the kernel does not hold.
    var waiting: Int { pendingBytes.load(ordering: .relaxed) }

    /// Sends bytes without waiting; those of a closed connection are lost.
    ///
    /// - Returns: the bytes that wait now.
    func send(_ bytes: Data) -> Int {
        let waiting = pendingBytes.add(bytes.count, ordering: .relaxed).newValue
        // On the event loop, too: a direct write there would overtake the lines of other threads that it has not written yet.
        channel.eventLoop.execute { self.write(ByteBuffer(bytes: bytes)) }
        return waiting
    }

    /// Returns when everything sent so far is with the kernel, or the connection is closed.
    func flushed() async {
        try? await channel.eventLoop.flatSubmit { self.channel.writeAndFlush(ByteBuffer()) }.get()
    }

    private func write(_ bytes: ByteBuffer) {
        channel.writeAndFlush(bytes).whenComplete { _ in
            self.pendingBytes.subtract(bytes.readableBytes, ordering: .relaxed)
        }
    }
}
