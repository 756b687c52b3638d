import FoundationEssentials
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What goes to a client, in its order. While nothing waits, a line goes to the socket at once, from whatever thread: the
/// answer of a tag does not wait for the event loop. What the socket does not take waits in the channel.
final class Outbox: Sendable {
    private struct State {
        /// Of our own: the channel's may be closed, and its number be that of another file, before we hear of it.
        var descriptor: CInt?
        /// Bytes in the channel.
        var waiting = 0
        var flushers: [CheckedContinuation<Void, Never>] = []
    }

    /// The socket could not be had a second time.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let channel: any Channel
    private let state: Mutex<State>

    /// To be made on the channel's event loop.
    ///
    /// - Throws: where the process has no descriptor left.
    init(_ channel: any Channel, socket: CInt) throws(Failure) {
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw Failure(description: String(cString: strerror(errno))) }
        self.channel = channel
        state = Mutex(State(descriptor: descriptor))
        channel.closeFuture.whenComplete { _ in self.end() }
    }

    /// Bytes that the client has not taken and the kernel does not hold.
    var waiting: Int { state.withLock(\.waiting) }

    /// Sends bytes without waiting; those of a connection that is gone are lost.
    ///
    /// - Returns: the bytes that wait now.
    func send(_ bytes: Data) -> Int {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return 0 }
            let sent = state.waiting == 0 ? Self.send(bytes, to: descriptor) : 0
            guard sent < bytes.count else { return 0 }
            let rest = ByteBuffer(bytes: bytes.dropFirst(sent))
            state.waiting += rest.readableBytes
            // Under the lock, so that the lines of two threads keep their order.
            channel.eventLoop.execute { self.write(rest) }
            return state.waiting
        }
    }

    /// Returns when nothing waits, or the connection is gone.
    func flushed() async {
        await withCheckedContinuation { continuation in
            let isFlushed = state.withLock { state in
                let isFlushed = state.waiting == 0 || state.descriptor == nil
                if !isFlushed { state.flushers.append(continuation) }
                return isFlushed
            }
            if isFlushed { continuation.resume() }
        }
    }

    private func write(_ bytes: ByteBuffer) {
        channel.writeAndFlush(bytes).whenComplete { _ in
            self.resume { state in
                state.waiting -= bytes.readableBytes
                return state.waiting == 0
            }
        }
    }

    private func end() {
        resume { state in
            if let descriptor = state.descriptor {
                // The other end is to hear of it now, also where a copy of the descriptor is about.
                shutdown(descriptor, CInt(SHUT_RDWR))
                close(descriptor)
            }
            state.descriptor = nil
            return true
        }
    }

    private func resume(_ change: (inout State) -> Bool) {
        let flushers = state.withLock { state in
            guard change(&state) else { return [CheckedContinuation<Void, Never>]() }
            defer { state.flushers = [] }
            return state.flushers
        }
        for flusher in flushers { flusher.resume() }
    }

    /// How many bytes the socket took. Of a connection that is broken the channel hears by itself.
    private static func send(_ bytes: Data, to descriptor: CInt) -> Int {
        let sent = bytes.withUnsafeBytes { bytes in
            sendto(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL), nil, 0)
        }
        guard sent < 0 else { return sent }
        return errno == EAGAIN || errno == EINTR ? 0 : bytes.count
    }
}
