import FoundationEssentials
import NFCProtocol
import NIOCore
import Synchronization

/// A new connection: the credentials of the client, its incoming lines and its outgoing lines.
struct ClientConnection: Sendable {
    let channel: any Channel
    let credentials: PeerCredentials
    let lines: LineInbox
    let outbox: Outbox

    /// Sets up a connection. Called on its event loop.
    ///
    /// - Throws: if the kernel does not report its credentials.
    init(_ channel: any Channel) throws {
        self.channel = channel
        let pipeline = channel.pipeline.syncOperations
        let peer = try pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            try PeerCredentials(socket: socket)
        }
        guard let peer else { throw ChannelError.operationUnsupported }
        credentials = peer
        outbox = Outbox(channel)
        lines = LineInbox(channel)
        try pipeline.addHandler(ByteToMessageHandler(LineDecoder(limit: JSONLine.maximumLength)))
        try pipeline.addHandler(lines)
    }
}

/// A line that a client sent.
enum IncomingLine: Sendable, Hashable {
    /// A complete line without its newline.
    case line(ByteBuffer)
    /// A line over the limit. Everything after it is ignored.
    case tooLong
}

/// Splits the stream at newlines. Keeps at most the limit of one line in memory.
struct LineDecoder: NIOSingleStepByteToMessageDecoder {
    typealias InboundOut = IncomingLine

    private let limit: Int
    /// The number of bytes that were searched already, so that a line in many pieces is searched once.
    private var searched = 0
    private var isOver = false

    init(limit: Int) {
        self.limit = limit
    }

    mutating func decode(buffer: inout ByteBuffer) throws -> IncomingLine? {
        guard !isOver else {
            buffer.clear()
            return nil
        }
        let view = buffer.readableBytesView.dropFirst(searched)
        guard let newline = view.firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.readableBytes
            return searched > limit ? overLimit(&buffer) : nil
        }
        let length = newline - buffer.readerIndex
        guard length <= limit else { return overLimit(&buffer) }
        searched = 0
        let line = buffer.readSlice(length: length)
        buffer.moveReaderIndex(forwardBy: 1)
        return line.map { .line($0) }
    }

    mutating func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> IncomingLine? {
        try decode(buffer: &buffer)
    }

    private mutating func overLimit(_ buffer: inout ByteBuffer) -> IncomingLine {
        isOver = true
        buffer.clear()
        return .tooLong
    }
}

/// The lines of a client, queued until they are handled. While too many are queued, nothing is read from the socket.
final class LineInbox: ChannelInboundHandler, Sendable {
    typealias InboundIn = IncomingLine

    fileprivate struct State {
        var lines: [IncomingLine] = []
        /// The number of lines that were returned.
        var taken = 0
        var isOver = false
        var isPaused = false
        var waiter: CheckedContinuation<IncomingLine?, Never>?
    }

    /// Whether the next line is available.
    fileprivate enum Answer {
        case now(IncomingLine?)
        case later
    }

    private static let maximumCount = 64

    private let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Returns the next line, or nil at the end. Only one caller may wait at a time.
    func next() async -> IncomingLine? {
        await withCheckedContinuation { continuation in
            let (answer, resumes) = state.withLock { state in
                let answer = state.take(continuation)
                return (answer, state.resumes())
            }
            if resumes { setReading(true) }
            if case .now(let line) = answer { continuation.resume(returning: line) }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let line = unwrapInboundIn(data)
        let (waiter, pauses) = state.withLock { state in
            let waiter = state.takeWaiter()
            if waiter == nil { state.lines.append(line) }
            return (waiter, state.pauses(above: Self.maximumCount))
        }
        if pauses { setReading(false) }
        waiter?.resume(returning: line)
    }

    /// The client has shut down its sending side; it may still read.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed = event as? ChannelEvent { end() }
        context.fireUserInboundEventTriggered(event)
    }

    /// The connection has ended. Unlike `channelInactive`, this is also called for one that was closed before it became active.
    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end()
        context.close(promise: nil)
    }

    private func end() {
        let waiter = state.withLock { state in
            state.isOver = true
            return state.takeWaiter()
        }
        waiter?.resume(returning: nil)
    }

    private func setReading(_ isReading: Bool) {
        channel.setOption(.autoRead, value: isReading).whenFailure { _ in }
    }
}

extension LineInbox.State {
    fileprivate mutating func take(_ continuation: CheckedContinuation<IncomingLine?, Never>) -> LineInbox.Answer {
        guard taken < lines.count else {
            if !isOver { waiter = continuation }
            return isOver ? .now(nil) : .later
        }
        defer { drop() }
        return .now(lines[taken])
    }

    /// Removes the line that was returned; frees the memory with the last one.
    private mutating func drop() {
        taken += 1
        guard taken == lines.count else { return }
        lines.removeAll(keepingCapacity: lines.capacity <= 64)
        taken = 0
    }

    fileprivate mutating func takeWaiter() -> CheckedContinuation<IncomingLine?, Never>? {
        defer { waiter = nil }
        return waiter
    }

    fileprivate mutating func pauses(above count: Int) -> Bool {
        guard !isPaused, lines.count - taken > count else { return false }
        isPaused = true
        return true
    }

    fileprivate mutating func resumes() -> Bool {
        guard isPaused, lines.isEmpty else { return false }
        isPaused = false
        return true
    }
}

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
