import LocalSocket
import NFCProtocol
package import NFCReaders
package import NFCServer
package import NFCSessions
import NIOCore
import NIOPosix
import Synchronization
package import Threading

/// The server on the Unix socket: accepts clients, and passes the requests of each on in their order.
package struct SocketServer: Service {
    private let socket: ServerSocket
    private let further: [FurtherServerSocket]
    private let coordinator: SessionCoordinator
    private let requests: RequestServer
    private let schedule = LoopSchedule()
    private let limits: ServerLimits
    private let admissions: Admissions
    private let budgets: Budgets
    private let logger: EventLog
    private let onListening: @Sendable () -> Void
    private let memoryRelease: MemoryRelease
    /// Checks whether the event loop is alive.
    package let pulse = EventLoopPulse()

    /// A server that listens once it runs.
    ///
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - inherited: the descriptor of a socket that already listens on the path; its file is not removed.
    ///   - further: the sockets whose clients have the grants with their name alone.
    ///   - access: the rules for what clients may do.
    ///   - services: the users of nfcd's services, for which connections are reserved.
    ///   - simulator: the driver of the simulated readers; nil if there are none.
    ///   - recorder: records what happens on the readers; nil if that is not possible.
    ///   - clock: limits how often progress is reported.
    ///   - onListening: called once clients can connect.
    ///   - memoryRelease: returns unused memory to the system after clients have disconnected.
    package init(
        socket path: String, inherited: CInt? = nil, further: [FurtherServerSocket] = [],
        coordinator: SessionCoordinator,
        access: AccessPolicy = AccessPolicy(),
        limits: ServerLimits = ServerLimits(), services: Set<UInt32> = [], simulator: SimulatedDriver? = nil,
        recorder: ReaderRecorder? = nil, clock: any Clock<Duration> = ContinuousClock(), logger: EventLog,
        onListening: @escaping @Sendable () -> Void = {}, memoryRelease: MemoryRelease = MemoryRelease()
    ) {
        let file = SocketFile(path, of: "nfcd", option: "--socket")
        socket = inherited.map { .inherited($0, path: path) } ?? .file(file)
        self.further = further
        self.coordinator = coordinator
        self.limits = limits
        admissions = Admissions(perUser: limits.connectionsPerUser, total: limits.connections, services: services)
        budgets = Budgets(limits)
        self.logger = logger
        self.onListening = onListening
        self.memoryRelease = memoryRelease
        requests = RequestServer(
            coordinator: coordinator, access: access, limits: limits, simulator: simulator, recorder: recorder,
            clock: clock,
            schedule: schedule, logger: logger)
    }

    /// Serves until the signal is given, then closes all connections and removes the socket.
    package func run(until stop: StopSignal = StopSignal()) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1, metricsDelegate: schedule.ticks)
        schedule.longLines.start()
        do {
            try await listenWithPulse(group, stop)
        } catch is CancellationError {
            logger.info("no longer listening on \(socket.path)")
        } catch {
            try? await end(group)
            throw error
        }
        try await end(group)
    }

    private func end(_ group: MultiThreadedEventLoopGroup) async throws {
        await schedule.longLines.stop()
        try await group.shutdownGracefully()
    }

    private func listenWithPulse(_ group: any EventLoopGroup, _ stop: StopSignal) async throws {
        pulse.monitor(group.next())
        defer { pulse.monitor(nil) }
        try await listen(group, stop)
    }

    private func listen(_ group: any EventLoopGroup, _ stop: StopSignal) async throws {
        let (clients, arrivals) = AsyncStream.makeStream(of: ClientConnection.self)
        let server = try await bind(socket, named: nil, group, arrivals)
        defer { socket.remove() }
        logger.info("listening on \(socket.path)")
        var others: [any Channel] = []
        for socket in further {
            others.append(try await bind(socket.socket, named: socket.name, group, arrivals))
            logger.info("listening on \(socket.socket.path), the socket \"\(socket.name)\"")
        }
        onListening()
        await stop.cancelling { await serve(clients, on: server.eventLoop) }
        for channel in [server] + others { try? await channel.close() }
    }

    /// Binds a socket. New clients go to `clients`. A client over a limit is refused with an error, one whose credentials the
    /// kernel does not report without one.
    private func bind(
        _ socket: ServerSocket, named name: String?, _ group: any EventLoopGroup,
        _ clients: AsyncStream<ClientConnection>.Continuation
    ) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelInitializer { [logger] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause.handler(logger))
                }
            }
            // A client that has only shut down its sending side, as `nc -U` does, still waits for its answers.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // One read of a client, then the next client.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 16_384)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel, on: name, clients) }
            }
        return try await socket.bind(bootstrap)
    }

    private func accept(
        _ channel: any Channel, on name: String?, _ clients: AsyncStream<ClientConnection>.Continuation
    ) throws {
        do {
            let credentials = try PeerCredentials(of: channel, on: name)
            let admission = try admissions.admit(credentials)
            clients.yield(
                try ClientConnection(
                    channel, credentials, admission, budgets, schedule.deliveries(on: channel.eventLoop)))
        } catch let refusal as Admissions.Refusal {
            logger.debug("refused a client: \(refusal)")
            let error = RPCError(.systemIsBusy, detail: "\(refusal)")
            try channel.pipeline.syncOperations.addHandler(RefusedClient(Response.failure(.null, error)))
        } catch {
            logger.warning("refused a client: \(error)")
            throw error
        }
    }

    /// All tasks of a client run on its event loop: a request starts on the thread that read it from the socket, and the same
    /// thread encodes and writes the answer.
    private func serve(_ clients: AsyncStream<ClientConnection>, on loop: any EventLoop) async {
        // There is one loop. Tasks do not keep their executors alive.
        let executor = EventLoopExecutor(loop)
        defer { withExtendedLifetime(executor) {} }
        schedule.follow(loop)
        let memory = MemoryReturn(loop, schedule.longLines, memoryRelease)
        schedule.deliveries(on: loop).onIdle { memory.request() }
        await withDiscardingTaskGroup { group in
            var count: UInt64 = 0
            for await client in clients {
                count += 1
                let id = ClientID(rawValue: count)
                group.addTask(executorPreference: executor) {
                    await serve(client, id, executor)
                    memory.request()
                }
            }
            group.cancelAll()
        }
    }

    private func serve(_ client: ClientConnection, _ id: ClientID, _ executor: EventLoopExecutor) async {
        let peer = requests.client(id, client.credentials, over: client)
        let subject: EventLog.Metadata = ["client": "\(peer.credentials)"]
        logger.info(
            "client \(id.rawValue) connected: \(peer.label), gid \(peer.credentials.groupID)", metadata: subject)
        coordinator.metrics.addOutbound(of: id) { client.outbox.waiting }
        // Soon, so that requests of a disconnected client that have not started never start; and in turn, since many clients may leave
        // together.
        client.channel.closeFuture.whenComplete { _ in
            Task(executorPreference: executor) {
                await schedule.turn(for: peer.credentials)
                await requests.cleanUp(peer)
            }
        }
        await withTaskCancellationHandler {
            await handle(client, peer)
        } onCancel: {
            client.stop()
        }
        await withTaskCancellationHandler {
            await client.outbox.flushed()
        } onCancel: {
            client.closeSoon()
        }
        peer.close()
        await schedule.turn(for: peer.credentials)
        await requests.release(peer)
        coordinator.metrics.removeOutbound(of: id)
        logger.info("client \(id.rawValue) disconnected", metadata: subject)
    }

    /// Starts the requests of the lines, and waits for those that are pending when the lines end. While answers wait for the client
    /// to read them, no further request is started. When nfcd ends, commands that run on a tag are still awaited and answered: only the
    /// answer shows what they did.
    private func handle(_ client: ClientConnection, _ peer: Peer) async {
        await withDiscardingTaskGroup { group in
            while let arrival = await client.lines.next() {
                await client.outbox.room()
                await schedule.turn(for: peer.credentials)
                guard !Task.isCancelled else { return }
                switch arrival.line {
                case .line(let line): await requests.handle(line, arrival.hold, from: peer, &group)
                case .tooLong:
                    return await refuse(client, "a line may have at most \(JSONLine.maximumLength) bytes", peer)
                case .tooSlow:
                    let time = limits.lineTime / .seconds(1)
                    return await refuse(
                        client, "a line over \(Budgets.share) bytes has to be complete within \(time) s", peer)
                }
            }
        }
    }

    /// Answers a line over a limit with an error and closes the connection. Later lines are ignored, and a client that continues
    /// to send or does not read delays nothing.
    private func refuse(_ client: ClientConnection, _ reason: String, _ peer: Peer) async {
        logger.warning("disconnected \(peer.label): \(reason)")
        let answer = peer.encoded(.failure(.null, .invalidRequest("\(reason); nfcd closes the connection")))
        await client.sendLast(answer)
    }
}
