import NFCProtocol
import NIOCore
import Synchronization

/// A client that has connected, with what is known of it and what it says and hears.
struct ClientConnection: Sendable {
    let channel: any Channel
    let credentials: PeerCredentials
    let lines: LineInbox
    let outbox: Outbox

    /// Sets a connection up; on its event loop.
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

/// What a client sent: a line, or more than a line may hold.
enum IncomingLine: Sendable, Hashable {
    /// Without its newline.
    case line(ByteBuffer)
    /// Nothing after it is looked at.
    case tooLong
}

/// Cuts the stream at newlines; keeps at most one line's limit in memory.
struct LineDecoder: NIOSingleStepByteToMessageDecoder {
    typealias InboundOut = IncomingLine

    private let limit: Int
    /// Bytes already searched: a line that arrives in many pieces is looked at once.
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

/// The lines of a client, kept until somebody takes them. While many wait, nothing is read from the socket.
final class LineInbox: ChannelInboundHandler, Sendable {
    typealias InboundIn = IncomingLine

    fileprivate struct State {
        var lines: [IncomingLine] = []
        /// How many of the lines have been taken.
        var taken = 0
        var isOver = false
        var isPaused = false
        var waiter: CheckedContinuation<IncomingLine?, Never>?
    }

    /// What becomes of somebody who asks for a line.
    fileprivate enum Answer {
        case now(IncomingLine?)
        case later
    }

    private static let most = 64

    private let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// The next line; nil when there are no more. To be asked by one at a time.
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
            return (waiter, state.pauses(above: Self.most))
        }
        if pauses { setReading(false) }
        waiter?.resume(returning: line)
    }

    /// The client says no more, though it may still listen.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed = event as? ChannelEvent { end() }
        context.fireUserInboundEventTriggered(event)
    }

    /// The connection is gone. One that is closed before it became active does not become inactive, but comes here as well.
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

    /// The line that was given is gone; the room of all of them once the last is.
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

    fileprivate mutating func pauses(above most: Int) -> Bool {
        guard !isPaused, lines.count - taken > most else { return false }
        isPaused = true
        return true
    }

    fileprivate mutating func resumes() -> Bool {
        guard isPaused, lines.isEmpty else { return false }
        isPaused = false
        return true
    }
}
