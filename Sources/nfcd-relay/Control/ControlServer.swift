import FoundationEssentials
import Logging
import NFCProtocol
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The control socket: what nfcctl relay asks, as JSON-RPC lines.
struct ControlServer: Service {
    /// What clients may use.
    struct Limits: Sendable {
        var connections = 16
        var line = 65_536
        /// A client that sends nothing for this long, or does not read its answer, is disconnected.
        var idle = Duration.seconds(60)
    }

    private typealias Client = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let socket: ControlSocket
    private let limits: Limits
    private let methods: ControlMethods
    private let logger: Logger
    private let onListening: @Sendable () -> Void

    init(
        path: String, operations: any RelayOperations, limits: Limits = Limits(), logger: Logger,
        onListening: @escaping @Sendable () -> Void = {}
    ) {
        socket = ControlSocket(path: path)
        self.limits = limits
        methods = ControlMethods(operations)
        self.logger = logger
        self.onListening = onListening
    }

    /// Serves until a graceful shutdown, then removes the socket.
    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        try await socket.prepare(group)
        let server = try await bind(group)
        socket.protect()
        defer { socket.remove() }
        onListening()
        await cancelWhenGracefulShutdown { await serve(server) }
    }

    private func bind(_ group: any EventLoopGroup) async throws -> NIOAsyncChannel<(Client, ControlPeer), Never> {
        let limits = limits
        return try await ServerBootstrap(group: group).bind(unixDomainSocketPath: socket.path) { channel in
            channel.eventLoop.makeCompletedFuture {
                let peer = try ControlPeer(channel)
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(
                    IdleStateHandler(allTimeout: .nanoseconds(Int64(limits.idle / .nanoseconds(1)))))
                try pipeline.addHandler(ByteToMessageHandler(LineDecoder(), maximumBufferSize: limits.line))
                try pipeline.addHandler(Closer())
                return (try Client(wrappingChannelSynchronously: channel), peer)
            }
        }
    }

    private func serve(_ server: NIOAsyncChannel<(Client, ControlPeer), Never>) async {
        let count = ConnectionCount(limit: limits.connections)
        try? await server.executeThenClose { clients in
            try await withThrowingDiscardingTaskGroup { tasks in
                for try await (client, peer) in clients {
                    tasks.addTask { await serve(client, peer, count) }
                }
                tasks.cancelAll()
            }
        }
    }

    private func serve(_ client: Client, _ peer: ControlPeer, _ count: ConnectionCount) async {
        let isAdmitted = count.enter()
        defer { count.leave() }
        do {
            try await client.executeThenClose { lines, answers in
                guard isAdmitted else {
                    let words = "there are \(limits.connections) connections, the limit; try again later"
                    return try await answers.write(encoded(.failure(.null, .internalError(words))))
                }
                for try await line in lines {
                    guard let answer = await methods.answer(Data(line.readableBytesView), from: peer) else { continue }
                    try await answers.write(encoded(answer))
                }
            }
        } catch {
            logger.debug("a client of the control socket: \(error)")
        }
    }

    private func encoded(_ response: Response) throws -> ByteBuffer {
        ByteBuffer(bytes: try JSONLine.encode(response))
    }
}

/// How many clients are connected.
private final class ConnectionCount: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts a client; false: it is one too many.
    func enter() -> Bool {
        count.withLock { count in
            count += 1
            return count <= limit
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}

/// Splits the stream at newlines.
private struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
        guard let newline = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")),
            let line = buffer.readSlice(length: newline - buffer.readerIndex)
        else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }

    /// A line without its newline is not complete.
    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) -> DecodingState { .needMoreData }
}

/// Closes the connection of a client that is idle, or sent a line over the limit.
private final class Closer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
