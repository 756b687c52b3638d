import FoundationEssentials
import LocalSocket
import NFCServer
import NIOCore
import Synchronization

/// The queue of lines to a client, with the number of bytes that the client has not read yet.
final class Outbox: Sendable {
    private struct State {
        var bytes = 0
        /// The number of bytes that the kernel has accepted.
        var accepted = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// Whether there is nothing more to wait for: no further request is started.
        var isStopped = false
        /// Lines that the event loop writes when it has run the tasks before.
        var scheduled = 0
        /// Lines whose turn has not come, and those that were sent behind them.
        var deferred = CircularBuffer<[ByteBuffer]>()
    }

    /// The memory of a queued line in addition to its bytes.
    private static let overhead = 256

    private let channel: any Channel
    private let account: BudgetAccount
    private let mark: Int
    /// The client whose turn it is when a line is delivered.
    let client: PeerCredentials
    private let deliveries: Deliveries
    private let state = Mutex(State())

    /// - Parameters:
    ///   - mark: the number of queued bytes above which no further request of the client is started.
    ///   - client: the client whose turn it is when a line is delivered.
    ///   - deliveries: the turns of the lines that other clients receive too.
    init(_ channel: any Channel, account: BudgetAccount, mark: Int, client: PeerCredentials, deliveries: Deliveries) {
        self.client = client
        self.deliveries = deliveries
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
        let buffer = ByteBuffer(bytes: bytes)
        let isOnLoop = channel.eventLoop.inEventLoop
        let (waiting, isDeferred, isNext) = state.withLock { state in
            state.bytes += bytes.count
            let isDeferred = !state.deferred.isEmpty
            if isDeferred { state.deferred.append([buffer]) }
            // A direct write must not overtake lines that other threads have queued.
            let isNext = isOnLoop && state.scheduled == 0
            if !isDeferred, !isNext { state.scheduled += 1 }
            return (state.bytes, isDeferred, isNext)
        }
        account.add(bytes.count + Self.overhead)
        if isDeferred { return waiting }
        if isNext { write([buffer]) } else { channel.eventLoop.execute { self.writeScheduled(buffer) } }
        return waiting
    }

    private func writeScheduled(_ line: ByteBuffer) {
        state.withLock { $0.scheduled -= 1 }
        write([line])
    }

    /// Sends a line when it is this client's turn. Its pieces are not copied.
    ///
    /// - Returns: the number of queued bytes.
    @discardableResult
    func send(_ line: SharedLine) -> Int {
        let buffers = line.pieces.map { $0.form { ByteBuffer(bytes: $0) } }
        let (waiting, isFirst) = state.withLock { state in
            state.bytes += line.count
            state.deferred.append(buffers)
            return (state.bytes, state.deferred.count == 1)
        }
        account.add(line.count + Self.overhead)
        if isFirst { deliveries.add(self) }
        return waiting
    }

    /// Writes the line whose turn it is. Called on the event loop.
    ///
    /// - Returns: whether another one waits.
    func deliver() -> Bool {
        let (line, hasMore) = state.withLock { ($0.deferred.popFirst(), !$0.deferred.isEmpty) }
        if let line { write(line) }
        return hasMore
    }

    /// Returns when so few bytes are queued that another request may be started, or the connection is closed.
    func room() async {
        if state.withLock({ hasRoom($0) }) { return }
        await withCheckedContinuation { continuation in
            let isRoom = state.withLock { state in
                let isRoom = hasRoom(state)
                if !isRoom { state.waiters.append(continuation) }
                return isRoom
            }
            if isRoom { continuation.resume() }
        }
    }

    /// Lets all that wait for room continue, now and later.
    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the kernel has accepted everything sent so far, or the connection is closed.
    func flushed() async {
        try? await channel.eventLoop.flatSubmit {
            while self.deliver() {}
            return self.channel.writeAndFlush(ByteBuffer())
        }.get()
    }

    private func hasRoom(_ state: borrowing State) -> Bool {
        state.isStopped || state.bytes == 0 || (state.bytes <= mark && account.hasRoom)
    }

    private func write(_ pieces: [ByteBuffer]) {
        let count = pieces.reduce(0) { $0 + $1.readableBytes }
        for piece in pieces.dropLast() { channel.write(piece, promise: nil) }
        guard let last = pieces.last else { return }
        channel.writeAndFlush(last).whenComplete { _ in self.written(count) }
    }

    private func written(_ count: Int) {
        account.remove(count + Self.overhead)
        let waiters = state.withLock { state in
            state.bytes -= count
            state.accepted += count
            guard hasRoom(state) else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
