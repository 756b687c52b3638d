public import Logging
import NFCProtocol
public import NFCReaders
public import NFCSessions
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// The socket: accepts clients, and has each one's lines carried out in their order.
public struct NFCServer: Service {
    private typealias Connection = NIOAsyncChannel<IncomingLine, ByteBuffer>

    /// What bounds a client.
    public struct Limits: Sendable, Hashable {
        /// Bytes that wait to be sent to a client before it is cut off.
        public var outboundBytes: Int

        /// Limits; 4 MiB by default.
        public init(outboundBytes: Int = 4 * 1024 * 1024) {
            self.outboundBytes = outboundBytes
        }
    }

    private let socket: ServerSocket
    private let coordinator: SessionCoordinator
    private let router: LineRouter
    private let limits: Limits
    private let logger: Logger
    private let onListening: @Sendable () -> Void
    /// The methods that clients can call.
    let methodNames: Set<String>

    /// `access`: who may do what. `simulator`: the driver of simulated readers, if there are any. `clock` bounds how often
    /// progress is told. `onListening` is called once clients can connect.
    public init(
        socket path: String, coordinator: SessionCoordinator, access: AccessPolicy = AccessPolicy(),
        limits: Limits = Limits(), simulator: SimulatedDriver? = nil,
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger,
        onListening: @escaping @Sendable () -> Void = {}
    ) {
        socket = ServerSocket(path: path)
        self.coordinator = coordinator
        self.limits = limits
        self.logger = logger
        self.onListening = onListening
        var methods = MethodTable(access: access)
        methods.addServerMethods(coordinator, isSimulating: simulator != nil)
        methods.addSessionMethods(coordinator)
        methods.addTagMethods(coordinator, clock: clock)
        methods.addCancelMethods(coordinator)
        methods.addContentMethods(coordinator, clock: clock)
        methods.addRawMethods(coordinator)
        methods.addClassicMethods(coordinator)
        methods.addSimulatorMethods(simulator)
        methods.addBackgroundMethods(coordinator)
        methods.addEventMethods(coordinator)
        methods.addOperatorMethods(coordinator)
        methods.addDiscoverMethods()
        methodNames = methods.names
        router = LineRouter(methods: methods)
    }

    /// Serves until told to shut down; then closes what is open and removes the socket.
    public func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await listen(group)
        } catch is CancellationError {
            logger.info("no longer listening on \(socket.path)")
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func listen(_ group: any EventLoopGroup) async throws {
        try await socket.prepare(group)
        let server = try await bind(group)
        socket.protect()
        defer { socket.remove() }
        logger.info("listening on \(socket.path)")
        onListening()
        try await cancelWhenGracefulShutdown { try await serve(server) }
    }

    private func bind(_ group: any EventLoopGroup) async throws -> NIOAsyncChannel<Connection, Never> {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            // A client that only says it has nothing more to ask, as `nc -U` does, is still waiting for its answers.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(unixDomainSocketPath: socket.path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let decoder = LineDecoder(limit: JSONLine.maximumLength)
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(decoder))
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Everything of a client runs on its event loop: a line has its answer without a change of threads, but for the one to
    /// the reader and back.
    private func serve(_ server: NIOAsyncChannel<Connection, Never>) async throws {
        let count = Atomic<UInt64>(0)
        // There is one loop. Tasks do not keep their executor alive.
        let executor = EventLoopExecutor(server.channel.eventLoop)
        defer { withExtendedLifetime(executor) {} }
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { clients in
                for try await client in clients {
                    let number = count.add(1, ordering: .relaxed).newValue
                    group.addTask(executorPreference: executor) {
                        await serve(client, number: number)
                    }
                }
            }
            group.cancelAll()
        }
    }

    private func serve(_ client: Connection, number: UInt64) async {
        do {
            let credentials = try await PeerCredentials.of(client.channel)
            let peer = Peer(
                id: ClientID(rawValue: number), credentials: credentials, channel: client.channel,
                outboundLimit: limits.outboundBytes, logger: logger)
            logger.info("client \(number) connected: \(credentials), gid \(credentials.groupID)")
            await serve(peer, client)
            logger.info("client \(number) disconnected")
        } catch {
            logger.warning("client \(number) refused: its credentials cannot be read: \(error)")
            try? await client.channel.close()
        }
    }

    private func serve(_ peer: Peer, _ client: Connection) async {
        coordinator.metrics.clientCame()
        defer { coordinator.metrics.clientLeft() }
        // At once: what a client that is gone has asked for and is not begun will not be begun.
        client.channel.closeFuture.whenComplete { _ in Task { await undo(peer) } }
        do {
            try await client.executeThenClose { lines, _ in
                await take(lines, peer, client)
            }
        } catch {
            logger.debug("\(peer.label): \(error)")
        }
        await undo(peer)
    }

    /// Starts what the lines ask for, and waits for what is pending at their end.
    private func take(_ lines: NIOAsyncChannelInboundStream<IncomingLine>, _ peer: Peer, _ client: Connection) async {
        await withDiscardingTaskGroup { group in
            do {
                var count = 0
                for try await line in lines {
                    guard case .line(let bytes) = line else { return await refuseRest(peer, client) }
                    await router.handle(bytes, from: peer, &group)
                    count &+= 1
                    // Many requests of one client take turns with those of others.
                    if count.isMultiple(of: 16) { await Task.yield() }
                }
            } catch {
                logger.debug("\(peer.label): \(error)")
            }
        }
    }

    /// Ends what belongs to a client that is gone.
    private func undo(_ peer: Peer) async {
        peer.undoAll()
        await coordinator.clientLeft(peer.id)
    }

    /// A line over the limit gets an error before the connection ends; what follows is not looked at. A client that
    /// goes on sending, or does not read, is not waited for.
    private func refuseRest(_ peer: Peer, _ client: Connection) async {
        logger.warning("\(peer.label) sent a line over \(JSONLine.maximumLength) bytes")
        peer.sendLast(
            Response.failure(
                .null, .invalidRequest("a line may have at most \(JSONLine.maximumLength) bytes; the connection ends")))
        client.channel.eventLoop.scheduleTask(in: .seconds(1)) { peer.close() }
        try? await client.channel.closeFuture.get()
    }
}
