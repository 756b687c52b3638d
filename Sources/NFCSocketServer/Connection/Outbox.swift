import FoundationEssentials
import NIOCore
import Synchronization

/// The queue of lines to a client, with the number of bytes that the client has not read yet.
final class Outbox: Sendable {
    private struct State {
        var bytes = 0
        /// The number of bytes that the kernel has accepted.
        var accepted = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The memory of a queued line in addition to its bytes.
    private static let overhead = 256

    private let channel: any Channel
    private let account: BudgetAccount
    private let mark: Int
    private let state = Mutex(State())

    /// - Parameter mark: the number of queued bytes above which no further request of the client is started.
    init(_ channel: any Channel, account: BudgetAccount, mark: Int) {
        self.channel = channel
        self.account = account
        self.mark = mark
    }

    /// The number of queued bytes that the kernel has not accepted yet.
    var waiting: Int { state.withLock(\.bytes) }

    /// The number of bytes that the client has taken, while no request of it is started because its answers wait; otherwise nil.
    var progress: Int? { state.withLock { $0.waiters.isEmpty ? nil : $0.accepted } }

    /// Sends bytes without waiting; on a closed connection they are lost.
    ///
    /// - Returns: the number of queued bytes.
    @discardableResult
    func send(_ bytes: Data) -> Int {
        let waiting = state.withLock { state in
            state.bytes += bytes.count
            return state.bytes
        }
        account.add(bytes.count + Self.overhead)
        // Also when called on the event loop: a direct write would overtake lines that other threads have queued.
        channel.eventLoop.execute { self.write(ByteBuffer(bytes: bytes)) }
        return waiting
    }

    /// Returns when so few bytes are queued that another request may be started, or the connection is closed.
    func room() async {
        await withCheckedContinuation { continuation in
            let isRoom = state.withLock { state in
                let isRoom = hasRoom(state.bytes)
                if !isRoom { state.waiters.append(continuation) }
                return isRoom
            }
            if isRoom { continuation.resume() }
        }
    }

    /// Returns when the kernel has accepted everything sent so far, or the connection is closed.
    func flushed() async {
        try? await channel.eventLoop.flatSubmit { self.channel.writeAndFlush(ByteBuffer()) }.get()
    }

    private func hasRoom(_ bytes: Int) -> Bool {
        bytes == 0 || (bytes <= mark && account.hasRoom)
    }

    private func write(_ bytes: ByteBuffer) {
        channel.writeAndFlush(bytes).whenComplete { _ in self.written(bytes.readableBytes) }
    }

    private func written(_ count: Int) {
        account.remove(count + Self.overhead)
        let waiters = state.withLock { state in
            state.bytes -= count
            state.accepted += count
            guard hasRoom(state.bytes) else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
