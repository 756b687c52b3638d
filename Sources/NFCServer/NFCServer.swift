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
    /// Tells whether the event loop is alive.
    public let pulse = EventLoopPulse()
    /// The methods that clients can call.
    let methodNames: Set<String>

    /// `inherited`: the descriptor of a socket that listens on the path already, and is not removed. `access`: who may do
    /// what. `simulator`: the driver of simulated readers, if there are any. `clock` bounds how often
    /// progress is told. `onListening` is called once clients can connect.
    public init(
        socket path: String, inherited: CInt? = nil, coordinator: SessionCoordinator,
        access: AccessPolicy = AccessPolicy(),
        limits: Limits = Limits(), simulator: SimulatedDriver? = nil,
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger,
        onListening: @escaping @Sendable () -> Void = {}
    ) {
        socket = ServerSocket(path: path, inherited: inherited)
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
            try await listenWithPulse(group)
        } catch is CancellationError {
            logger.info("no longer listening on \(socket.path)")
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func listenWithPulse(_ group: any EventLoopGroup) async throws {
        pulse.watch(group.next())
        defer { pulse.watch(nil) }
        try await listen(group)
    }

    private func listen(_ group: any EventLoopGroup) async throws {
        try await socket.prepare(group)
        let (clients, arrivals) = AsyncStream.makeStream(of: ClientConnection.self)
        let server = try await bind(group, arrivals)
        socket.protect()
        defer { socket.remove() }
        logger.info("listening on \(socket.path)")
        onListening()
        await cancelWhenGracefulShutdown { await serve(clients, on: server.eventLoop) }
        try? await server.close()
    }

    /// Clients go to `clients`; one of which the kernel does not say who it is, is refused.
    private func bind(
        _ group: any EventLoopGroup, _ clients: AsyncStream<ClientConnection>.Continuation
    ) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            // A client that only says it has nothing more to ask, as `nc -U` does, is still waiting for its answers.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [logger] channel in
                channel.eventLoop.makeCompletedFuture {
                    do {
                        clients.yield(try ClientConnection(channel))
                    } catch {
                        logger.warning("refused a client: \(error)")
                        throw error
                    }
                }
            }
        return try await socket.bind(bootstrap)
    }

    /// All tasks of a client run on its event loop: a request starts on the thread that read it from the socket, and its answer
    /// is written by the thread that puts it together.
    private func serve(_ clients: AsyncStream<ClientConnection>, on loop: any EventLoop) async {
        // There is one loop. Tasks do not keep their executors alive.
        let executor = EventLoopExecutor(loop)
        defer { withExtendedLifetime(executor) {} }
        await withDiscardingTaskGroup { group in
            var count: UInt64 = 0
            for await client in clients {
                count += 1
                let id = ClientID(rawValue: count)
                group.addTask(executorPreference: executor) { await serve(client, id) }
            }
            group.cancelAll()
        }
    }

    private func serve(_ client: ClientConnection, _ id: ClientID) async {
        let peer = Peer(id: id, client, outboundLimit: limits.outboundBytes, logger: logger)
        let subject: Logger.Metadata = ["client": "\(peer.credentials)"]
        logger.info(
            "client \(id.rawValue) connected: \(peer.label), gid \(peer.credentials.groupID)", metadata: subject)
        coordinator.metrics.clientCame()
        coordinator.metrics.watchOutbound(of: id) { client.outbox.waiting }
        // At once: what a client that is gone has asked for and is not begun will not be begun.
        client.channel.closeFuture.whenComplete { _ in Task { await undo(peer) } }
        await withTaskCancellationHandler {
            await take(client.lines, peer)
            await client.outbox.flushed()
            peer.close()
        } onCancel: {
            peer.close()
        }
        await undo(peer)
        coordinator.metrics.forgetOutbound(of: id)
        coordinator.metrics.clientLeft()
        logger.info("client \(id.rawValue) disconnected", metadata: subject)
    }

    /// Starts what the lines ask for, and waits for what is pending at their end.
    private func take(_ lines: LineInbox, _ peer: Peer) async {
        await withDiscardingTaskGroup { group in
            var count = 0
            while let line = await lines.next() {
                guard case .line(let bytes) = line else { return await refuseRest(peer) }
                await router.handle(bytes, from: peer, &group)
                count &+= 1
                // Many requests of one client take turns with those of others.
                if count.isMultiple(of: 16) { await Task.yield() }
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
    private func refuseRest(_ peer: Peer) async {
        logger.warning("\(peer.label) sent a line over \(JSONLine.maximumLength) bytes")
        let error = RPCError.invalidRequest(
            "a line may have at most \(JSONLine.maximumLength) bytes; nfcd closes the connection")
        await peer.sendLast(Response.failure(.null, error))
    }
}

/// Tells whether the event loop of a server is alive.
public final class EventLoopPulse: Sendable {
    private let loop = Mutex<(any EventLoop)?>(nil)

    init() {}

    /// The loop to ask; nil: none any more. A loop that is about to end is not to be asked.
    func watch(_ loop: (any EventLoop)?) {
        self.loop.withLock { $0 = loop }
    }

    /// Returns when the loop comes by; at once where there is none, or none any more.
    public func answers() async {
        let loop = loop.withLock { $0 }
        try? await loop?.submit {}.get()
    }
}

/// Runs tasks on an event loop.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
