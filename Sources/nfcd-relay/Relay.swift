import Logging
import NDEF
import NFCClient
import RelayProtocol
import ServiceClient
import ServiceSupport
import Threading

/// The parts of the relay, put together: the only place that knows them all.
struct Relay {
    private let environment: RelayEnvironment
    private let manager: ServiceManager
    private let logger: Logger

    init(_ environment: RelayEnvironment, manager: ServiceManager, logger: Logger) {
        self.environment = environment
        self.manager = manager
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT; then deliveries under way are completed, and the state is written.
    func run() async throws {
        let state = try StateFile(
            path: environment.stateFile, isInOwnFolder: environment.isStateFileInStateDirectory, logger: logger)
        let daemon = DaemonLink(SocketEndpoint(path: environment.daemonSocket), time: .system, logger: logger)
        let engine = RelayEngine(daemon: daemon, state: state)
        let consumers = try await makeConsumers(engine, daemon, state)
        let feed = JournalFeed(daemon: daemon, consumers: consumers, state: state, time: .system, logger: logger)
        engine.start(consumers, feed)
        if consumers.isEmpty {
            logger.warning("\(environment.file) has no consumer; add [[mqtt]], [[webhook]] or [[command]]")
        }
        let control = ControlServer(
            path: environment.controlSocket, operations: engine,
            onListening: { [manager] in manager.ready() })
        // Shut down from the last to the first: consumers complete what is under way while nfcd is still connected.
        var services: [any Service] = [FunctionService { await daemon.run() }, FunctionService { await feed.run() }]
        services += consumers.map { ConsumerService(consumer: $0) }
        services += [control, StatusService(manager, isReady: false) { Self.line(await engine.status()) }]
        try await ServiceGroup(services).runUntilTerminated()
    }

    /// The state for the service manager.
    static func line(_ status: RelayStatus.Result) -> String {
        let backlog = status.consumers.reduce(0) { $0 + $1.backlog }
        let waiting = status.consumers.filter { $0.state != .connected }.map(\.name)
        let trouble = waiting.isEmpty ? "" : "; not connected: \(waiting.joined(separator: ", "))"
        return "\(counted(status.consumers.count, "consumer")), \(counted(backlog, "tap")) to deliver\(trouble)"
    }

    private func makeConsumers(
        _ engine: RelayEngine, _ daemon: DaemonLink, _ state: StateFile
    ) async throws -> [Consumer] {
        var consumers: [Consumer] = []
        for settings in environment.configuration.consumers {
            let context = SinkContext(
                consumer: settings.name, identity: environment.identity, daemon: daemon, logger: logger,
                operations: engine, memory: state)
            let machine = ConsumerMachine(
                try await KillPoint.around { try await state.consumer(settings.name, now: ServiceTime.system.now()) },
                parked: try await KillPoint.around { try await state.parkedCount(of: settings.name) },
                limits: limits(settings),
                now: ServiceTime.system.now(), random: ServiceTime.system.random)
            consumers.append(
                Consumer(
                    settings, sink: try settings.sink.makeSink(context), machine: machine,
                    identity: environment.identity, daemon: daemon, state: state, time: .system, logger: logger))
        }
        return consumers
    }

    private func limits(_ settings: ConsumerSettings) -> ConsumerMachine.Limits {
        var limits = ConsumerMachine.Limits()
        limits.start = settings.start
        limits.drain = environment.configuration.drainLimit
        limits.reconnectJitter = environment.configuration.reconnectJitter
        limits.lane.attempts = settings.attempts
        limits.isSerial = settings.sink.isSerial
        limits.lane.eligibility = TapEligibility(settings, .system)
        limits.lane.longestWait = settings.sink.longestWait
        limits.lane.replayWindow = settings.sink.replayWindow
        return limits
    }
}

/// A consumer as a service of the group.
private struct ConsumerService: Service {
    let consumer: Consumer

    func run(until stop: StopSignal) async {
        await stop.calling({ consumer.stop() }) { await consumer.run() }
    }
}
