public import Logging
import NFCProtocol
public import NFCReaders
public import NFCSessions
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// The server on the Unix socket: accepts clients, and carries out the requests of each in their order.
public struct NFCServer: Service {
    /// The limits of a client.
    public struct Limits: Sendable, Hashable {
        /// The number of queued bytes above which a client that does not read is disconnected.
        public var outboundBytes: Int

        /// Limits; 4 MiB by default.
        public init(outboundBytes: Int = 4 * 1024 * 1024) {
            self.outboundBytes = outboundBytes
        }
    }

    private let socket: ServerSocket
    private let coordinator: SessionCoordinator
    private let router: LineRouter
    private let access: AccessPolicy
    private let limits: Limits
    private let logger: Logger
    private let onListening: @Sendable () -> Void
    /// Checks whether the event loop is alive.
    public let pulse = EventLoopPulse()
    /// The methods that clients can call.
    let methodNames: Set<String>

    /// A server that listens once it runs.
    ///
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - inherited: the descriptor of a socket that already listens on the path; its file is not removed.
    ///   - access: the rules for what clients may do.
    ///   - simulator: the driver of the simulated readers; nil if there are none.
    ///   - clock: limits how often progress is reported.
    ///   - onListening: called once clients can connect.
    public init(
        socket path: String, inherited: CInt? = nil, coordinator: SessionCoordinator,
        access: AccessPolicy = AccessPolicy(),
        limits: Limits = Limits(), simulator: SimulatedDriver? = nil,
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger,
        onListening: @escaping @Sendable () -> Void = {}
    ) {
        socket = ServerSocket(path: path, inherited: inherited)
        self.coordinator = coordinator
        self.access = access
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

    /// Serves until a graceful shutdown, then closes all connections and removes the socket.
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
        pulse.monitor(group.next())
        defer { pulse.monitor(nil) }
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

    /// Binds the socket. New clients go to `clients`; a client whose credentials the kernel does not report is refused.
    private func bind(
        _ group: any EventLoopGroup, _ clients: AsyncStream<ClientConnection>.Continuation
    ) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            // A client that has only shut down its sending side, as `nc -U` does, still waits for its answers.
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

    /// All tasks of a client run on its event loop: a request starts on the thread that read it from the socket, and the same
    /// thread encodes and writes the answer.
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
        let peer = Peer(id: id, client, access: access, outboundLimit: limits.outboundBytes, logger: logger)
        let subject: Logger.Metadata = ["client": "\(peer.credentials)"]
        logger.info(
            "client \(id.rawValue) connected: \(peer.label), gid \(peer.credentials.groupID)", metadata: subject)
        coordinator.metrics.clientConnected()
        coordinator.metrics.addOutbound(of: id) { client.outbox.waiting }
        // At once, so that requests of a disconnected client that have not started never start.
        client.channel.closeFuture.whenComplete { _ in Task { await cleanUp(peer) } }
        await withTaskCancellationHandler {
            await handle(client.lines, peer)
            await client.outbox.flushed()
            peer.close()
        } onCancel: {
            peer.close()
        }
        await cleanUp(peer)
        coordinator.metrics.removeOutbound(of: id)
        coordinator.metrics.clientDisconnected()
        logger.info("client \(id.rawValue) disconnected", metadata: subject)
    }

    /// Starts the requests of the lines, and waits for those that are pending when the lines end.
    private func handle(_ lines: LineInbox, _ peer: Peer) async {
        await withDiscardingTaskGroup { group in
            var count = 0
            while let line = await lines.next() {
                guard case .line(let bytes) = line else { return await refuseLongLine(peer) }
                await router.handle(bytes, from: peer, &group)
                count &+= 1
                // A client with many requests must not delay the requests of other clients.
                if count.isMultiple(of: 16) { await Task.yield() }
            }
        }
    }

    /// Releases everything that belongs to a disconnected client.
    private func cleanUp(_ peer: Peer) async {
        peer.releaseAll()
        await coordinator.clientDisconnected(peer.id)
    }

    /// Answers a line over the limit with an error and closes the connection. Later lines are ignored, and a client that continues
    /// to send or does not read delays nothing.
    private func refuseLongLine(_ peer: Peer) async {
        logger.warning("\(peer.label) sent a line over \(JSONLine.maximumLength) bytes")
        let error = RPCError.invalidRequest(
            "a line may have at most \(JSONLine.maximumLength) bytes; nfcd closes the connection")
        await peer.sendLast(Response.failure(.null, error))
    }
}

/// Checks whether the event loop of a server is alive.
public final class EventLoopPulse: Sendable {
    private let loop = Mutex<(any EventLoop)?>(nil)

    init() {}

    /// Sets the loop to check; nil before that loop shuts down.
    func monitor(_ loop: (any EventLoop)?) {
        self.loop.withLock { $0 = loop }
    }

    /// Returns when the loop has run a task; at once if there is no loop.
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
