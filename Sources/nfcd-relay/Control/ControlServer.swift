import FoundationEssentials
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

    private let socket: ControlSocket
    private let limits: Limits
    private let methods: ControlMethods
    private let onListening: @Sendable () -> Void

    init(
        path: String, operations: any RelayOperations, limits: Limits = Limits(),
        onListening: @escaping @Sendable () -> Void = {}
    ) {
        socket = ControlSocket(path: path)
        self.limits = limits
        methods = ControlMethods(operations)
        self.onListening = onListening
    }

    /// Serves until a graceful shutdown, then removes the socket.
    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        try await socket.prepare(group)
        let clients = ControlClients(limit: limits.connections)
        let server = try await bind(group, clients)
        socket.protect()
        defer { socket.remove() }
        onListening()
        await cancelWhenGracefulShutdown {
            for await _ in AsyncStream<Never>.makeStream().stream {}
        }
        try? await server.close()
        clients.closeAll()
    }

    private func bind(_ group: any EventLoopGroup, _ clients: ControlClients) async throws -> any Channel {
        let (limits, methods) = (limits, methods)
        let bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let peer = try ControlPeer(channel)
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(
                    IdleStateHandler(allTimeout: .nanoseconds(Int64(limits.idle / .nanoseconds(1)))))
                try pipeline.addHandler(ByteToMessageHandler(LineDecoder(), maximumBufferSize: limits.line))
                let isAdmitted = clients.enter(channel)
                try pipeline.addHandler(
                    ControlConnection(methods, peer, refusal: isAdmitted ? nil : clients.refusal))
            }
        }
        return try await bootstrap.bind(unixDomainSocketPath: socket.path).get()
    }
}

/// The clients that are connected.
private final class ControlClients: Sendable {
    private let limit: Int
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// Why a client is not served.
    var refusal: String { "there are \(limit) connections, the limit; try again later" }

    /// Counts a client until its connection ends; false: it is one too many.
    func enter(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let count = channels.withLock { channels in
            channels[id] = channel
            return channels.count
        }
        channel.closeFuture.whenComplete { [self] _ in channels.withLock { _ = $0.removeValue(forKey: id) } }
        return count <= limit
    }

    func closeAll() {
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }
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

/// A client: its requests are answered one after another. While one is under way, no more is read from it.
private final class ControlConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let methods: ControlMethods
    private let peer: ControlPeer
    private let refusal: String?
    private var waiting: [ByteBuffer] = []
    private var isBusy = false

    init(_ methods: ControlMethods, _ peer: ControlPeer, refusal: String?) {
        self.methods = methods
        self.peer = peer
        self.refusal = refusal
    }

    func channelActive(context: ChannelHandlerContext) {
        guard let refusal else { return }
        let channel = context.channel
        let answer = try? JSONLine.encode(Response.failure(.null, .internalError(refusal)))
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer ?? Data()))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard refusal == nil else { return }
        waiting.append(unwrapInboundIn(data))
        next(context)
    }

    private func next(_ context: ChannelHandlerContext) {
        guard !isBusy else { return }
        guard !waiting.isEmpty else { return context.channel.setOption(.autoRead, value: true).whenFailure { _ in } }
        isBusy = true
        context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
        let line = Data(waiting.removeFirst().readableBytesView)
        let answered = context.eventLoop.makeFutureWithTask { [methods, peer] in
            guard let answer = await methods.answer(line, from: peer) else { return ByteBuffer() }
            return ByteBuffer(bytes: try JSONLine.encode(answer))
        }
        answered.assumeIsolated().whenComplete { result in
            self.isBusy = false
            switch result {
            case .success(let answer):
                context.writeAndFlush(self.wrapOutboundOut(answer), promise: nil)
                self.next(context)
            case .failure: context.close(promise: nil)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Idle, or it does not read its answers.
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// A line over the limit.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
