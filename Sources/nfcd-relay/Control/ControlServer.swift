import FoundationEssentials
import LocalSocket
import NFCProtocol
import NFCTypes
import NIOCore
import NIOPosix
import Threading
import Synchronization

/// The control socket: what nfcctl relay asks, as JSON-RPC lines.
struct ControlServer: Service {
    /// What clients may use.
    struct Limits: Sendable {
        /// Of all users together who may not change anything, and of one of them.
        var connections = 16
        var connectionsPerUser = 8
        /// Of root and the relay's own user: others do not take them.
        var privilegedConnections = 16
        var line = 65_536
        /// A client that sends nothing for this long, or does not read its answer, is disconnected.
        var idle = Duration.seconds(60)
    }

    private let file: SocketFile
    private let limits: Limits
    private let methods: ControlMethods
    private let onListening: @Sendable () -> Void

    init(
        path: String, operations: any RelayOperations, limits: Limits = Limits(),
        onListening: @escaping @Sendable () -> Void = {}
    ) {
        file = SocketFile(path, of: "nfcd-relay", option: "--control")
        self.limits = limits
        methods = ControlMethods(operations)
        self.onListening = onListening
    }

    /// Serves until the signal, then removes the socket.
    func run(until stop: StopSignal = StopSignal()) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        try file.prepare()
        let clients = ControlClients(limits)
        let server = try await bind(group, clients)
        file.protect()
        defer { file.remove() }
        onListening()
        await stop.wait()
        try? await server.close()
        clients.closeAll()
    }

    private func bind(_ group: any EventLoopGroup, _ clients: ControlClients) async throws -> any Channel {
        let (limits, methods) = (limits, methods)
        let bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let peer = try pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                    try PeerCredentials(socket: $0)
                }
                guard let peer else { throw ChannelError.operationUnsupported }
                try pipeline.addHandler(
                    IdleStateHandler(allTimeout: .nanoseconds(Int64(limits.idle / .nanoseconds(1)))))
                try pipeline.addHandler(ByteToMessageHandler(LineDecoder(), maximumBufferSize: limits.line))
                try pipeline.addHandler(
                    ControlConnection(methods, peer, refusal: clients.enter(channel, peer)))
            }
        }
        return try await bootstrap.bind(unixDomainSocketPath: file.path).get()
    }
}

/// Who is connected, and how many more may be.
struct ControlAdmission: Sendable {
    private let limits: ControlServer.Limits
    private var privileged = 0
    /// How many connections each other user has.
    private var others: [ClientAccount: Int] = [:]

    init(_ limits: ControlServer.Limits) {
        self.limits = limits
    }

    /// Counts a client until it leaves.
    ///
    /// - Returns: why it is not served, and then it is not counted; nil: it is.
    mutating func enter(_ peer: PeerCredentials) -> String? {
        let own = others[peer.account] ?? 0
        if !peer.isPrivileged, own >= limits.connectionsPerUser {
            return "user \(peer.userID) has \(own) connections, the limit; close one of them"
        }
        let taken = peer.isPrivileged ? privileged : others.values.reduce(0, +)
        let limit = peer.isPrivileged ? limits.privilegedConnections : limits.connections
        guard taken < limit else { return "there are \(limit) connections, the limit; try again later" }
        count(peer, 1)
        return nil
    }

    /// A client has left.
    mutating func leave(_ peer: PeerCredentials) { count(peer, -1) }

    private mutating func count(_ peer: PeerCredentials, _ change: Int) {
        guard !peer.isPrivileged else { return privileged += change }
        let count = (others[peer.account] ?? 0) + change
        others[peer.account] = count > 0 ? count : nil
    }
}

/// The clients that are connected.
private final class ControlClients: Sendable {
    private struct State {
        var admission: ControlAdmission
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>

    init(_ limits: ControlServer.Limits) {
        state = Mutex(State(admission: ControlAdmission(limits)))
    }

    /// Counts a client until its connection ends.
    ///
    /// - Returns: why it is not served; nil: it is.
    func enter(_ channel: any Channel, _ peer: PeerCredentials) -> String? {
        let id = ObjectIdentifier(channel)
        let refusal = state.withLock { state in
            state.channels[id] = channel
            return state.admission.enter(peer)
        }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { state in
                state.channels[id] = nil
                if refusal == nil { state.admission.leave(peer) }
            }
        }
        return refusal
    }

    func closeAll() {
        for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
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
    private let peer: PeerCredentials
    private let refusal: String?
    private var waiting: [ByteBuffer] = []
    private var isBusy = false

    init(_ methods: ControlMethods, _ peer: PeerCredentials, refusal: String?) {
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
